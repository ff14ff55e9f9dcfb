"""How many bytes the texts of tokens stand for, and when that is doubtful."""

import re
from collections.abc import Sequence

from llmcalc.inputs.logprobs.notes import Notes

# Legacy completions spell a token that is no whole UTF-8 with these letters.
_ESCAPED = "bytes:"
_HEX = re.compile(r"\\x[0-9a-fA-F]{2}")
_SPELT = "bytes are counted from text that spells them as bytes:\\x"
_DOUBTS = (
    ("�", "U+FFFD, half a character written as three bytes"),
    ("Ġ", "the mark of a vocabulary for a blank ('\\u0120'), two bytes"),
    ("▁", "the mark of a vocabulary for a blank ('\\u2581'), three bytes"),
)


def bytes_of_texts(texts: Sequence[str | None], place: str, notes: Notes) -> int | None:
    """Return the number of UTF-8 bytes of token texts; None where one has no text.

    Tokens spelt ``bytes:\\xe2\\x80`` count the bytes they spell. A remark says where
    the text cannot be trusted: U+FFFD and the blanks of raw vocabularies.

    >>> bytes_of_texts(["a", "\N{EURO SIGN}", "bytes:\\\\xe2\\\\x82"], "", Notes())
    6
    """
    try:
        text = "".join(texts)  # type: ignore[arg-type]
    except TypeError:
        return None
    if _ESCAPED in text and "\\x" in text:
        spelt = list(map(_unescaped, filter(None, texts)))
        if spelt != [token for token in texts if token]:
            notes.add(_SPELT, place)
        text = "".join(spelt)
    if text.isascii():
        return len(text)
    for letter, meaning in _DOUBTS:
        if letter in text:
            notes.add(f"bytes are counted from text that holds {meaning}", place)
    return len(text.encode("utf-8", "surrogatepass"))


def _unescaped(token: str) -> str:
    """Return a token of as many bytes as the spelt one stands for."""
    rest = token.removeprefix(_ESCAPED)
    return _HEX.sub("?", rest) if rest != token and _HEX.search(rest) else token
