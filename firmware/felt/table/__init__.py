"""The table as a value. Facts come in, a new table comes out; this room has no clock, no files, no pins."""
