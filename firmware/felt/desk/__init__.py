"""The desk: a socket where people and screens query a running table and give it orders."""
