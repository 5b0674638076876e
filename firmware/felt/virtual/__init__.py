"""The same ports with no hardware, shipped with the product. A stand-in passes the contract tests of the
thing it stands for; nothing here knows the rules or the table."""
