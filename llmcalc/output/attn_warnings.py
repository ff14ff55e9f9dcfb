"""What a person is warned of beside the scores of an attention."""

import math

from llmcalc.core.attention import AttentionOptions, AttentionScores
from llmcalc.core.attention_scale import ModelScale

# Empty rows that a warning names one by one.
_NAMED = 5


def model_warnings(model: ModelScale | None) -> list[str]:
    """Return what a config leaves open: its family, and fields that it lacks."""
    if model is None:
        return []
    found = []
    if not model.known:
        words = f"model_type {model.model_type!r} is not a known family"
        found.append(
            f"{model.name}: {words if model.model_type else 'has no model_type'}; "
            "the scale is the default 1/sqrt(d_k)"
        )
        found += [f"{model.name}: {note}" for note in model.notes if "not app" in note]
    if model.assumed:
        taken = ", ".join(model.assumed)
        found.append(f"{model.name}: does not say all; taken from the family: {taken}")
    return found


def mask_warnings(options: AttentionOptions) -> list[str]:
    """Return a warning where numbers were taken for booleans."""
    if options.mask is None:
        return []
    from llmcalc.core.attention_masks import is_binary

    if not is_binary(options.mask):
        return []
    return [f"{options.names[3]}: 0 and 1 are read as booleans: 1 takes part"]


def empty_warnings(result: AttentionScores) -> list[str]:
    """Return a warning naming the queries that no key is left for."""
    if not result.empty_rows:
        return []
    if result.empty_rows == ((),):
        return ["no key is left: the weights and the output are 0"]
    by_query: dict[int, list[tuple[int, ...]]] = {}
    for *lead, query in result.empty_rows:
        by_query.setdefault(query, []).append(tuple(lead))
    depth = len(result.empty_rows[0]) - 1
    heads = math.prod(result.shape[:depth])
    named = [_row_words(query, where, heads) for query, where in by_query.items()]
    more = f" and {len(named) - _NAMED} more rows" if len(named) > _NAMED else ""
    return [
        f"{', '.join(named[:_NAMED])}{more}: no key is left; weights and output are 0"
    ]


def _row_words(query: int, lead: list[tuple[int, ...]], heads: int) -> str:
    if lead == [()]:
        return f"row {query}"
    if len(lead) == heads:
        return f"row {query} of every head"
    shown = " ".join(",".join(map(str, place)) for place in lead[:_NAMED])
    more = f" and {len(lead) - _NAMED} more" if len(lead) > _NAMED else ""
    return f"row {query} of head {shown}{more}"
