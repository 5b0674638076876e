"""Traceability: every paragraph of the rulebooks and every requirement with the place that implements it and the
tests that show it. Knows files and test results; must not know how the product does its work."""
