"""What `ppl` found, as fields, rows, lines and tables.

Start-up is a feature: the comparison and rich load only where they are shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.corpus import DocumentFigures
from llmcalc.core.perplexity import Perplexity
from llmcalc.core.surprisal import Course, SurprisingToken
from llmcalc.output.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.core.comparison import Comparison
    from llmcalc.output.canvas import Canvas


class Recognised(NamedTuple):
    """What the input was taken for."""

    format: str
    part: str
    base: str


class Found(NamedTuple):
    """The result of `ppl` and what was kept to be looked at."""

    figures: Perplexity
    recognised: Recognised
    by: str | None = None  # document, file, none
    files: tuple[DocumentFigures, ...] = ()
    comparison: "Comparison | None" = None
    course: Course = Course()
    worst: tuple[SurprisingToken, ...] = ()
    texts: tuple[tuple[str, float], ...] = ()
    warnings: Sequence[str] = ()


def ppl_report(found: Found) -> Report:
    """Return the report of a perplexity: the contract's keys, what exists of them."""
    return Report(
        fields=_fields(found),
        headline="ppl",
        view=lambda canvas: _view(canvas, found),
        rows=_rows(found),
        warnings=found.warnings,
    )


def _view(canvas: "Canvas", found: Found) -> "Iterable[RenderableType]":
    from llmcalc.output.ppl_view import ppl_view

    return ppl_view(canvas, found)


def _fields(found: Found) -> dict[str, Any]:
    fields = _plain(found.figures)
    if found.by in ("file", "none"):
        del fields["documents"]
    if found.by == "file":
        fields["files"] = [_plain(one) for one in found.files]
    fields |= _plain(found.recognised)
    if found.comparison is not None:
        fields |= _compared(found, found.comparison)
    if found.worst:
        fields["worst_tokens"] = [_plain(token) for token in found.worst]
    if found.texts:
        fields["tokens"] = _token_rows(found)
    return fields


def _compared(found: Found, comparison: "Comparison") -> dict[str, Any]:
    fields = _plain(comparison)
    if found.by in ("file", "none"):
        del fields["documents"]
    return fields


def _rows(found: Found) -> Callable[[], Iterable[Mapping[str, Any]]] | None:
    """Return the rows of tsv, csv and jsonl: what is asked for, else the figures."""
    if found.texts:
        return lambda: _token_rows(found)
    chosen: Sequence[Any] = ()
    if found.worst:
        chosen = found.worst
    elif found.by == "file":
        chosen = found.files
    elif found.by == "document":
        several = found.comparison.documents if found.comparison else ()
        chosen = several or found.figures.documents
    return (lambda: [one._asdict() for one in chosen]) if chosen else None


def _token_rows(found: Found) -> list[dict[str, Any]]:
    return [{"token": text, "logprob": logprob} for text, logprob in found.texts]


def _plain(result: Any) -> dict[str, Any]:
    """Return the fields of a result that exist, those inside of it too."""
    return {
        name: _value(value)
        for name, value in zip(result._fields, result, strict=True)
        if value is not None
    }


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return _plain(value)
        return [_value(item) for item in value]
    return value
