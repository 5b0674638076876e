"""The console for technicians and supervisors, on a serial line or in a terminal. A client of the desk: it knows the
desk's protocol and the terminal, but not the table's internals, sockets or files."""
