"""Decodes bytes and edges into values, and encodes answers. Sans-IO: no threads, no clock. This room does not know
where the bytes came from or what the table does with the result."""
