"""What surrounds a table on its box: audit, integrity, accepted configuration, people, clock, upgrade gate."""
