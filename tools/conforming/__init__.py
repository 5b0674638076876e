"""What tells a maker whether his end of a line is right: see tools/conform."""
