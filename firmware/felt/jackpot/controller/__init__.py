"""The jackpot controller as a process: letters in, answers out, and everything in the ledger before a word is said."""
