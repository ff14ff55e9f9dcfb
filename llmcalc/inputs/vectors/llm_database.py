"""The SQLite database of ``llm``: ``embeddings.db:COLLECTION``, ids as labels.

Start-up is a feature: sqlite3 loads only for such a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.byte_input import ByteInput
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.element_types import FLOAT32, raw_type
from llmcalc.inputs.vectors.encodings import from_bytes
from llmcalc.inputs.vectors.vector_set import VectorSet, label_words

if TYPE_CHECKING:
    import sqlite3


def recognise(file: ByteInput) -> bool:
    """Return whether the file is a SQLite database."""
    return file.head.startswith(b"SQLite format 3\x00")


def read(file: ByteInput) -> VectorSet:
    """Read a collection, in the order in which it was stored.

    Raises LlmcalcError where the database is no llm's, or holds several collections
    and none is asked for.
    """
    import sqlite3
    from urllib.parse import quote

    try:
        connection = sqlite3.connect(f"file:{quote(file.path)}?mode=ro", uri=True)
        try:
            connection.text_factory = _text
            return _read(file, connection)
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # sqlite3 decodes its own messages, which quote the damage.
        reason = error if isinstance(error, sqlite3.Error) else "its names are no text"
        raise LlmcalcError(
            f"{file.name}: is no database of llm, or damaged: {reason}"
        ) from None


def _read(file: ByteInput, connection: sqlite3.Connection) -> VectorSet:
    stored = connection.execute("select name, id from collections order by id")
    collections = {str(name): key for name, key in stored}
    chosen = _chosen(file, list(collections))
    raw = raw_type(file.dtype) if file.dtype else FLOAT32
    rows = Collector(f"{file.name}:{chosen}")
    stored = connection.execute(
        "select id, embedding from embeddings where collection_id = ? order by rowid",
        (collections[chosen],),
    )
    for number, (label, blob) in enumerate(stored, 1):
        try:
            vector = from_bytes(blob if isinstance(blob, bytes) else b"", raw)
        except LlmcalcError:
            raise
        except ValueError as error:
            raise LlmcalcError(
                f"{rows.name}: row {number}{label_words(label)}: {error}"
            ) from None
        rows.add(vector, str(label), number)
    found = rows.finish("llm-database", (), "ubinary" if raw.packed else None)
    return found._replace(place=lambda row: f"row {row + 1}")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _chosen(file: ByteInput, names: list[str]) -> str:
    part = file.source.part
    choices = ", ".join(names) or "none"
    if part is not None:
        if part in names:
            return part
        raise LlmcalcError(f"{file.name}: no collection {part!r}; it has {choices}")
    if len(names) == 1:
        return names[0]
    raise LlmcalcError(
        f"{file.name}: which collection? choose with {file.name}:NAME: {choices}"
    )
