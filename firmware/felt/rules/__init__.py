"""What the cards are worth: the order of hands, five rulebooks and their readings. Pure: a deal and the
house's terms go in, verdict lines come out. This room knows no table, no clock, no wire and no screen."""
