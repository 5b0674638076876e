"""The exact odds of every wager, by enumeration of every deal."""
