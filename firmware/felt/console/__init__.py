"""What a technician or a supervisor meets on the serial line or in a terminal. A client of the desk: it knows its words
and the terminal, and nothing of the table's inside, of sockets or of files."""
