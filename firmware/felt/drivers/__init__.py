"""The table controller's hands on real hardware: pins, serial lines, the network and the disk. Each module
fills one port; nothing here knows the rules or the table."""
