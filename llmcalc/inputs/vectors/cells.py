"""A vector that was printed into one cell of text -> its numbers.

JSON lists, numpy's print, Python's repr, Postgres arrays, pgvector's sparse vectors.
"""

import re
from typing import TYPE_CHECKING, Any

from llmcalc.inputs.json_records import loader
from llmcalc.inputs.source import parse_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WRAPPED = re.compile(
    r"(?:np\.|numpy\.|torch\.)?(?:array|tensor|Vector|HalfVector)\((.*?)"
    r"(?:,\s*(?:dtype|device)=[^)]*)?\)",
    re.DOTALL,
)
_SCALAR = re.compile(r"np\.(?:float|int|uint)\d+\(([^)]*)\)")
_SPARSE = re.compile(r"\{([^{}]*)\}/(\d+)")
BITS = re.compile(r"[01]{8,}")
# A dense copy of a wider vector would fill the memory.
MAX_SPARSE_WIDTH = 1 << 20


def looks_like_vector(text: str) -> bool:
    """Return whether a cell of text begins as a printed vector does.

    >>> [looks_like_vector(text) for text in ("[0.1, 0.2]", "[note] 7", "7")]
    [True, False, False]
    """
    return _START.match(text) is not None


_START = re.compile(
    r"\s*(?:(?:np\.|numpy\.|torch\.)?(?:array|tensor|Vector|HalfVector)\()?"
    r"[\[({]+\s*(?:np\.float\d+\()?(?:[-+.\d]|nan\b|inf\b|NaN\b|null\b|NULL\b)"
)


def parse_cell(text: str) -> list[Any]:
    """Return the numbers of a printed vector.

    Raises ValueError that says what is wrong with it, a shortened print above all.

    >>> parse_cell("[ 0.5 -1.\\n 2e-3]"), parse_cell("{1:0.5,3:2}/5")
    ([0.5, -1.0, 0.002], [0.5, 0.0, 2.0, 0.0, 0.0])
    """
    plain = text.strip()
    if "..." in plain:
        raise ValueError(
            "is a shortened print (...): components are missing; save the numbers "
            "themselves, for example with numpy.save"
        )
    sparse = _SPARSE.fullmatch(plain)
    if sparse is not None:
        return _dense(sparse[1], int(sparse[2]))
    if plain.startswith("["):
        try:
            loaded = loader()(plain)
        except ValueError:
            pass
        else:
            return _only_vector(loaded)
    wrapped = _WRAPPED.fullmatch(plain)
    if wrapped is not None:
        plain = wrapped[1].strip()
    plain = _SCALAR.sub(r"\1", plain)
    if plain[:1] in "[({" and plain[-1:] in "])}":
        plain = plain[1:-1]
    if any(mark in plain for mark in "[](){}"):
        raise ValueError("holds more than one vector")
    return [_component(word) for word in plain.replace(",", " ").split()]


def packed_bits(text: str) -> "NDArray[Any] | None":
    """Return pgvector's ``bit`` packed (uint8), or None where a text is none.

    What does not fill its bytes comes as +1 and -1 (int8), a component a bit.

    >>> packed_bits("01100001"), packed_bits("0110011000")[:3]
    (array([97], dtype=uint8), array([-1,  1,  1], dtype=int8))
    """
    if BITS.fullmatch(text) is None:
        return None
    import numpy as np

    bits = np.frombuffer(text.encode(), np.uint8) - ord("0")
    if len(bits) % 8:
        return bits.astype(np.int8) * 2 - 1
    return np.packbits(bits)


def _component(word: str) -> float:
    if word in ("null", "NULL", "None"):
        raise ValueError("a component is null")
    return parse_number(word)


def _only_vector(loaded: Any) -> list[Any]:
    """Return the vector of ``[..]`` or ``[[..]]``."""
    if isinstance(loaded, list) and loaded and isinstance(loaded[0], list):
        if len(loaded) > 1:
            raise ValueError(f"holds {len(loaded)} vectors, one a token? pool them")
        loaded = loaded[0]
    if not isinstance(loaded, list):
        raise ValueError("is no list of numbers")
    return loaded


def _dense(entries: str, width: int) -> list[float]:
    """Write out pgvector's sparse vector: indices count from 1."""
    if width > MAX_SPARSE_WIDTH:
        raise ValueError(f"is a sparse vector of {width} components: too wide to read")
    vector = [0.0] * width
    for entry in filter(None, entries.split(",")):
        index, _, component = entry.partition(":")
        place = int(index) if index.strip().isdecimal() else 0
        if not 1 <= place <= width:
            raise ValueError(f"{entry.strip()!r} is no component of {width}")
        vector[place - 1] = parse_number(component)
    return vector
