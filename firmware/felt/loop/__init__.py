"""The loop: inbox, intake, turn, outward. One thread thinks, writes, and only then speaks."""
