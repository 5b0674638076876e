"""The jackpots as values: one queue of hits a meter, every movement a transfer between two accounts. Pure: no clock, no
file, no thread."""
