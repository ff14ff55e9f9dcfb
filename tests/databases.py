"""The bytes of a SQLite database that a test makes in memory."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path


def database_bytes(connection: sqlite3.Connection) -> bytes:
    """Return the file of a database, and close it (serialize() is of Python 3.11)."""
    with closing(connection), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        with closing(sqlite3.connect(path)) as copy:
            connection.backup(copy)
        return path.read_bytes()
