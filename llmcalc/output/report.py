"""What a command hands over to be shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.output.canvas import Canvas


class Report(NamedTuple):
    """The result of a command in all the ways in which it can be written.

    ``fields`` is the JSON object, keys in the order of the contract; values are
    numbers, texts, None, lists, mappings or arrays. ``headline`` is the key that
    ``plain`` prints, unless ``plain`` gives the lines itself, for a precision.
    ``rows`` gives the table of tsv, csv and jsonl (None: one row of the fields that
    are single values).
    ``view`` gives what a person sees; it is called only for a table or a picture.
    """

    fields: Mapping[str, Any]
    headline: str
    view: "Callable[[Canvas], Iterable[RenderableType]]"
    rows: Callable[[], Iterable[Mapping[str, Any]]] | None = None
    warnings: Sequence[str] = ()
    plain: Callable[[int | None], Iterable[str]] | None = None
