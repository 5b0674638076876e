"""Shufflers and shoes of different makers behind the same events, one module a model, sans-IO. An adapter knows its
device's bytes and nothing of the deal, the journal or the clock. How to write one: hw/shuffler-protocol.md."""
