"""Numbers of any file -> one array: text, JSON, npy, npz, safetensors.

Start-up is a feature: numpy loads only for what is not typed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import kind_of, text_lines
from llmcalc.inputs.delimited import is_number
from llmcalc.inputs.json_records import Record, records
from llmcalc.inputs.source import Source, Typed, parse_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


# How JSON that is strict, ours too, writes what it has no number for.
_WORDS = ("NaN", "Infinity", "-Infinity")


class NumberLine(NamedTuple):
    """The numbers of one line of text, and its number from 1."""

    line: int
    numbers: list[float]


class Array(NamedTuple):
    """Numbers with their name, and where each stands.

    ``place`` turns an index (one integer an axis) into words for messages.
    """

    name: str
    values: "NDArray[Any]"
    place: Callable[[Sequence[int]], str]


def number_lines(
    lines: Iterable[str], name: str, start: int = 1
) -> Iterator[NumberLine]:
    """Yield the numbers of each line that holds some: blanks, commas, ``#`` comments.

    Raises LlmcalcError naming the line and what is not a number there.

    >>> list(number_lines(["1 2,3", "# no", "-.5"], "x"))
    [NumberLine(line=1, numbers=[1.0, 2.0, 3.0]), NumberLine(line=3, numbers=[-0.5])]
    """
    for number, line in enumerate(lines, start):
        text = line.partition("#")[0].replace(",", " ").replace(";", " ")
        words = text.split()
        if not words:
            continue
        try:
            # float() is the quick way; what it accepts and we do not is rare.
            if "_" in text or not text.isascii():
                yield NumberLine(number, [parse_number(word) for word in words])
            else:
                yield NumberLine(number, list(map(float, words)))
        except ValueError:
            wrong = next(word for word in words if not is_number(word))
            raise LlmcalcError(
                f"{name}: line {number}: {wrong!r} is not a number"
            ) from None


def read_array(value: Typed | Source, wanted: Sequence[str] = ()) -> Array:
    """Return the numbers of a VALUE as an array of any number of axes.

    Text with one number a line is one vector, else a row a line. ``wanted`` are
    names by which the array of an archive is known. Raises LlmcalcError for ragged
    rows, an archive that does not say which array, and what holds no numbers.
    """
    import numpy as np

    if isinstance(value, Typed):
        return Array(value.name, np.array(value.numbers), index_place)
    with value.open() as stream:
        kind = kind_of(stream.peek(4096))
        if kind in ("json", "text") and value.part is not None:
            raise LlmcalcError(f"{value.name}: one array, it has no {value.part!r}")
        if kind == "json":
            return json_array(list(records(stream, value.name)), value.name)
        if kind == "text":
            return text_array(text_lines(stream, value.name), value.name)
    from llmcalc.inputs.arrays import read_one_array

    return Array(value.name, read_one_array(value, kind, wanted), index_place)


def index_place(index: Sequence[int]) -> str:
    """Return the words for a place in an array, 0-based.

    >>> index_place([3]), index_place([1, 3])
    ('index 3', 'row 1, index 3')
    """
    *rows, last = index
    row = f"row {','.join(map(str, rows))}, " if rows else ""
    return f"{row}index {last}"


def text_array(lines: Iterator[str], name: str) -> Array:
    """Return the numbers of text lines as one array; see ``read_array``."""
    import numpy as np

    rows = list(number_lines(lines, name))
    if not rows:
        raise LlmcalcError(f"{name}: holds no numbers")
    if all(len(row.numbers) == 1 for row in rows):
        place = _line_places([row.line for row in rows])
        return Array(name, np.array([row.numbers[0] for row in rows]), place)
    width = len(rows[0].numbers)
    for row in rows:
        if len(row.numbers) != width:
            raise LlmcalcError(
                f"{name}: line {row.line}: has {len(row.numbers)} numbers, "
                f"line {rows[0].line} has {width}"
            )
    values = np.array([row.numbers for row in rows])
    place = _line_places([row.line for row in rows])
    return Array(name, values[0] if len(rows) == 1 else values, place)


def _line_places(lines: list[int]) -> Callable[[Sequence[int]], str]:
    def place(index: Sequence[int]) -> str:
        *_, last = index
        if len(index) == 1 and len(lines) > 1:
            return f"line {lines[last]}"
        row = index[0] if len(index) > 1 else 0
        return f"line {lines[row]}, index {last}"

    return place


def json_array(found: list[Record], name: str) -> Array:
    """Return JSON arrays of numbers as one array: a document, or a row a document."""
    values = found[0].value if len(found) == 1 else [record.value for record in found]
    import numpy as np

    try:
        array = np.array(values)
        if array.dtype.kind not in "fiub":
            # null, an object, a string or an integer beyond 64 bits is in it.
            _check(values, name, [])
            array = np.array(values, dtype=np.float64)
    except ValueError:
        _check(values, name, [])
        raise
    except OverflowError:
        raise LlmcalcError(
            f"{name}: an integer is beyond the range of a double"
        ) from None
    if array.size == 0:
        raise LlmcalcError(f"{name}: holds no numbers")
    return Array(name, np.atleast_1d(array), index_place)


def _check(value: Any, name: str, index: list[int]) -> Any:
    """Return the shape of nested lists as nested counts; ragged ones are refused."""
    if isinstance(value, list):
        shapes = [_check(item, name, [*index, i]) for i, item in enumerate(value)]
        for i, shape in enumerate(shapes):
            if shape != shapes[0]:
                here = ",".join(map(str, [*index, i]))
                raise LlmcalcError(
                    f"{name}: index {here}: {_shape_words(shape)}, "
                    f"the first has {_shape_words(shapes[0])}"
                )
        return [len(value), shapes[0]] if shapes else 0
    if isinstance(value, str) and value in _WORDS:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        place = ",".join(map(str, index)) or "0"
        if isinstance(value, dict):
            what = "an object"
        elif value is None:
            what = "null"
        else:
            what = str(value).lower() if value in (True, False) else f"{value!r:.40}"
        raise LlmcalcError(f"{name}: index {place}: {what} is not a number")
    return None


def _shape_words(shape: Any) -> str:
    return "no list" if shape is None else f"{shape[0] if shape else 0} entries"
