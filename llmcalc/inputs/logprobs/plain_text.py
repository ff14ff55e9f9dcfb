"""Plain numbers: any mix of blanks, commas, newlines and ``#`` comments.

A whole file is one document that is handed on in pieces, so memory stays flat.
``null`` (what jq prints) is an entry without a log-prob.
"""

from array import array
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Document, Entries, Where
from llmcalc.inputs.logprobs.parts import Context, document_of
from llmcalc.inputs.logprobs.text_lines import Lines
from llmcalc.inputs.source import parse_number

PIECE = 1 << 16
NULLS = ("null", "None")


def read(lines: Lines, context: Context) -> Iterator[Document]:
    """Yield the one document of a text, in pieces.

    Raises LlmcalcError naming the line and what is not a number there.
    """
    values: list[float | None] = []
    places = array("q")
    continues = False
    for number, line in lines.numbered:
        found = _numbers(line, number, lines.name)
        values += found
        places.extend([number] * len(found))
        if len(values) >= PIECE:
            yield _piece(values, places, lines.name, context, continues)
            values, places, continues = [], array("q"), True
    if values or not continues:
        yield _piece(values, places, lines.name, context, continues)


def _piece(
    values: list[float | None],
    places: "array[int]",
    name: str,
    context: Context,
    continues: bool,
) -> Document:
    entries = Entries(values, "", lines=places)
    return document_of(entries, Where(name), context)._replace(continues=continues)


def _numbers(line: str, number: int, name: str) -> list[float | None]:
    text = line.partition("#")[0].replace(",", " ").replace(";", " ")
    words = text.split()
    try:
        # float() is the quick way; what it accepts and we do not is rare.
        if "_" not in text and text.isascii():
            return list(map(float, words))
    except ValueError:
        pass
    values: list[float | None] = []
    for word in words:
        try:
            values.append(None if word in NULLS else parse_number(word))
        except ValueError as error:
            raise LlmcalcError(f"{name}: line {number}: {error}") from None
    return values
