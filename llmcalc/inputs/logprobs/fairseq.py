"""fairseq-generate and fairseq-interactive: ``P-<id>`` lines, base 2.

Each hypothesis is a document; ``nbest`` above 1 gives several of one id. H- lines
hold their text (and a mean), S-, T-, D-, A-, E- and I- lines no scores.
"""

import re
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Document, Entries, Where
from llmcalc.inputs.logprobs.parts import Context, document_of
from llmcalc.inputs.logprobs.text_lines import Lines, number_at

_LINE = re.compile(r"([HP])-(\d+)\t(.*)")


def read(lines: Lines, context: Context) -> Iterator[Document]:
    """Yield the document of each P- line, with the text of the H- line before it."""
    text: list[str] = []
    seen: dict[str, int] = {}
    for number, line in lines.numbered:
        found = _LINE.match(line)
        if found is None:
            continue
        kind, name, rest = found.groups()
        if kind == "H":
            text = rest.partition("\t")[2].split()
            continue
        repeat = seen[name] = seen.get(name, -1) + 1
        where = Where(lines.name, number, path=f"P-{name}")
        scores = [number_at(word, where) for word in rest.split()]
        # The scores go on to the end of the sentence, which the text does not show.
        tokens = [*text, "</s>"]
        entries = Entries(
            values=scores,
            path=f"P-{name}",
            tokens=tokens if len(tokens) == len(scores) else None,
        )
        document = document_of(entries, where, context)
        yield document._replace(id=f"{name}/{repeat}" if repeat else name, nbytes=None)
        text = []
    if not seen:
        raise LlmcalcError(
            f"{lines.name}: has H- lines but no P- lines, which hold the scores of "
            "the tokens; run fairseq without --quiet"
        )
