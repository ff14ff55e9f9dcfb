"""What the word of --budget limits, exactly as it is written."""

import re

from llmcalc.cli.lora_words import MAX_DIGITS
from llmcalc.core.lora.budget import Budget
from llmcalc.errors import LlmcalcError

_AMOUNT = (
    r"(?:(file|memory):)?\s*([0-9]+)(?:\.([0-9]+))?(?:e\+?([0-9]{1,3}))?\s*([A-Za-z%]*)"
)
_PARAMETERS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_DECIMAL = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_BINARY = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def parse_budget(text: str) -> Budget:
    """Return what a budget limits, by its unit, exactly as it is written.

    10M (none, k, M, G, T): trained parameters; 1%: percent; 100MB (B, kB, MB, GB,
    TB): bytes of the adapter file; 24GiB (KiB, MiB, GiB, TiB): bytes of training
    memory. ``file:`` or ``memory:`` in front says it whatever the unit.

    >>> parse_budget("10M")
    Budget(kind='parameters', numerator=10000000, denominator=1, text='10M')
    >>> parse_budget("0.5%")[:3], parse_budget("memory:80GB")[:2]
    (('percent', 5, 10), ('memory', 80000000000))
    """
    match = re.fullmatch(_AMOUNT, text.strip())
    if match is None or len(text) > MAX_DIGITS:
        raise LlmcalcError(_unknown_budget(text))
    what, whole, fraction, exponent, unit = match.groups(default="")
    kind, factor = _unit(what, unit.lower(), text)
    digits = int(whole + fraction) * 10 ** int(exponent or 0) * factor
    return Budget(kind, digits, 10 ** len(fraction), text.strip())


def _unit(what: str, unit: str, text: str) -> tuple[str, int]:
    if what and unit in {**_DECIMAL, **_BINARY}:
        return what, {**_DECIMAL, **_BINARY}[unit]
    if not what and unit == "%":
        return "percent", 1
    for kind, factors in (
        ("parameters", _PARAMETERS), ("file", _DECIMAL), ("memory", _BINARY)
    ):  # fmt: skip
        if not what and unit in factors:
            return kind, factors[unit]
    raise LlmcalcError(_unknown_budget(text))


def _unknown_budget(text: str) -> str:
    return (
        f"--budget: {text.strip()!r:.60} is no amount; 10M parameters, 1%, "
        "100MB of adapter file, 24GiB of memory"
    )
