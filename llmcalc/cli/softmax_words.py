"""What the words of `softmax`'s options stand for, and which contradict.

Start-up is a feature: nothing but math loads here.
"""

import math
from typing import NamedTuple

from llmcalc.core.filters import Filters, active, check_filters, option_name
from llmcalc.core.questions import ALL_ORDERS, Settings, Target
from llmcalc.core.softmax import check_temperature
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import parse_number

# The word of --compare that compares the first row with the second.
ROWS = "rows"


class Backwards(NamedTuple):
    """The three targets as typed; at most one is given."""

    entropy: float | None = None
    choices: float | None = None
    top1: float | None = None

    def target(self) -> Target | None:
        """Return the one that is given; LlmcalcError for two and for no number."""
        given = {k: v for k, v in self._asdict().items() if v is not None}
        if len(given) > 1:
            names = " and ".join(f"--target-{name}" for name in given)
            raise LlmcalcError(f"{names} are two questions; give one")
        for figure, value in given.items():
            if not math.isfinite(value):
                raise LlmcalcError(f"--target-{figure}: {value} is not a finite number")
            return Target(figure, value)
        return None


def parse_sweep(text: str) -> tuple[float, ...]:
    """Return the temperatures of a list, or LO:HI:N in geometric steps.

    >>> parse_sweep("0.5,1,2"), parse_sweep("0.25:4:3")
    ((0.5, 1.0, 2.0), (0.25, 1.0, 4.0))
    """
    if ":" in text:
        return _geometric(text)
    temperatures = tuple(_temperature(piece) for piece in text.split(",") if piece)
    if not temperatures:
        raise LlmcalcError("--sweep: no temperature is given; write 0.5,1,2")
    return temperatures


def _geometric(text: str) -> tuple[float, ...]:
    pieces = text.split(":")
    if len(pieces) != 3 or not pieces[2].strip().isdecimal():
        raise LlmcalcError(f"--sweep: {text!r} is not LO:HI:N, as 0.1:10:9")
    low, high, count = _temperature(pieces[0]), _temperature(pieces[1]), int(pieces[2])
    if not (0 < low < math.inf and 0 < high < math.inf and 2 <= count <= 100_000):
        raise LlmcalcError(
            f"--sweep: {text!r}: LO and HI are above 0 and finite, N from 2 to 100000"
        )
    # In decimals of what was typed, so that 0.01:100:5 holds 0.1, 1 and 10 exactly.
    from decimal import Context, Decimal

    exact = Context(prec=40)
    start = Decimal(pieces[0].strip())
    span = exact.divide(Decimal(pieces[1].strip()), start)
    steps = (exact.divide(Decimal(i), Decimal(count - 1)) for i in range(1, count - 1))
    between = (float(exact.multiply(start, exact.power(span, step))) for step in steps)
    return (low, *between, high)


def _temperature(text: str) -> float:
    try:
        value = parse_number(text)
    except ValueError as error:
        raise LlmcalcError(f"--sweep: {error}") from None
    check_temperature(value)
    return value


def parse_compare(text: str | None) -> float | None:
    """Return the temperature to compare with, None where it is a file or rows.

    >>> parse_compare("2"), parse_compare("rows")
    (2.0, None)
    """
    if text is None:
        return None
    try:
        value = parse_number(text)
    except ValueError:
        return None
    check_temperature(value)
    return value


def check_together(settings: Settings, compared: bool) -> None:
    """Raise LlmcalcError for a setting out of range and for questions that clash."""
    check_temperature(settings.temperature)
    check_filters(settings.filters)
    filters = [option_name(field) for field in active(settings.filters)]
    if settings.target is not None:
        name = f"--target-{settings.target.figure}"
        if settings.temperature != 1:
            raise LlmcalcError(f"{name} finds the temperature; leave --temperature out")
        if filters:
            raise LlmcalcError(
                f"{name} is about all the tokens; leave {', '.join(filters)} out"
            )
    questions = {
        "--sweep": bool(settings.sweep),
        "--sample": settings.draws is not None,
        "--compare": compared,
        "--target-*": settings.target is not None,
    }
    asked = [name for name, given in questions.items() if given]
    if settings.order == ALL_ORDERS and asked:
        raise LlmcalcError(f"--order all shows every engine; leave {asked[0]} out")
    if settings.sweep and len(asked) > 1:
        raise LlmcalcError(f"--sweep and {asked[-1]} are two questions; give one")


def engine_notes(order: str | None, temperature: float, filters: Filters) -> list[str]:
    """Return where the engine itself would not do what is asked (None: not asked).

    Sources: transformers' TemperatureLogitsWarper, vLLM's and SGLang's checks of
    sampling parameters.
    """
    notes = []
    if order == "hf" and temperature == 0:
        notes.append("transformers refuses T = 0; the limit is shown")
    if order == "vllm" and temperature > 2:
        notes.append(f"vllm refuses T above 2; {temperature:g} is shown all the same")
    if order == "vllm" and 0 < temperature < 0.01:
        notes.append(f"vllm raises T to 0.01; {temperature:g} is shown")
    if order == "sglang" and 0 < temperature < 1e-6:
        notes.append(f"sglang takes T below 1e-6 as 0; {temperature:g} is shown")
    if order == "sglang" and temperature == math.inf:
        notes.append("sglang refuses T = inf; the limit is shown")
    if order in ("vllm", "sglang") and filters.top_p == 0:
        notes.append(f"{order} refuses --top-p 0; the best token is kept here")
    return notes
