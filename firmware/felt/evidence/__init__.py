"""What others check: digests of software, configuration and journal, signed checkpoints, exports for a laboratory,
and reports. It reads files and facts; it decides nothing at the table and knows no pins."""

