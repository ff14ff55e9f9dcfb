"""What the log-prob reader hands over: documents of log-probs in nats.

A family's file only says where the fields are; the rest of the reader chooses the
part, takes the nulls out, checks every number and turns it into nats.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.inputs.logprobs.notes import Notes

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOGS = {"e": 1.0, "2": 0.6931471805599453, "10": 2.302585092994046}


class Stretch(NamedTuple):
    """A list of the file among several that are read as one."""

    start: int  # index of its first entry among all of them
    path: str
    first: int  # index of that entry in its list


class Where(NamedTuple):
    """Where the entries of a document stand: `place(i)` names the i-th scored one."""

    name: str  # the file as typed, or <stdin>
    line: int | None = None  # first line of the record
    record: int | None = None  # 1-based, where the file has several
    # 'choices[0].logprobs.content' or 'row 3, index ': the index is put after it.
    path: str = ""
    lines: Sequence[int] | None = None  # line of each scored entry
    nulls: Sequence[int] = ()  # indices in the file of what was skipped
    first: int = 0  # index in the file of the first entry
    later: Sequence[Stretch] = ()  # lists that follow the one of the path

    def record_place(self) -> str:
        """Name the record: ``file: record 3 (line 9)``, ``file: line 3`` of JSONL."""
        where = []
        if self.record and self.record != self.line:
            where = [f"record {self.record}"]
        if self.line:
            where += [f"(line {self.line})" if where else f"line {self.line}"]
        return ": ".join([self.name, " ".join(where)] if where else [self.name])

    def place(self, entry: int) -> str:
        """Name the place of a scored entry, by its index among the scored ones."""
        if self.lines is not None:
            return f"{self.name}: line {self.lines[entry]}"
        path, index = self.path, unskipped(entry, self.nulls)
        first = Stretch(0, path, self.first)
        begun = [one for one in (first, *self.later) if one.start <= index]
        path, index = begun[-1].path, index - begun[-1].start + begun[-1].first
        label = f"{path}[{index}]"
        if not path or path.endswith(" "):
            label = f"{path or 'index '}{index}"
        return f"{self.record_place()}: {label}"


def unskipped(entry: int, nulls: Iterable[int]) -> int:
    """Return the index in a list of the entry-th one that is not among the nulls.

    >>> unskipped(1, [0, 2])
    3
    """
    for null in nulls:
        if null > entry:
            break
        entry += 1
    return entry


class Total(NamedTuple):
    """A sum of log-probs whose entries the input does not give (so no spread)."""

    sum_logprob: float  # nats; where n is None: their mean
    n: int | None  # None: how many is unknown, the figure stands alone


class Ngram(NamedTuple):
    """What an n-gram toolkit says of unknown words and sentence ends."""

    oov: int
    sentences: int
    # KenLM scores unknown words: the rest of the entries without them.
    # SRILM leaves them out of the sum and the count: None, the rest is everything.
    without_oov: Total | None = None


class Document(NamedTuple):
    """One sequence, or the next piece of one: its scored log-probs and their origin."""

    id: str  # "" where the input does not name it
    logprobs: "Sequence[float] | NDArray[Any]"  # nats; a list, or float64
    where: Where
    part: str = "all"  # prompt, output or all
    unit: str = "token"  # token, word or document
    skipped: int = 0  # entries without a log-prob
    tokens: list[str] | None = None  # parallel to logprobs
    token_ids: list[int] | None = None  # parallel to logprobs
    nbytes: int | None = None
    words: int | None = None
    total: Total | None = None  # then logprobs is empty
    ngram: Ngram | None = None
    continues: bool = False  # a further piece of the document before it


class ReadOptions(NamedTuple):
    """What the user says of the input; every default means: see what it holds."""

    part: str = "auto"  # auto, prompt, output, all
    base: str | None = None  # e, 2, 10
    nll: bool = False  # the values are -log p
    probs: bool = False  # the values are p
    column: str | None = None
    mask: str | None = None  # array of the npz, or a file: nonzero is scored
    sentinel: str = "error"  # error, skip, inf
    input_format: str | None = None
    want_tokens: bool = False  # text and ids of the tokens are needed


class Reading(NamedTuple):
    """An input that was recognised; its documents come as it is read."""

    format: str  # name of the family
    part: str  # prompt, output, all
    base: str  # e, 2, 10
    unit: str  # token, word, document
    notes: Notes  # complete only once the documents are read
    documents: Iterator[Document]
    splits: bool = False  # lines stand for themselves: byte ranges may be read apart
    close: Callable[[], None] = lambda: None  # gives the file back


class Entries(NamedTuple):
    """One part of one sequence as it stands in the file, nulls included."""

    values: Sequence[Any]  # float, or None where there is no log-prob
    path: str  # of the list, for messages
    tokens: Iterable[str | None] | None = None
    token_ids: Iterable[int | None] | None = None
    bytes: Iterable[Sequence[int] | None] | None = None
    lines: Sequence[int] | None = None  # of each entry, where they differ
    first: int = 0  # index in the file of the first entry
    later: Sequence[Stretch] = ()  # lists that follow the one of the path


class Reply(NamedTuple):
    """One sequence, or an event of one: what the `read` of a family yields."""

    id: str = ""
    choice: int = 0
    prompt: Entries | None = None
    output: Entries | None = None
    whole: Entries | None = None  # prompt and output that cannot be told apart
    total: Total | None = None
    nbytes: int | None = None
    words: int | None = None
    unit: str = "token"
    remark: str = ""  # what makes its numbers doubtful
    event: bool = False  # of a stream: more of the same sequence may come
    replaces: bool = False  # this event repeats all that came before
    ended: bool = False  # this event is the last of its sequence
