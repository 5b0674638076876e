"""Traceability: every paragraph of the rulebooks and every requirement, with the code that implements it and the
tests that show it. Knows files and test results, not how the product works."""
