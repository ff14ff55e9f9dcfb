"""Two files of log-probs of the same tokens -> pairs of equal pieces, checked."""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Document

# Whatever text two models share, one split into other tokens has no pairs.
REMEDY = "a paired comparison needs the same tokens"


class _Rest(NamedTuple):
    """What is left of a piece, from an entry on."""

    piece: Document
    start: int = 0

    @property
    def n(self) -> int:
        """How many entries are left."""
        return len(self.piece.logprobs) - self.start


class _Side:
    """One of the files: its documents in order, or by id where the orders differ."""

    def __init__(self, name: str, pieces: Iterator[Document]) -> None:
        self.name = name
        self._pieces = pieces
        self._ahead = next(pieces, None)
        self._passed: dict[str, deque[list[Document]]] = {}
        self._given: deque[Document] = deque()

    def begin(self, wanted: str = "") -> Document | None:
        """Return the first piece of the next document, or of the wanted one."""
        passed = self._passed.get(wanted)
        if passed:
            self._given = deque(passed.popleft())
            return self._given.popleft()
        while self._ahead is not None:
            ahead = self._ahead
            if not wanted or ahead.id in ("", wanted):
                self._ahead = next(self._pieces, None)
                return ahead
            self._pass()
        return None

    def more(self) -> Document | None:
        """Return the next piece of the document that was begun."""
        if self._given:
            return self._given.popleft()
        ahead = self._ahead
        if ahead is None or not ahead.continues:
            return None
        self._ahead = next(self._pieces, None)
        return ahead

    def left(self) -> Document | None:
        """Return a document that was not asked for."""
        for documents in self._passed.values():
            for document in documents:
                return document[0]
        return self._ahead

    def _pass(self) -> None:
        """Put a document by until it is asked for."""
        first = self._ahead
        assert first is not None
        self._ahead = next(self._pieces, None)
        document = [first]
        while self._ahead is not None and self._ahead.continues:
            document.append(self._ahead)
            self._ahead = next(self._pieces, None)
        self._passed.setdefault(first.id, deque()).append(document)


def aligned(
    a: tuple[str, Iterator[Document]], b: tuple[str, Iterator[Document]]
) -> Iterator[tuple[Document, Document]]:
    """Yield pieces of the same tokens under both models; the files have names.

    Documents pair by their ids where both files have ids, else in order. Raises
    LlmcalcError naming the place where the files part: a document that one lacks, a
    token of another text or id, another number of tokens.
    """
    left, right = _Side(*a), _Side(*b)
    while (first := left.begin()) is not None:
        second = right.begin(first.id)
        if second is None:
            label = f"document {first.id!r}" if first.id else "the document"
            raise LlmcalcError(
                f"{right.name}: lacks {label} of {first.where.record_place()}; {REMEDY}"
            )
        yield from _document(left, first, right, second)
    extra = right.left()
    if extra is not None:
        label = f"document {extra.id!r}" if extra.id else "such document"
        raise LlmcalcError(
            f"{extra.where.record_place()}: {left.name} has no {label}; {REMEDY}"
        )


def _document(
    left: _Side, first: Document, right: _Side, second: Document
) -> Iterator[tuple[Document, Document]]:
    a, b = _Rest(first), _Rest(second)
    if first.total is not None or second.total is not None:
        if (first.total and first.total.n) != (second.total and second.total.n):
            raise _parted(b, a, "is of another length than")
        yield first, second
        return
    while True:
        n = min(a.n, b.n)
        _check(a, b, n)
        yield _cut(a, n), _cut(b, n)
        a, b = a._replace(start=a.start + n), b._replace(start=b.start + n)
        a = _filled(left, a)
        b = _filled(right, b)
        if not a.n or not b.n:
            break
    if a.n or b.n:
        longer, shorter = (a, b) if a.n else (b, a)
        raise _parted(longer, shorter, "has no counterpart in")


def _filled(side: _Side, rest: _Rest) -> _Rest:
    while not rest.n:
        more = side.more()
        if more is None:
            return rest
        rest = _Rest(more)
    return rest


def _cut(rest: _Rest, n: int) -> Document:
    piece, stop = rest.piece, rest.start + n
    if rest.start == 0 and n == len(piece.logprobs):
        return piece
    first = rest.start == 0
    return piece._replace(
        logprobs=piece.logprobs[rest.start : stop],
        skipped=piece.skipped if first else 0,
        nbytes=piece.nbytes if first else piece.nbytes and 0,
        words=piece.words if first else piece.words and 0,
        continues=piece.continues or not first,
    )


def _check(a: _Rest, b: _Rest, n: int) -> None:
    """Require the next n entries to be the same tokens, by text or id where known."""
    for name in ("tokens", "token_ids"):
        ours, theirs = getattr(a.piece, name), getattr(b.piece, name)
        if ours is None or theirs is None:
            continue
        ours, theirs = ours[a.start : a.start + n], theirs[b.start : b.start + n]
        if ours != theirs:
            at = next(i for i in range(n) if ours[i] != theirs[i])
            place = b.piece.where.place(b.start + at)
            other = a.piece.where.place(a.start + at)
            raise LlmcalcError(
                f"{place}: token {theirs[at]!r} stands against {ours[at]!r} "
                f"({other}); {REMEDY}"
            )
        return
    gaps, others = _gaps(a.piece), _gaps(b.piece)
    if gaps and others and gaps != others:
        raise LlmcalcError(
            f"{b.piece.where.record_place()}: lacks the log-probs of other entries "
            f"than {a.piece.where.record_place()} does; {REMEDY}"
        )


def _gaps(piece: Document) -> list[int]:
    """Return before which scored entries others lack their log-probs.

    What comes before the first one says nothing: some servers write no null there.
    """
    return [n for i, null in enumerate(piece.where.nulls) if (n := null - i)]


def _parted(longer: _Rest, shorter: _Rest, problem: str) -> LlmcalcError:
    """Return the error that names where a document of one file goes on alone."""
    place = longer.piece.where.record_place()
    if longer.n:
        place = longer.piece.where.place(longer.start)
    return LlmcalcError(
        f"{place}: {problem} {shorter.piece.where.record_place()}; {REMEDY}"
    )
