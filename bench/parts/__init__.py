"""The lines of the table: one module a part, each with measure(run)."""
