"""Every number of a log-prob file passes here: nulls out, faults named, nats.

The quick way is a handful of passes at C speed over a list; only where one of them
sees something are the entries looked at one by one.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from llmcalc.core.perplexity import ROUNDING
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import LOGS, ReadOptions, unskipped
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.source import parse_number

# OpenAI, vLLM and those that copy them: not among the top tokens, or probability 0.
NOT_IN_TOP = -9999.0
# No model gives e^-1e29: llama-server writes the float minimum -3.4e38 for
# probability 0, Gemini -2^100 for what a schema ruled out.
IMPOSSIBLE = -1e29
# A clip of some servers and the ignore label of PyTorch.
CLIP = -100.0
INFINITE = "{n} of the log-probs -inf (probability 0): the perplexity is infinite"
CLIPPED = (
    "{n} of the log-probs exactly -100, which is a server's clip or an ignore label "
    "more often than a probability"
)

Place = Callable[[int], str]


class Scale(NamedTuple):
    """How the numbers of a file become nats, and what a sentinel means."""

    base: str = "e"
    nll: bool = False
    probs: bool = False
    sentinel: str = "error"


class Checked(NamedTuple):
    """Log-probs in nats, and the indices of the entries that are none."""

    logprobs: Sequence[float]
    dropped: list[int]


def scale_of(options: ReadOptions, base: str) -> Scale:
    """Return the scale that the options and the base of a format give."""
    if options.probs:
        base = "e"
    return Scale(options.base or base, options.nll, options.probs, options.sentinel)


def checked(values: Sequence[Any], scale: Scale, place: Place, notes: Notes) -> Checked:
    """Return the scored entries in nats; None (null) is left out and counted.

    Raises LlmcalcError naming the place of what is no log-prob: NaN, above 1e-6, a
    sentinel (unless the scale says otherwise), or no number at all.

    >>> checked([None, -1, -0.5], Scale(), str, Notes())
    Checked(logprobs=[-1.0, -0.5], dropped=[0])
    """
    kinds = set(map(type, values))
    numbers = values
    dropped: list[int] = []
    if not kinds <= {float}:
        numbers, dropped = _floats(values, kinds, place)
    kept = _places(place, dropped) if dropped else place
    if scale.nll or scale.probs:
        turned = _logs if scale.probs else _negated
        numbers = turned(numbers, kept)
    if not numbers:
        return Checked(numbers, dropped)
    low, high = min(numbers), max(numbers)
    # A NaN makes every sum NaN, whatever min and max made of it.
    if not (low > CLIP and high <= ROUNDING) or math.isnan(sum(numbers)):
        numbers, out = _judged(numbers, scale, kept, notes)
        dropped = _joined(len(values), dropped, out) if out else dropped
    factor = LOGS[scale.base]
    if factor != 1.0:
        numbers = [value * factor for value in numbers]
    return Checked(numbers, dropped)


def is_sentinel(value: float) -> bool:
    """Return whether a value stands for "no log-prob" rather than being one.

    >>> is_sentinel(-3.4028234663852886e+38), is_sentinel(-math.inf)
    (True, False)
    """
    return value == NOT_IN_TOP or -math.inf < value < IMPOSSIBLE


def fault(value: float, scale: Scale) -> str | None:
    """Return what is wrong with a log-prob (of the base as in the file), or None."""
    if math.isnan(value):
        return "nan is not a log-prob"
    if value > ROUNDING and (scale.nll or scale.probs):
        return (
            f"{math.exp(value)!r} is above 1: not a probability"
            if scale.probs
            else f"{-value!r} is negative: not a surprisal (--nll)"
        )
    if value > ROUNDING:
        hint = "--probs for probabilities, --nll for surprisals"
        if value > 1:
            hint = "--nll for surprisals (negated log-probs)"
        return f"{value!r} is above 0: not a log-prob; {hint}"
    if is_sentinel(value) and scale.sentinel == "error":
        return (
            f"{value!r} is a server's placeholder, not a log-prob; "
            "--sentinel skip leaves it out, --sentinel inf takes probability 0"
        )
    return None


def _judged(
    numbers: Sequence[float], scale: Scale, place: Place, notes: Notes
) -> tuple[list[float], list[int]]:
    kept: list[float] = []
    dropped: list[int] = []
    for index, value in enumerate(numbers):
        if value > CLIP and value <= ROUNDING:
            kept.append(value)
            continue
        wrong = fault(value, scale)
        if wrong is not None:
            raise LlmcalcError(f"{place(index)}: {wrong}")
        if is_sentinel(value):
            notes.add(f"{{n}} of the entries a placeholder ({value!r})", place(index))
            if scale.sentinel == "skip":
                dropped.append(index)
                continue
            kept.append(-math.inf)
        else:
            kept.append(value)
        if kept[-1] == -math.inf:
            notes.add(INFINITE, place(index))
        elif value == CLIP:
            notes.add(CLIPPED, place(index), least=2)
    return kept, dropped


def _floats(
    values: Sequence[Any], kinds: set[type], place: Place
) -> tuple[list[float], list[int]]:
    numbers, dropped = [], []
    strange = not kinds <= {float, int, type(None)}
    for index, value in enumerate(values):
        if value is None:
            dropped.append(index)
            continue
        try:
            numbers.append(_word(value) if strange else float(value))
        except (ValueError, OverflowError):
            shown = f"{value!r:.40}"
            raise LlmcalcError(f"{place(index)}: {shown} is not a number") from None
    return numbers, dropped


def _word(value: Any) -> float:
    """Return a number, or one of the words that JSON lacks ("-Infinity")."""
    if isinstance(value, str):
        return parse_number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    return float(value)


def _negated(numbers: Sequence[float], place: Place) -> list[float]:
    return [-value for value in numbers]


def _logs(numbers: Sequence[float], place: Place) -> list[float]:
    for index, value in enumerate(numbers):
        if value < 0:
            raise LlmcalcError(
                f"{place(index)}: {value!r} is below 0: not a probability"
            )
    return [math.log(value) if value else -math.inf for value in numbers]


def _places(place: Place, dropped: Iterable[int]) -> Place:
    """Return places by index among the entries that were not dropped."""
    nulls = list(dropped)
    return lambda entry: place(unskipped(entry, nulls))


def _joined(n: int, dropped: list[int], out: list[int]) -> list[int]:
    """Return the indices of both rounds of dropping, in the file's own count."""
    left = sorted(set(range(n)).difference(dropped))
    return sorted([*dropped, *(left[index] for index in out)])
