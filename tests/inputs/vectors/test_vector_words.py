"""Word vectors: the last D fields are the vector, whatever the word looks like."""

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError

NBSP = "\N{NO-BREAK SPACE}"


def refused(read, content, *words, filename="words.txt"):
    with pytest.raises(LlmcalcError) as caught:
        read(content, filename)
    message = str(caught.value)
    assert message.startswith(filename)
    for word in words:
        assert word in message, message


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("trailing", ["", " "])
@pytest.mark.parametrize(
    "odd",
    [
        ",", "-", '"', "2008", ". . .", "at name@domain.com", f"a{NBSP}b", "#", "1e5",
        "'", "nan", "inf", "[", "{", "\u2028", "0.5 0.25 0.125", "\N{MINUS SIGN}1",
        "<unk>", "\\", "\x85",
    ],
)  # fmt: skip
def test_odd_words(read, header, trailing, odd):
    words = ["the", odd, "rope"]
    text = "".join(f"{word} 0.5 -0.25 1e-3{trailing}\n" for word in words)
    if header:
        text = "3 3\n" + text
    found = read(text, "odd.txt")
    assert found.labels == words
    assert found.format == ("word2vec" if header else "glove")
    assert found.rows.tolist() == [[0.5, -0.25, 1e-3]] * 3
    assert [found.place(i) for i in range(3)] == [
        f"line {i + 1 + header}" for i in range(3)
    ]


def test_an_empty_word_and_lined_up_columns(read):
    assert read("the 0.5 0.25\n 0.1 0.2\n").labels == ["the", ""]
    found = read("cat    0.5   0.25\nlonger 0.125 1\n")
    assert (found.labels, found.rows.tolist()) == (
        ["cat", "longer"],
        [[0.5, 0.25], [0.125, 1]],
    )


def test_a_word_that_was_cut_inside_a_letter(read):
    body = b"2 2\n\xc3\xa4 0.5 0.25\n\xc3 0.5 0.5\n"
    assert read(body).labels == ["ä", "\N{REPLACEMENT CHARACTER}"]
    vectors = np.array([[0.5, 2.0], [1.0, 4.0]], "<f4")
    first, second = (vector.tobytes() for vector in vectors)
    found = read(b"2 2\n\xc3\xa4 " + first + b"\n\xc3 " + second, "cut.bin")
    assert found.labels == ["ä", "\N{REPLACEMENT CHARACTER}"]
    np.testing.assert_array_equal(found.rows, vectors)


def test_numbers_that_are_no_json_numbers(read):
    found = read("the .5 +1 1.\nof -.5 01 1E3\n")
    assert found.rows.tolist() == [[0.5, 1.0, 1.0], [-0.5, 1.0, 1000.0]]


def test_a_vector_whose_bytes_are_newlines_and_blanks(read):
    rows = np.frombuffer(b"\n \n  \n\n " * 2, "<f4").reshape(2, 2)
    for end in (b"\n", b""):
        content = b"2 2\n" + b"".join(
            word + b" " + row.tobytes() + end
            for word, row in zip([b"a", b"b"], rows, strict=True)
        )
        found = read(content, "bytes.bin")
        assert found.labels == ["a", "b"]
        np.testing.assert_array_equal(found.rows, rows)


def test_a_header_that_promises_more(read):
    refused(read, "4 2\nthe 0.5 0.25\nof 1 2\n", "promises 4", "holds 2")
    refused(read, "1 2\nthe 0.5 0.25\nof 1 2\n", "promises 1", "holds 2")
    row = np.array([0.5, 1.0], "<f4").tobytes()
    refused(read, b"9 2\nthe " + row, "promises 9", filename="w.bin")
    cut = b"2 2\nthe " + row + b"of " + row[:-2]
    refused(read, cut, "promises 2", filename="w.bin")
    content = b"99999999999 300\nthe " + row * 150
    refused(read, content, "99999999999", filename="w.bin")


def test_broken_lines(read):
    refused(read, "the 0.5 0.25\nof 0.5 x\nin 1 2\n", "line 2", "'x'")
    later = "the 0.5 0.25 1\n" * 300 + "of 0.5 x 1\n"
    refused(read, later, "line 301", "'x'")
    refused(read, "the 0.5 0.25 1\n" * 300 + "of 0.5\n", "line 301", "1")
    refused(read, "the 0.5 0.25 1\n" * 300 + "of 0.5 nan 1\n", "line 301", "nan")


def test_rows_of_two_numbers_are_no_header(read):
    found = read("3 2\n1 2\n5 6\n7 8\n")
    assert (found.format, found.rows.shape) == ("numbers", (4, 2))
    found = read("2 1\n1 7\n5 6\n")
    assert (found.format, found.rows.shape) == ("numbers", (3, 2))
