"""The jackpot controller: meters, claims and their durable ledger. It knows letters, never a table's inside:
no cards in play, no phases, no pins."""
