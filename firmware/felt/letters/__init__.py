"""The messages between a table and the jackpot controller, as values. No bytes, no transport, no clock."""
