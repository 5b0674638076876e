"""The desk: where people and screens ask a running table and give it orders, over a socket of its own."""
