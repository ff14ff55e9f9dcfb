"""Values as plain text, tsv, csv and strict JSON: what was written reads back."""

import csv
import io
import json
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.output.json_text import json_pieces, json_text
from llmcalc.output.text import (
    csv_lines,
    plain_lines,
    scalar_row,
    tsv_lines,
    value_text,
)

NAMED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def strict(text: str) -> object:
    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@given(VALUES)
def test_json_is_strict_and_reads_back(value: object) -> None:
    def named(item: object) -> object:
        if isinstance(item, float) and not math.isfinite(item):
            return json_text(item, None).strip('"')
        if isinstance(item, list):
            return [named(part) for part in item]
        if isinstance(item, dict):
            return {key: named(part) for key, part in item.items()}
        return item

    assert strict(json_text(value, None)) == named(value)
    assert strict(json_text(value, None, ascii_only=True)) == named(value)


@given(st.floats())
def test_every_double_reads_back_from_every_format(number: float) -> None:
    plain = value_text(number, None)
    assert repr(float(plain)) == repr(number)
    read = strict(json_text(number, None))
    assert repr(NAMED[read] if isinstance(read, str) else read) == repr(number)
    [_, cell] = list(tsv_lines([{"x": number}], None))
    assert repr(float(cell)) == repr(number)


def test_what_is_worked_out_item_by_item_is_written_so() -> None:
    asked: list[int] = []

    def items() -> Iterator[int]:
        for item in range(3):
            asked.append(item)
            yield item

    pieces = json_pieces({"a": 1, "rows": items(), "none": iter(())}, None)
    written = ""
    while "1" not in written.partition("[")[2]:
        written += next(pieces)
    assert asked == [0, 1]
    assert strict(written + "".join(pieces)) == {"a": 1, "rows": [0, 1, 2], "none": []}


def test_integers_of_any_size_stay_whole() -> None:
    assert value_text(10**40, 3) == json_text(10**40, 3) == "1" + "0" * 40


def test_precision_is_significant_digits() -> None:
    assert value_text(1234.5678, 6) == "1234.57"
    assert json_text({"a": [1234.5678, 1e-9 / 3]}, 3) == '{"a": [1230.0, 3.33e-10]}'


def test_ascii_json_escapes_what_the_stream_lacks() -> None:
    assert json_text("東", None, ascii_only=True) == '"\\u6771"'
    assert json_text("東", None) == '"東"'


def test_a_list_is_a_line_an_item_and_a_row_is_tab_separated() -> None:
    assert list(plain_lines([0.5, 1], None)) == ["0.5", "1"]
    assert list(plain_lines([[1, 2], [3, 4]], None)) == ["1\t2", "3\t4"]
    assert list(plain_lines([[[1, 2]], [[3, 4]]], None)) == ["1\t2", "3\t4"]
    assert list(plain_lines(np.array([[1.5]]), None)) == ["1.5"]
    assert list(plain_lines([{"a": 1, "b": "x"}], None)) == ["1\tx"]
    assert list(plain_lines({"a": 1, "b": [1, 2]}, None)) == ["a\t1", "b\t1\t2"]
    assert list(plain_lines(None, None)) == [""]


# Python 3.10's own csv reader takes no NUL.
CELLS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.lists(st.tuples(CELLS, st.floats(allow_nan=False)), min_size=1))
def test_tables_read_back(rows: list[tuple[str, float]]) -> None:
    given_rows = [{"label": label, "x": x} for label, x in rows]
    text = "\n".join(csv_lines(given_rows, None)) + "\n"
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == ["label", "x"]
    # A bare carriage return or line feed inside quotes comes back as it was.
    assert [(label, float(x)) for label, x in read[1:]] == rows
    lines = list(tsv_lines(given_rows, None))
    assert all(line.count("\t") == 1 and "\n" not in line for line in lines)


@pytest.mark.parametrize("value", [[1], {"a": 1}, np.zeros(2)])
def test_a_row_of_single_values_leaves_lists_out(value: object) -> None:
    assert scalar_row({"n": 1, "many": value, "none": None}) == {"n": 1, "none": None}
