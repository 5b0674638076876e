"""What a table and the jackpot controller say to each other, as values. No bytes, no transport, no clock."""
