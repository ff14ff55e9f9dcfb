"""The vectors of the command line -> rows with names."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from llmcalc.cli.cossim_words import Asked
from llmcalc.core.similarity.nearest import same_dimension
from llmcalc.core.similarity.rows import Rows, first_components
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source, Value, resolve_file
from llmcalc.inputs.vectors.vector_set import VectorOptions, VectorSet, read_vectors
from llmcalc.output.cossim import Names


class Reading(NamedTuple):
    """The options that say how files are read, and the file to search in."""

    column: str | None
    key: str | None
    dtype: str | None
    labels: str | None
    against: str | None


class Vectors(NamedTuple):
    """Rows of one or several values; ``sizes`` says how many each value has."""

    rows: Rows
    names: Names
    sizes: list[int]
    files: list[str]
    notes: list[str]

    def part(self, place: int) -> "Vectors":
        """Return the rows of one of the values."""
        low = sum(self.sizes[:place])
        high = low + self.sizes[place]
        rows = self.rows._replace(
            stored=self.rows.stored[low:high],
            where=lambda row: self.rows.where(low + row),
        )
        labels = self.names.labels
        names = Names(labels if labels is None else labels[low:high], high - low)
        notes = self.notes if place == 0 else []
        return Vectors(rows, names, [high - low], [self.files[place]], notes)


class Given(NamedTuple):
    """The vectors of the values, and those of --against."""

    vectors: Vectors
    corpus: Vectors | None


def read_all(values: Sequence[Value], asked: Asked, reading: Reading) -> Given:
    """Return the vectors that the values and --against name.

    Raises LlmcalcError for files that don't fit together.
    """
    labels = None if reading.labels is None else resolve_file(reading.labels)
    _read_stdin_once(values, reading)
    files = sum(isinstance(value, Source) for value in values)
    several = files + (reading.against is not None) > 1
    options = VectorOptions(reading.column, reading.key, reading.dtype, several=several)
    corpus = None
    if reading.against is not None:
        file = resolve_file(reading.against)
        corpus = pooled([read_vectors(file, options._replace(labels=labels))], asked)
        labels = None
    elif labels is not None and len(values) > 1:
        raise LlmcalcError("--labels names the rows of one file, not of several")
    sets = [
        read_vectors(value, options._replace(labels=labels if place == 0 else None))
        for place, value in enumerate(values)
    ]
    return Given(pooled(sets, asked), corpus)


def _read_stdin_once(values: Sequence[Value], reading: Reading) -> None:
    asked = [reading.against == "-", reading.labels == "-"]
    asked += [isinstance(value, Source) and value.path is None for value in values]
    if sum(asked) > 1:
        raise LlmcalcError("standard input (-) can be read only once")


def pooled(sets: Sequence[VectorSet], asked: Asked) -> Vectors:
    """Return the rows of several sets as one, in the order of the sets.

    Raises LlmcalcError for sets of different dimensions, naming both.
    """
    parts = [_rows_of(one, asked) for one in sets]
    for one in parts[1:]:
        same_dimension(parts[0], one)
        if one.packed != parts[0].packed:
            raise LlmcalcError(
                f"{parts[0].where(0)} and {one.where(0)}: one has packed bits, "
                "the other numbers"
            )
    sizes = [part.n for part in parts]
    bounds = [0, *accumulate(sizes)]
    rows = parts[0]
    if len(parts) > 1:
        import numpy as np

        def where(row: int) -> str:
            place = bisect_right(bounds, row) - 1
            return parts[place].where(row - bounds[place])

        stored = np.concatenate([part.stored for part in parts])
        rows = rows._replace(stored=stored, where=where)
    names = Names(_labels(sets, bounds), rows.n)
    notes = [note for one in sets for note in one.notes]
    return Vectors(rows, names, sizes, [one.name for one in sets], notes)


def _rows_of(one: VectorSet, asked: Asked) -> Rows:
    packed = one.packed is not None
    dim = one.rows.shape[1] * (8 if packed else 1)
    rows = Rows(one.rows, dim, one.where, packed, asked.zero == "skip")
    return rows if asked.dims is None else first_components(rows, asked.dims)


def _labels(
    sets: Sequence[VectorSet], bounds: Sequence[int]
) -> Sequence[str | int] | None:
    """Return the labels of all rows; those without one have their index."""
    if len(sets) == 1:
        return sets[0].labels
    if all(one.labels is None for one in sets):
        return None
    labels: list[str | int] = []
    for one, low in zip(sets, bounds, strict=False):
        labels += one.labels or range(low, low + len(one.rows))
    return labels
