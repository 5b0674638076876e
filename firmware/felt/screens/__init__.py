"""Pages in a browser: the sign, the virtual table. A process of its own and a client of the desk, which alone knows the
cards, the PINs and who may do what. Whatever happens here, a table is never delayed by it."""
