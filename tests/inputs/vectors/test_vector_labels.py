"""``--labels``: a label a line, a column of a table, JSON."""

import json

import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.labels import read_labels


@pytest.fixture
def labels(tmp_path):
    def reading(content, count, filename="labels.txt", part=None):
        path = tmp_path / filename
        path.write_text(content, encoding="utf-8")
        return read_labels(Source(filename, str(path), part), count)

    return reading


def test_a_label_a_line_is_taken_as_it_is(labels):
    content = 'A little, "quoted".\n\n[note] x\n  東京 \n'
    assert labels(content, 4) == ['A little, "quoted".', "", "[note] x", "  東京 "]
    assert labels("a\r\nb\r\n", 2) == ["a", "b"]


def test_a_line_more_than_rows_is_the_name_above(labels):
    assert labels("word\na\nb\n", 2) == ["a", "b"]


def test_a_table_has_its_known_column_or_the_first(labels):
    content = "word\tcount\nthe\t5\nof\t3\n"
    assert labels(content, 2, "metadata.tsv") == ["the", "of"]
    assert labels("n\ttitle\n1\tx\n2\ty\n", 2) == ["x", "y"]
    assert labels("n\ttitle\n1\tx\n2\ty\n", 2, part="n") == ["1", "2"]
    assert labels("p\tq\nr\ts\n", 2) == ["p", "r"]
    assert labels('id,text\n1,"a, b"\n2,c\n', 2, "l.csv", "text") == ["a, b", "c"]


def test_json_labels(labels):
    assert labels(json.dumps(["a", 7]), 2) == ["a", 7]
    assert labels('{"id": "x"}\n{"id": "y"}\n', 2) == ["x", "y"]
    assert labels('[\n "a",\n "b"\n]', 2) == ["a", "b"]


@pytest.mark.parametrize("content", ["a\n", "a\nb\nc\nd\n", '["a"]'])
def test_another_number_of_labels_is_refused(labels, content):
    with pytest.raises(LlmcalcError, match=r"labels.txt: \d labels for 2 vectors"):
        labels(content, 2)


def test_labels_name_the_rows_that_are_read(read, tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("one\ntwo\n")
    found = read("0.5 1\n2 3\n", labels=Source("names.txt", str(path)))
    assert found.labels == ["one", "two"]
