"""Labels are text whatever they look like; tables say which column is the logit."""

import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.labelled import Labelled, read_labelled


def read(text: str, part: str | None = None) -> Labelled | None:
    return read_labelled(text.split("\n"), part, "x.tsv")


def test_labels_keep_blanks_numbers_quotes_and_hashes() -> None:
    found = read(' the\t1\n42\t2\n"quoted"\t3\n#\t4\n# tag\t5\n\t6\na\tb\t7')
    assert found is not None
    assert found.labels == [" the", "42", '"quoted"', "#", "# tag", "", "a\tb"]
    assert found.rows == [[1, 2, 3, 4, 5, 6, 7]]
    assert found.note is None


def test_comments_and_blank_lines_are_no_tokens() -> None:
    found = read("# a comment\n\n  # with\ttabs in it\nA\t1\n\nB\t-inf\n")
    assert found is not None
    assert (found.labels, found.lines) == (["A", "B"], [4, 6])


def test_the_first_label_may_be_a_number() -> None:
    found = read("42\t5.75\nParis\t7.25")
    assert found is not None
    assert found.labels == ["42", "Paris"]


def test_numbers_parted_by_one_tab_are_labelled_and_it_is_said() -> None:
    found = read("1\t2\n3\t4")
    assert found is not None
    assert (found.labels, found.rows) == (["1", "3"], [[2, 4]])
    assert found.note is not None
    assert "label<TAB>logit" in found.note


@pytest.mark.parametrize(
    "text", ["1\n2\n3", "1 2 3", "1,2,3\n4,5,6", "1\t2\t3", "", "#"]
)
def test_plain_numbers_are_not_labelled(text: str) -> None:
    assert read(text) is None


def test_csv_quotes_are_taken_off() -> None:
    found = read('"a, b",1\n"say ""hi""",2')
    assert found is not None
    assert (found.labels, found.rows) == (["a, b", 'say "hi"'], [[1, 2]])


@pytest.mark.parametrize(
    ("text", "labels", "row"),
    [
        ("token,logit\nA,1\nB,2", ["A", "B"], [1, 2]),
        ("logit,token\n1,A\n2,B", ["A", "B"], [1, 2]),
        ("id\ttoken\tlogit\n7\tA\t1\n8\tB\t2", ["A", "B"], [1, 2]),
        ("rank,piece,Logit\n1,A,5\n2,B,6", ["A", "B"], [5, 6]),
        ("logit\n1\n2", [], [1, 2]),
    ],
)
def test_a_header_names_the_column(
    text: str, labels: list[str], row: list[float]
) -> None:
    found = read(text)
    assert found is not None
    assert (found.labels, found.rows) == (labels, [row])


def test_a_column_can_be_asked_for() -> None:
    found = read("token,before,after\nA,1,3\nB,2,4", "after")
    assert found is not None
    assert (found.labels, found.rows) == (["A", "B"], [[3, 4]])


def test_numbers_under_a_header_of_tokens_are_rows() -> None:
    found = read("yes,no,maybe\n1,2,3\n4,5,6")
    assert found is not None
    assert (found.labels, found.rows) == (
        ["yes", "no", "maybe"],
        [[1, 2, 3], [4, 5, 6]],
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A\t1\nB\tx", r"line 2: 'B\\tx' is not label<TAB>logit"),
        ("A\t1\nB 2", "line 2: 'B 2' is not label<TAB>logit"),
        ("token,logit\nA,1\nB,two", "line 3: 'two' is not a number"),
        ("token,logit\nA,1\nB", "line 3: has 1 fields"),
        ("yes,no\n1,2\n3", "line 3: has 1 fields, the header 2"),
        ("token,logit", "a header and no numbers"),
        ("token,before,after\nA,1,2", "choose with --column: token, before, after"),
    ],
)
def test_a_line_that_does_not_fit_is_named(text: str, words: str) -> None:
    with pytest.raises(LlmcalcError, match=words):
        read(text)


@pytest.mark.parametrize(
    ("text", "rows", "labels"),
    [
        (",a,b\n0,1.5,2\n1,3,4\n", [[1.5, 2], [3, 4]], ["a", "b"]),
        ("index,a,b\n1,1.5,2\n2,3,4\n", [[1.5, 2], [3, 4]], ["a", "b"]),
        (",0,1\n0,1.5,2\n", [[1.5, 2]], ["0", "1"]),
        # What does not number the rows is a token.
        (",a,b\n0,1.5,2\n5,3,4\n", [[0, 1.5, 2], [5, 3, 4]], ["", "a", "b"]),
        ("x,a,b\n0,1.5,2\n1,3,4\n", [[0, 1.5, 2], [1, 3, 4]], ["x", "a", "b"]),
    ],
)
def test_a_column_that_numbers_the_rows_is_no_token(
    text: str, rows: list[list[float]], labels: list[str]
) -> None:
    found = read_labelled(text.splitlines(), None, "x")
    assert found is not None
    assert (found.rows, found.labels) == (rows, labels)
    assert (found.note is None) == (
        len(rows[0]) == text.partition("\n")[0].count(",") + 1
    )
