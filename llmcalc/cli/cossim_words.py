"""What is asked of `cossim`: its question, and options that contradict each other."""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from llmcalc.core.similarity.pair_metric import MetricName
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Typed

Question = Literal["unsaid", "pairs", "matrix", "groups", "nearest"]
# How many pairs or neighbours are shown where nothing is said.
DEFAULT_K = 10
# Pairs above a threshold that are listed where no -k is given.
LISTED = 100_000
# Cosine above which rows are near-duplicates where nothing is said.
DEFAULT_THRESHOLD = 0.9


class Asked(NamedTuple):
    """The options of the command line that say what is wanted."""

    question: Question
    top_k: int | None
    threshold: float | None
    metric: MetricName
    dims: int | None
    zero: str
    output: str | None
    workers: int | None

    def check(self) -> None:
        """Raise LlmcalcError for options that do not go together."""
        if self.threshold is not None and math.isnan(self.threshold):
            raise LlmcalcError("--threshold nan: no similarity reaches it")
        if self.output is not None and self.question != "matrix":
            raise LlmcalcError("--output writes a matrix: add --matrix")
        if self.output is not None and not self.output.endswith((".npy", ".tsv")):
            raise LlmcalcError(f"{self.output}: a matrix file ends in .npy or .tsv")
        if self.question in ("matrix", "groups") and self.top_k is not None:
            raise LlmcalcError(f"-k picks pairs: leave it out with --{self.question}")
        if self.question == "groups":
            if self.threshold is None and self.metric != "cosine":
                raise LlmcalcError(
                    f"--groups with --metric {self.metric} needs a --threshold"
                )
        elif self.question == "matrix" and self.threshold is not None:
            raise LlmcalcError("--threshold picks pairs: give --pairs, not --matrix")

    def is_plain_pair(self, values: Sequence[Any]) -> bool:
        """Return whether two typed vectors are given and nothing else is asked."""
        typed = len(values) == 2 and all(isinstance(value, Typed) for value in values)
        return typed and self.question == "unsaid" and self.asks_for_one_number()

    def asks_for_one_number(self) -> bool:
        """Return whether two vectors give a number rather than a list of pairs."""
        return self.question == "unsaid" and self.top_k is self.threshold is None


def kind_of_question(
    pairs: bool, matrix: bool, groups: bool, against: bool
) -> Question:
    """Return what the flags ask for; raise LlmcalcError where they contradict.

    >>> kind_of_question(pairs=False, matrix=True, groups=False, against=True)
    'matrix'
    """
    said = [
        name
        for name, flag in (("pairs", pairs), ("matrix", matrix), ("groups", groups))
        if flag
    ]
    if len(said) > 1:
        raise LlmcalcError(f"give --{said[0]} or --{said[1]}, not both")
    if groups and against:
        raise LlmcalcError("--groups are of one set: give all files as values")
    if pairs:
        return "pairs"
    if matrix:
        return "matrix"
    if groups:
        return "groups"
    return "nearest" if against else "unsaid"
