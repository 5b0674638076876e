"""The ports without hardware, shipped with the product. A substitute passes the contract tests of what it stands
for; nothing here knows the rules or the table."""
