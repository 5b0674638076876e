"""Adapters for shufflers and shoes of several makers: one module a model, all with the same events, sans-IO. An
adapter knows its device's bytes, but not the deal, the journal or the clock. hw/shuffler-protocol.md says how to
write one."""
