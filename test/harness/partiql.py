"""Short ways to write PartiQL statements in tests."""

import re


def in_table(statement, table):
    """The statement with the table's name, quoted, for the word T in it."""
    return re.sub(r"\bT\b", f'"{table}"', statement, count=1)
