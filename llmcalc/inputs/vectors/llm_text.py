"""``llm embed -f hex`` and ``-f base64``: a line of text for each vector.

Every hex string is base64 too, so hex is tried first.
"""

import re
from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import is_number
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.element_types import FLOAT32, RawType, raw_type
from llmcalc.inputs.vectors.encodings import from_base64, from_bytes
from llmcalc.inputs.vectors.text_input import TextInput
from llmcalc.inputs.vectors.vector_set import VectorSet

# Base64 that has no other letters by chance is not met.
_HEX = re.compile(r"(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}")
_NOTHING = "null"
_BASE64 = re.compile(r"[A-Za-z0-9+/]{10,}={0,2}")


def recognise(text: TextInput) -> bool:
    """Return whether every line is one long word of hex or base64, or all is null."""
    lines = [line.strip() for line in text.head if line.strip()]
    if lines == [_NOTHING]:
        return True
    return bool(lines) and all(is_encoded(line) for line in lines)


def is_encoded(text: str) -> bool:
    """Return whether a text may be an encoded vector, and is no number or word.

    >>> [is_encoded(text) for text in ("0000803f000000c0", "AACAPwAAAMA=", "12345678")]
    [True, True, False]
    """
    if is_number(text) or text.isalpha():
        return _HEX.fullmatch(text) is not None and not is_number(text)
    if _HEX.fullmatch(text):
        return True
    return len(text) % 4 == 0 and _BASE64.fullmatch(text) is not None


def decoded(text: str, raw: RawType) -> Any:
    """Return the vector behind hex or base64. Raises ValueError where it is none."""
    if _HEX.fullmatch(text):
        return from_bytes(bytes.fromhex(text), raw)
    return from_base64(text, raw)


def read(text: TextInput) -> VectorSet:
    """Read a vector a line, little-endian float32 unless ``--dtype`` says otherwise."""
    raw = raw_type(text.dtype) if text.dtype else FLOAT32
    rows = Collector(text.name)
    for number, line in enumerate(text.lines, 1):
        if not line.strip():
            continue
        if line.strip() == _NOTHING:
            raise LlmcalcError(
                f"{text.name}: is null, no vector: llm embed prints that when it "
                "stores into a collection; read its database, embeddings.db:COLLECTION"
            )
        try:
            rows.add(decoded(line.strip(), raw), None, number)
        except LlmcalcError:
            raise
        except ValueError as error:
            raise LlmcalcError(f"{text.name}: line {number}: {error}") from None
    return rows.finish("llm", (), "ubinary" if raw.packed else None)
