"""Bytes and edges into words. Everything here is sans-IO: it is fed and asked, owns no thread and reads no
clock. This room must not know where the bytes came from or what the table does with the words."""
