"""What to say of JSON that is no log-probs, or lacks them."""

from collections.abc import Sequence

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.events import Item
from llmcalc.inputs.logprobs.families import Family, family_of, framed, known_shapes
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.requests import FAILED


def unknown(item: Item) -> LlmcalcError:
    """Return the error for JSON of a shape that is not known."""
    return LlmcalcError(
        f"{item.where.record_place()}: {_shown(item.value)} is no shape of log-probs "
        f"that is known: {known_shapes()}, or a list of numbers"
    )


def another(item: Item, family: Family) -> LlmcalcError:
    """Return the error for a record of another shape than those before it."""
    other = family_of(item.value)
    what = f"is {other.name}" if other else f"{_shown(item.value)} is none of it"
    return LlmcalcError(
        f"{item.where.record_place()}: {what}, but the file is read as {family.name}; "
        "keep one shape a file"
    )


def misshapen(item: Item, family: Family, error: Exception) -> LlmcalcError:
    """Return the error for a record that a family could not read."""
    reason = str(error)
    if isinstance(error, KeyError):
        reason = f"the field {reason} is missing"
    elif not isinstance(error, ValueError):
        reason = f"a field is not what it should be: {reason}"
    return LlmcalcError(
        f"{item.where.record_place()}: not the shape of {family.name}: {reason}"
    )


def nothing(
    seen: Sequence[Item], forced: Family | None, notes: Notes, name: str
) -> LlmcalcError:
    """Return the error for a file without a single log-prob."""
    values = [item for item in seen if not item.closes]
    failed = [line for line in notes.lines() if FAILED.partition("}")[2] in line]
    if not values and failed:
        return LlmcalcError(failed[0])
    if not values:
        return LlmcalcError(f"{name}: holds no JSON value")
    first = values[0]
    place = first.where.record_place()
    known = family_of(first.value)
    if forced is not None and known is not None:
        return LlmcalcError(f"{place}: is {known.name}, not {forced.name}")
    family = next((f for item in values if (f := framed(item.value))), None)
    if family is not None:
        return LlmcalcError(
            f"{place}: is a reply like {family.name} without log-probs; "
            f"ask the server with {family.ask}"
        )
    if forced is not None:
        return LlmcalcError(
            f"{place}: {_shown(first.value)} is not the shape of {forced.name}"
        )
    return unknown(first)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        keys = ", ".join(map(str, list(value)[:6]))
        return f"an object of {keys[:80]}" if keys else "an empty object"
    if isinstance(value, list):
        return "a list of no numbers" if value else "an empty list"
    if type(value) in (int, float):
        return "a number"
    return f"{value!r:.40}"
