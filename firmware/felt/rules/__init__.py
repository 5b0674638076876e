"""What hands are worth: hand rankings, the five rulebooks and their readings. Pure: a deal and the house's terms go
in, verdict lines come out. This room knows no table, clock, wire or screen."""
