"""The ports on real hardware: pins, serial lines, network and disk. Each module implements one port; nothing here
knows the rules or the table."""
