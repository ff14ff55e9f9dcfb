"""What `ppl` draws: at any width, in any encoding, nothing cut, with a legend."""

import io
import math

import pytest
from rich.console import Console

from llmcalc.core.comparison import Pairing
from llmcalc.core.corpus import Corpus, DocumentFigures
from llmcalc.core.corpus_figures import corpus_figures
from llmcalc.core.pieces import Differences
from llmcalc.core.surprisal import course_of, most_surprising
from llmcalc.inputs.logprobs.document import Document, Ngram, Total, Where
from llmcalc.output.canvas import Canvas, draw
from llmcalc.output.ppl import Found, Recognised, ppl_report

KIND = Recognised("openai-chat", "output", "e")
TOKENS = ["The", " keeper", " wrote", " letters", "\n", " to", "\x07", "[bold]", ":x:"]
VALUES = [-0.01, -1.2, -3.4, -7.5, -0.5, -0.2, -12.0, -25.0, -2.0]


def document(name, values, **more):
    return Document(name, values, Where("reply.json", 3, 2, "content"), **more)


def found(*documents, **more):
    corpus = Corpus()
    for one in documents:
        corpus.add(one)
    values = [value for one in documents for value in one.logprobs]
    return Found(corpus_figures(corpus), KIND, course=course_of(values), **more)


def compared():
    pairing = Pairing()
    for name, a, b in (("x", VALUES, VALUES[::-1]), ("y", [-1.0, -2.0], [-1.1, -2.3])):
        pairing.add(Differences(name, a), Differences(name, b))
    figures = corpus_figures(pairing.a)
    return Found(figures, KIND, comparison=pairing.figures())


SPOKEN = document("chat-1", VALUES, tokens=TOKENS, nbytes=43, words=6)
SEEN = {
    "one token": found(document("", [-1.0])),
    "spoken": found(
        SPOKEN,
        worst=tuple(most_surprising(SPOKEN, 4)),
        texts=tuple(zip(TOKENS, VALUES, strict=True)),
    ),
    "documents": found(*(document(f"doc-{i}", [-1.0, -float(i)]) for i in range(30))),
    "long names": found(document("a" * 90, VALUES), document("b" * 90, VALUES)),
    "infinite": found(document("", [-1.0, -math.inf]), document("", [-900.0] * 3)),
    "ngram": found(document("", VALUES, ngram=Ngram(2, 1, Total(-9.0, 7)))),
    "files": found(SPOKEN, by="file", files=(DocumentFigures("a.txt", 3, 2.0),) * 3),
    "compared": compared(),
}


def drawn(name, width, blocks=True, **console):
    file = io.StringIO()
    screen = Console(file=file, width=width, markup=False, emoji=False, **console)
    draw(ppl_report(SEEN[name]), screen, Canvas(width, unicode=blocks))
    return file.getvalue()


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_their_width_and_are_not_cut(name, width):
    text = drawn(name, width)
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@pytest.mark.parametrize("name", SEEN)
def test_labels_and_bars_are_ascii_where_blocks_cannot_be_drawn(name):
    text = drawn(name, 80, blocks=False)
    # The rule under a header is the console's own; it knows its encoding.
    assert text.replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "").isascii()


def test_figures_stand_with_units_errors_and_what_was_read():
    text = drawn("spoken", 100)
    for piece in ("a token", "nats a token", "43 bytes", "6 words", "95 %", "+-",
                  "read as openai-chat, output, base e"):  # fmt: skip
        assert piece in text


@pytest.mark.parametrize("width", [40, 100])
def test_intervals_are_there_at_every_width(width):
    low, high = SEEN["documents"].figures.ci95
    text = drawn("documents", width)
    assert f"{low:.6g}" in text
    assert f"{high:.6g}" in text


def test_one_token_says_that_it_has_no_error():
    assert "one token: no standard error" in drawn("one token", 80)


def test_many_documents_are_counted_not_dropped_in_silence():
    text = drawn("documents", 80)
    assert "doc-19" in text
    assert "doc-20" not in text
    assert "10 more: --by document" in text


def test_tokens_have_a_legend_and_control_characters_are_escaped():
    text = drawn("spoken", 80)
    assert "bits  0-1  1-2  2-4  4-8  8-16  16+" in text
    assert "\x07" not in text
    assert "\\x07[bold]:x:" in text


def test_surprisal_shows_in_colours_and_without_them():
    coloured = drawn("spoken", 80, force_terminal=True, color_system="truecolor")
    certain, rare = (coloured[: coloured.index(piece)].rsplit("\x1b[", 1)[1]
                     for piece in ("The\x1b", "[bold]\x1b"))  # fmt: skip
    assert certain != rare
    colourless = drawn("spoken", 80, force_terminal=True, no_color=True)
    assert "\x1b[1;4m[bold]" in colourless


def test_a_comparison_names_direction_and_p_value():
    text = drawn("compared", 100)
    for piece in ("worse", "better", "ties", "p-value", "paired, by token", "ratio"):
        assert piece in text
