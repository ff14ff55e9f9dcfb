"""Which columns of a table hold the log-probs, the tokens and the documents."""

from collections.abc import Sequence
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import pick_column
from llmcalc.inputs.logprobs.document import ReadOptions

LOGPROBS = (
    *("logprob", "log_prob", "logprobs", "log_probs", "token_logprob"),
    *("token_logprobs", "log_probability", "logprobability", "logp", "log_p", "lp"),
    *("log_likelihood", "loglikelihood"),
)
SURPRISALS = ("surprisal", "surp", "surprisals", "surprisal_bits", "nll", "neg_logprob")
PROBS = ("prob", "probability", "probs", "p")
TOKENS = ("token", "text", "token_text", "token_str", "word", "piece", "tokens")
DOCUMENTS = (
    *("doc_id", "document_id", "document", "doc", "sentence_id", "sent_id"),
    *("sequence_id", "seq_id", "sample_id"),
)

KNOWN = {*LOGPROBS, *SURPRISALS, *PROBS}


class Columns(NamedTuple):
    """Indices of the columns that are read."""

    logprob: int
    token: int | None = None
    document: int | None = None


def columns_of(header: Sequence[str], options: ReadOptions, name: str) -> Columns:
    """Return the columns by the names that the options announce, else log-probs.

    Raises LlmcalcError where no column is known, naming the choices, and where the
    only known one holds surprisals or probabilities that no option announces.
    """
    known: tuple[str, ...] = LOGPROBS
    if options.nll:
        known = (*SURPRISALS, *LOGPROBS)
    if options.probs:
        known = (*PROBS, *LOGPROBS)
    if options.column is None:
        _announced(header, known, name)
    return Columns(
        pick_column(header, options.column, known, name),
        _named(header, TOKENS),
        _named(header, DOCUMENTS),
    )


def _announced(header: Sequence[str], known: Sequence[str], name: str) -> None:
    if _named(header, known) is not None:
        return
    for names, option in ((SURPRISALS, "--nll"), (PROBS, "--probs")):
        found = _named(header, names)
        if found is not None:
            bits = " (and --base 2 if they are bits)" if option == "--nll" else ""
            raise LlmcalcError(
                f"{name}: column {header[found]!r} holds no log-probs; say "
                f"{option}{bits}, or choose another with --column"
            )


def _named(header: Sequence[str], names: Sequence[str]) -> int | None:
    lowered = [column.lower() for column in header]
    return next((lowered.index(n) for n in names if lowered.count(n) == 1), None)
