"""Settles rounds given as JSON lines: rounds dealt elsewhere become verdict lines and meter values by the rulebooks.
This room reads and writes given streams. It knows neither a table nor a command line."""
