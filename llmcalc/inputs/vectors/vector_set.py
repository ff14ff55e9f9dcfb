"""What a file of vectors becomes: rows, labels, and the place of each row in the file.

numpy, and the table of formats, load when a file is read: a typed pair needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from llmcalc.inputs.source import Source, Typed

Packed = Literal["binary", "ubinary"]
# Characters of a label that a message shows.
LABEL_SHOWN = 40


class VectorSet(NamedTuple):
    """Vectors as they are stored, shape (n, d), n and d at least 1.

    ``rows`` keeps the stored dtype (float16, float32, float64 or any integer) and is
    memory-mapped where the file allows it; only bfloat16 and 8-bit floats are widened,
    to float32. Decimal text is float64, or float32 where every number of it is one.
    What was decoded (text, JSON, base64), and an array up to 64 MB, holds no NaN and
    no infinity; a larger one is not read through here, so the pass that computes its
    norms has to look.

    With ``packed``, a row holds bits, eight a byte, highest bit first: dtype uint8, so
    that d counts bytes. Servers' "binary" (the byte less 128) has been brought to the
    bytes of "ubinary", and says "ubinary" here.

    ``place(i)`` is where row i stands ("line 3", "line 2, index 0", "index 5"), and
    ``where(i)`` the whole of what a message calls it; ``notes`` say what was chosen on
    the user's behalf and belong on standard error.
    """

    name: str
    rows: NDArray[Any]
    labels: Sequence[str | int] | None
    place: Callable[[int], str]
    format: str
    packed: Packed | None
    notes: list[str]

    def where(self, index: int) -> str:
        """Return what messages call row ``index``: the file and the place in it."""
        return self.name if len(self.rows) == 1 else self.where_of_many(index)

    def where_of_many(self, index: int) -> str:
        """Return the same with its place where there is one row only, too."""
        label = None if self.labels is None else self.labels[index]
        return f"{self.name}: {self.place(index)}{label_words(label, index)}"


def label_words(label: str | int | None, index: int | None = None) -> str:
    """Return the words for the label of a row; the row's index is no label.

    >>> label_words("a slate roof"), label_words(3, 3)
    (" (label 'a slate roof')", '')
    """
    if label is None or label == index:
        return ""
    short = label
    if isinstance(label, str) and len(label) > LABEL_SHOWN:
        short = label[: LABEL_SHOWN - 3] + "..."
    return f" (label {short!r})"


class VectorOptions(NamedTuple):
    """What the command line says about a file of vectors.

    ``column`` and ``key`` pick a part where the value itself names none; ``dtype`` says
    what the file leaves open (base64, hex, raw bytes, packed bits), ``float32x384``
    also how wide a raw row is; ``labels`` is a file with a label for each row. With
    ``several`` files to read, ``column`` and ``key`` are for those that have parts.
    """

    column: str | None = None
    key: str | None = None
    dtype: str | None = None
    labels: Source | None = None
    several: bool = False


def read_vectors(value: Typed | Source, options: VectorOptions) -> VectorSet:
    """Read the vectors of one value of the command line, whatever the file's format.

    Raises LlmcalcError naming the file, the place and the value that is no component.
    """
    from llmcalc.inputs.vectors.reading import read

    return read(value, options)
