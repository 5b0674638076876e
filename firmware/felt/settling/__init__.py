"""Settling from JSON lines: rounds that somebody else dealt become verdict lines and meter values by the rulebooks.
This room reads and writes bytes that it is given. It knows neither a table nor a command line."""
