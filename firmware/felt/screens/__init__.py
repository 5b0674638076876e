"""Pages in a browser: the sign, the virtual table. They run in a process of their own, as a client of the desk. Only
the desk knows cards, PINs and permissions. Nothing here can delay a table."""
