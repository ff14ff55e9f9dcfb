"""What a model's file holds, told before it is read."""

from collections.abc import Iterable
from pathlib import Path

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import kind_of
from llmcalc.inputs.source import Source

# Names of real tensors have some hundred letters at most.
_MAX_NAME = 1000


def check_names(names: Iterable[str], file: str) -> None:
    """Raise LlmcalcError for a tensor's name that would garble what is printed.

    >>> check_names(["lm_head.weight"], "x")
    """
    for name in names:
        if not name.isprintable() or len(name) > _MAX_NAME:
            raise LlmcalcError(f"{file}: {name!r:.80} is no name of a tensor")


def is_pipe(source: Source) -> bool:
    """Return whether a source gives its bytes once, with nothing beside it."""
    if source.path is None:
        return True
    path = Path(source.path)
    return not path.is_file() and not path.is_dir()


def first_bytes(source: Source) -> bytes:
    """Return the first bytes of a source, a pipe's left where they are."""
    with source.open() as stream:
        return stream.peek(1)


def kind_of_file(head: bytes) -> str:
    """Return what the first bytes show: as `kind_of`, and nothing or GGUF.

    >>> kind_of_file(b""), kind_of_file(b"GGUF"), kind_of_file(b'{"r": 8}')
    ('nothing', 'GGUF', 'json')
    """
    if not head:
        return "nothing"
    return "GGUF" if head.startswith(b"GGUF") else kind_of(head)
