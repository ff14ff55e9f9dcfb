"""Q, K and V, or scores that are given, as `attn-scale` reads them."""

from typing import TYPE_CHECKING, Any

from llmcalc.cli.attn_ask import Asked, options_of
from llmcalc.core.attention import (
    AttentionOptions,
    AttentionScores,
    Keep,
    attention_scores,
    saturation_of_scores,
)
from llmcalc.core.attention_scale import HeadWidth
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source, Typed, resolve, resolve_file
from llmcalc.output.progress import progress
from llmcalc.output.report import Report
from llmcalc.output.show import Output, is_terminal

if TYPE_CHECKING:
    from llmcalc.core.attention_scale import ModelScale

_ROLES = ("Q", "K", "V")
# Q, K, V (or None), and what messages call each.
Vectors = tuple[tuple[Any, Any, Any], tuple[str, str, str]]


def scored(widths: list[HeadWidth], asked: Asked, model: "ModelScale | None") -> Report:
    """Return the report on the vectors or the scores that are asked about.

    Raises LlmcalcError for a list of widths, and for vectors of another width or of
    other heads than the options say.
    """
    from llmcalc.output.attn_scale import attention_report

    if len(widths) > 1:
        raise LlmcalcError("--d-k is a list; scores have one width")
    d_k = widths[0].d_k if widths else None
    options, keep = options_of(asked, model), kept(asked.output, asked.head)
    with progress("attention", 1.0, asked.output.quiet) as advance:
        keep = keep._replace(advance=advance)
        if asked.scores is not None:
            result, names = _given(asked.scores, d_k, options, keep)
        else:
            result, names = _attended(asked.values, d_k, options, keep)
    said = widths[0].group if asked.widths.n_kv_heads is not None else None
    if said not in (None, result.group):
        raise LlmcalcError(
            f"{names[0]} has {result.group or 'no'} query heads a key head, the "
            f"options say {said}"
        )
    named = options._replace(names=(*names, options.names[3]))
    return attention_report(result, named, model, asked.head)


def _given(
    file: str, d_k: int | None, options: AttentionOptions, keep: Keep
) -> tuple[AttentionScores, tuple[str, str, str]]:
    if d_k is None and options.scale is None:
        raise LlmcalcError("--scores needs --d-k, --config or --scale")
    source = resolve_file(file)
    raw = _read(source, ("scores",), masked=True)
    names = source.name, "K", "V"
    named = options._replace(names=(*names, options.names[3]))
    return saturation_of_scores(raw, d_k, named, keep), names


def _attended(
    values: list[str], d_k: int | None, options: AttentionOptions, keep: Keep
) -> tuple[AttentionScores, tuple[str, str, str]]:
    (q, k, v), names = _vectors(values)
    named = options._replace(names=(*names, options.names[3]))
    result = attention_scores(q, k, v, named, keep)
    if d_k not in (None, result.d_k):
        raise LlmcalcError(
            f"{names[0]} has {result.d_k} components, the options say d_k {d_k}"
        )
    return result, names


def kept(output: Output, head: int) -> Keep:
    """Return the tables that will be written: a table on a screen needs one head."""
    name = output.format
    if name == "auto":
        name = "table" if is_terminal() else "plain"
    if output.field is not None:
        wanted = {output.field}
    elif name in ("table", "plain"):
        wanted = {"scores"} if name == "plain" else {"output"}
    else:
        wanted = {"raw", "scores", "weights", "output"}
    return Keep(
        raw="raw" in wanted,
        scores="scores" in wanted,
        weights="weights" in wanted,
        output="output" in wanted,
        head=head if name == "table" or output.save is not None else None,
    )


def _vectors(values: list[str]) -> Vectors:
    found = resolve(values or None)
    if len(found) == 1:
        return _rows_of(found[0])
    if len(found) not in (2, 3):
        raise LlmcalcError(f"{len(found)} values; attn-scale takes Q, K and perhaps V")
    given = [_numbers(value, role) for value, role in zip(found, _ROLES, strict=False)]
    return _three([*given, None], [*(value.name for value in found), "V"])


def _numbers(value: Source | Typed, role: str) -> Any:
    if isinstance(value, Typed):
        return value.numbers
    return _read(value, (role.lower(), role))


def _read(value: Source, wanted: tuple[str, ...], *, masked: bool = False) -> Any:
    """Return the array of a file; a NaN or an infinity is named by its line."""
    from llmcalc.core.attention_shapes import first_not_finite
    from llmcalc.core.attention_words import not_finite
    from llmcalc.inputs.numbers import read_array

    array = read_array(value, wanted)
    at = first_not_finite(array.values, masked=masked)
    if at is not None:
        raise not_finite(array.name, array.place(at), float(array.values[at]))
    return array.values


def _rows_of(value: Source | Typed) -> Vectors:
    """Return the two or three rows of one table: Q, K and perhaps V, a line each."""
    from llmcalc.core.attention_words import shape_words
    from llmcalc.inputs.numbers import read_array

    array = read_array(value)
    if array.values.ndim != 2 or len(array.values) not in (2, 3):
        raise LlmcalcError(
            f"{value.name}: a single value is two or three rows, Q, K and perhaps V; "
            f"this has shape {shape_words(array.values.shape)}"
        )
    names = [f"{value.name}: row {row}" for row in range(3)]
    return _three([*array.values, None], names)


def _three(given: list[Any], names: list[str]) -> Vectors:
    q, k, v, *_ = given
    return (q, k, v), (names[0], names[1], names[2])
