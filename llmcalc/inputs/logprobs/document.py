"""What the log-prob reader hands over: documents of log-probs in nats.

A family's file only says where the fields are; the rest of the reader chooses the
part, takes the nulls out, checks every number and turns it into nats.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

LOGS = {"e": 1.0, "2": 0.6931471805599453, "10": 2.302585092994046}


class Where(NamedTuple):
    """Where the entries of a document stand: `place(i)` names the i-th scored one."""

    name: str  # the file as typed, or <stdin>
    line: int | None = None  # first line of the record
    record: int | None = None  # 1-based, where the file has several
    path: str = ""  # 'choices[0].logprobs.content', with the index put after it
    lines: Sequence[int] | None = None  # line of each scored entry
    nulls: Sequence[int] = ()  # indices in the file of what was skipped
    first: int = 0  # index in the file of the first entry

    def record_place(self) -> str:
        """Name the record: ``file: record 3 (line 9)``."""
        where = [f"record {self.record}"] if self.record else []
        if self.line:
            where += [f"(line {self.line})" if where else f"line {self.line}"]
        return ": ".join([self.name, " ".join(where)] if where else [self.name])

    def place(self, entry: int) -> str:
        """Name the place of a scored entry, by its index among the scored ones."""
        if self.lines is not None:
            return f"{self.name}: line {self.lines[entry]}"
        index = entry + self.first
        for null in self.nulls:
            if null > index:
                break
            index += 1
        label = f"{self.path}[{index}]" if self.path else f"entry {index}"
        return f"{self.record_place()}: {label}"


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
    logprobs: Sequence[float]  # nats; list, array('d') or float64 ndarray
    where: Where
    part: str = "output"  # prompt, output or all
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


class Notes:
    """Remarks with how often and where first; they merge in the order of the input."""

    def __init__(self) -> None:
        """Begin with no remark."""
        self._seen: dict[str, tuple[int, str, int]] = {}

    def add(self, text: str, place: str = "", count: int = 1, least: int = 1) -> None:
        """Count a remark; it is shown from `least` on, with its first place."""
        seen, first, _ = self._seen.get(text, (0, place, least))
        self._seen[text] = (seen + count, first, least)

    def merge(self, other: "Notes") -> None:
        """Take in what a later part of the input remarked."""
        for text, (count, place, least) in other._seen.items():
            self.add(text, place, count, least)

    def lines(self) -> list[str]:
        """One line a remark, in order of first sight.

        >>> notes = Notes()
        >>> notes.add("{n} of the log-probs is -inf", "a.txt: line 3")
        >>> notes.lines()
        ['a.txt: line 3: 1 of the log-probs is -inf']
        """
        return [
            (f"{place}: " if place else "") + text.replace("{n}", str(count))
            for text, (count, place, least) in self._seen.items()
            if count >= least
        ]


class Reading(NamedTuple):
    """An input that was recognised; its documents come as it is read."""

    format: str  # name of the family
    part: str  # prompt, output, all
    base: str  # e, 2, 10
    unit: str  # token, word, document
    notes: Notes  # complete only once the documents are read
    documents: Iterator[Document]
    splits: bool = False  # lines stand for themselves: byte ranges may be read apart


class Entries(NamedTuple):
    """One part of one reply as it stands in the file, nulls included."""

    values: Sequence[float | None]
    path: str  # of the list, for messages
    tokens: Sequence[str | None] | None = None
    token_ids: Sequence[int | None] | None = None
    bytes: Iterable[Sequence[int] | None] | None = None


class Reply(NamedTuple):
    """One sequence of a record: what a family's `read` yields."""

    id: str
    prompt: Entries | None = None
    output: Entries | None = None
