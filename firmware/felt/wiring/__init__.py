"""The composition roots: they turn configurations into tables, desks and controllers. Only this room imports
drivers."""
