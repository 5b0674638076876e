"""Where the books are written down: transfers, letters and the standing, in SQLite or PostgreSQL, closed by periods
and chained."""
