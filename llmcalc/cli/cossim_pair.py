"""Two vectors -> one number; typed ones without numpy."""

from collections.abc import Sequence
from typing import Any

from llmcalc.cli.cossim_words import Asked
from llmcalc.core.similarity.pair_metric import compare
from llmcalc.errors import LlmcalcError
from llmcalc.output.cossim import pair_report
from llmcalc.output.report import Report


def typed_pair(values: Sequence[Any], asked: Asked) -> Report:
    """Return the report of two vectors typed as arguments."""
    u, v = (cut(value.numbers, value.name, asked.dims) for value in values)
    names = values[0].name, values[1].name
    result = compare(u, v, asked.metric, names)
    return pair_report(result, one_component_notes(result.dim, names))


def cut(vector: Sequence[float], name: str, dims: int | None) -> Sequence[float]:
    """Return the first ``dims`` components of a vector that has that many."""
    if dims is not None and dims > len(vector):
        raise LlmcalcError(
            f"{name} has {len(vector)} components, not the {dims} of --dims"
        )
    return vector[:dims]


def one_component_notes(dim: int, names: Sequence[str]) -> list[str]:
    """Return a note where vectors of one component may be a slip of the keyboard."""
    if dim > 1:
        return []
    return [
        f"{names[0]} is a vector of one component, and a cosine only its sign; "
        "a longer vector is one argument, such as 1,2,3"
    ]
