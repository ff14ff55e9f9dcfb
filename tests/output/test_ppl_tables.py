"""What `ppl` draws: at any width, in any encoding, nothing cut, with a legend."""

import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from llmcalc.core.comparison import Pairing
from llmcalc.core.corpus import Corpus, DocumentFigures
from llmcalc.core.corpus_figures import corpus_figures
from llmcalc.core.pieces import Differences
from llmcalc.core.surprisal import SurprisingToken, course_of, most_surprising
from llmcalc.inputs.logprobs.document import Document, Ngram, Total, Where
from llmcalc.output.canvas import Canvas, draw
from llmcalc.output.ppl import Found, Recognised, ppl_report
from llmcalc.output.ppl_tokens import _context, _line, _place

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
    return rendered(SEEN[name], width, blocks, **console)


def rendered(seen, width, blocks=True, **console):
    file = io.StringIO()
    screen = Console(file=file, width=width, markup=False, emoji=False, **console)
    draw(ppl_report(seen), screen, Canvas(width, unicode=blocks))
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
    for piece in ("a token", "nats a token", "95 %", "+-",
                  "read as openai-chat, output, base e"):  # fmt: skip
        assert piece in text
    for name, value in (("bytes", "43"), ("words", "6"), ("tokens", "9")):
        assert re.search(rf"^ {name} +{value} *$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["spoken", "infinite", "ngram", "compared"])
def test_no_name_number_or_unit_is_folded_on_a_narrow_terminal(name):
    lines = drawn(name, 40).split("read as")[0].splitlines()
    # What is folded goes on in a line without a number.
    bare = [line for line in lines if not re.search(r"\d|inf", line)]
    assert [line.strip() for line in bare if line.strip()] in ([], ["by document"])


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
    for piece in ("worse", "better", "ties", "p-value", "two-sided", "ratio"):
        assert piece in text


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("blocks", [True, False])
def test_a_surprising_token_is_marked_where_it_stands_in_its_context(width, blocks):
    text = drawn("spoken", width, blocks)
    assert "[[bold]]" in text
    assert "[\\x07]" in text
    assert "(line 3): content[7]" in " ".join(text.split())


def place(document, where, name):
    token = SurprisingToken(-1.0, "a", "", "", document, where)
    return _place(token, name)


def test_a_place_is_short_and_the_only_file_stands_in_the_title():
    where = "a: b.json: line 3: choices[0].logprobs.content[7]"
    assert place("q1", where, "a: b.json") == "line 3: content[7] (q1)"
    assert place(None, where, None) == "a: b.json: line 3: content[7]"
    assert place("x.txt", "x.txt: line 3", "x.txt") == "line 3"
    assert place("x.npy:2", "x.npy: row 1, index 0", "x.npy") == (
        "row 1, index 0 (x.npy:2)"
    )
    seen = SEEN["spoken"]._replace(files=(DocumentFigures("reply.json", 9, 2.0),))
    assert "most surprising of reply.json" in rendered(seen, 80)
    assert "chat-1" not in rendered(seen, 80)
    two = seen._replace(figures=seen.figures._replace(n_documents=2))
    assert "(chat-1)" in rendered(two, 80)
    assert "reply.json" not in rendered(seen, 80).split("of reply.json")[1]


@given(
    st.text(max_size=30),
    st.text(max_size=12),
    st.text(max_size=30),
    st.integers(8, 60),
)
def test_a_context_takes_the_room_there_is_and_keeps_the_token(
    before, token, after, room
):
    shown = _context(Canvas(80), SurprisingToken(-1.0, token, before, after, None, ""),
                     room).plain  # fmt: skip
    marked = f"[{_line(Canvas(80), token)}]"
    assert marked in shown
    assert cell_len(shown) <= max(room, cell_len(marked))
    whole = _line(Canvas(80), before) + marked + _line(Canvas(80), after)
    assert shown in whole
    if cell_len(whole) <= room:
        assert shown == whole
