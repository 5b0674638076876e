"""What a fact does to a round. Each move is a verb: it takes a table and a fact and returns a new table.
Moves never touch the phase; the charts do."""
