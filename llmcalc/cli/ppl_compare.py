"""`ppl --compare`: read two files side by side, piece by piece."""

from collections.abc import Sequence
from contextlib import ExitStack

from llmcalc.cli.ppl_ask import Asked, listed
from llmcalc.cli.ppl_gather import Input, name_of
from llmcalc.core.comparison import Pairing
from llmcalc.core.corpus_figures import Length, corpus_figures
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.alignment import aligned
from llmcalc.inputs.logprobs.reader import open_logprobs
from llmcalc.inputs.source import Source
from llmcalc.output.ppl import Found, Recognised


def compared(
    inputs: Sequence[Input], other: Source, asked: Asked, length: Length
) -> Found:
    """Return the figures of an input and those of the second model against it.

    Raises LlmcalcError where the two do not hold the same tokens.
    """
    if len(inputs) != 1:
        raise LlmcalcError("--compare takes one file, and one to compare it with")
    one = inputs[0]
    pairing = Pairing(listed(asked.by))
    with ExitStack() as stack:
        first = open_logprobs(one, asked.options)
        stack.callback(first.close)
        second = open_logprobs(other, asked.options)
        stack.callback(second.close)
        if first.unit != second.unit:
            raise LlmcalcError(
                f"{other.name}: is scored by {second.unit}, "
                f"{name_of(one)} by {first.unit}"
            )
        sides = (name_of(one), first.documents), (other.name, second.documents)
        for a, b in aligned(*sides):
            pairing.add(a, b)
    if not pairing.a.pooled.n:
        raise LlmcalcError(f"{name_of(one)}: no token is scored")
    pairing.close(name_of(one))
    return Found(
        figures=corpus_figures(pairing.a, first.unit, length),
        recognised=Recognised(first.format, first.part, first.base),
        by=asked.by,
        comparison=pairing.figures(),
        warnings=[*first.notes.lines(), *second.notes.lines()],
    )
