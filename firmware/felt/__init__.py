"""Felt: the firmware of a casino card table with progressive jackpots."""

__version__ = "1.0.0"
