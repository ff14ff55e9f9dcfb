"""What core asks of a sequence of log-probs, wherever it was read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray


class KnownTotal(Protocol):
    """A sum of log-probs whose entries are not given."""

    @property
    def sum_logprob(self) -> float:
        """Nats; their mean where ``n`` is None."""

    @property
    def n(self) -> int | None:
        """Of how many entries."""


class NgramCounts(Protocol):
    """What an n-gram toolkit says of a sequence."""

    @property
    def oov(self) -> int:
        """Unknown words."""

    @property
    def sentences(self) -> int:
        """Sentence ends, which are scored."""

    @property
    def without_oov(self) -> KnownTotal | None:
        """The other words; None where unknown words are not among the entries."""


class Piece(Protocol):
    """One sequence, or the next piece of one."""

    @property
    def id(self) -> str:
        """Its name; empty where it has none."""

    @property
    def logprobs(self) -> "Sequence[float] | NDArray[Any]":
        """Nats of the scored entries."""

    @property
    def skipped(self) -> int:
        """Entries without a log-prob."""

    @property
    def nbytes(self) -> int | None:
        """Bytes of the scored text."""

    @property
    def words(self) -> int | None:
        """Words of the scored text."""

    @property
    def total(self) -> KnownTotal | None:
        """Given in place of the entries."""

    @property
    def ngram(self) -> NgramCounts | None:
        """What an n-gram toolkit says."""

    @property
    def continues(self) -> bool:
        """Whether it goes on with the piece before it."""


class Sum(NamedTuple):
    """A sum over entries that are not given."""

    sum_logprob: float
    n: int | None


class Differences(NamedTuple):
    """The differences of one sequence, or of a piece of it, as a corpus takes them."""

    id: str
    logprobs: "Sequence[float] | NDArray[Any]"
    continues: bool = False
    total: KnownTotal | None = None
    skipped: int = 0
    nbytes: int | None = None
    words: int | None = None
    ngram: None = None
