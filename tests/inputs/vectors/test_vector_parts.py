"""A part that is asked for is found or refused, never ignored; labels name places."""

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.families import FAMILIES

ROWS = np.arange(1, 19, dtype=np.float32).reshape(3, 6) / 7
LABELS = ["doc-7", "slate", "Zürich"]
PARTED = {family.name: family.parted for family in FAMILIES}


def message_of(read, *args, **options):
    with pytest.raises(LlmcalcError) as caught:
        read(*args, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_part_that_is_not_there_is_refused(writer, read):
    content = writer.write(ROWS, LABELS)
    for options in ({"part": "nothing"}, {"key": "nothing"}, {"column": "nothing"}):
        message = message_of(
            read, content, writer.filename, dtype=writer.dtype, **options
        )
        assert message.startswith(writer.filename)
        assert "nothing" in message


def test_files_without_parts_share_a_key_with_files_that_have_some(writer, read):
    if PARTED[writer.family]:
        return
    content = writer.write(ROWS, LABELS)
    options = {"dtype": writer.dtype, "several": True}
    found = read(content, writer.filename, key="corpus", **options)
    np.testing.assert_array_equal(found.rows[:1], ROWS[:1])
    message = message_of(
        read, content, writer.filename, "other", key="corpus", **options
    )
    assert "'other'" in message


def test_titles_are_phrases():
    titles = [family.title for family in FAMILIES]
    assert len(set(titles)) == len(titles)
    assert all(len(title.split()) > 1 for title in titles)


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("glove.txt", "the 0.5 1\n{label} {row}\nof 1 2\n"),
        ("w2v.txt", "3 2\nthe 0.5 1\n{label} {row}\nof 1 2\n"),
        ("table.csv", "name,x0,x1\nthe,0.5,1\n{label},{cells}\nof,1,2\n"),
        ("cells.csv", 'text,vector\nthe,"[0.5,1]"\n{label},"[{cells}]"\nof,"[1,2]"\n'),
        (
            "records.jsonl",
            '{{"id":"the","vector":[1,2]}}\n{{"id":"{label}","vector":[{cells}]}}\n'
            '{{"id":"of","vector":[1,2]}}\n',
        ),
        (
            "chroma.json",
            '{{"ids":["the","{label}","of"],"embeddings":[[1,2],[{cells}],[1,3]]}}',
        ),
    ],
)
@pytest.mark.parametrize("row", ["1 NaN", "1 2 3"])
def test_what_is_wrong_is_named_by_its_label_too(read, filename, content, row):
    filled = content.format(label="zed", row=row, cells=row.replace(" ", ","))
    if row == "1 2 3" and filename in ("table.csv", "glove.txt", "w2v.txt"):
        return  # other fields there: a word of two, or the line as a whole
    assert "(label 'zed')" in message_of(read, filled, filename)


def test_the_place_of_a_row_holds_its_label(read):
    found = read("the 0.5 1\nof 0 0\n", "glove.txt")
    assert found.where(1) == "glove.txt: line 2 (label 'of')"
    long = "a slate roof over wet clay, and red bricks beside a river"
    found = read(f'"{long}",0.5,1\n"b",0,0\n', "t.csv")
    assert found.where(0) == f"t.csv: line 1 (label '{long[:37]}...')"
    assert read("0.5 1\n0 0\n").where(1) == "a.txt: line 2"


@pytest.mark.parametrize("dtype", ["int8", "uint8", "binary", "ubinary", "bfloat16"])
@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "3.5e38", "1e300", "1.5"])
def test_numbers_that_a_type_cannot_hold_are_refused(read, dtype, number):
    if (dtype, number) == ("bfloat16", "1.5"):
        return
    for content, name in (
        (f"[[1,2],[3,{number}]]", "a.json"),
        (f"1 2\n3 {number}\n", "a.txt"),
    ):
        message = message_of(read, content, name, dtype=dtype)
        assert "component 1" in message
        assert "index 1" in message or "line 2" in message


def test_not_a_number_of_a_narrow_float_is_refused(read):
    message = message_of(
        read, '{"embeddings":{"uint8":[[1,2],[127,3]]}}', "a.json", dtype="float8_e4m3"
    )
    assert "component 0 is nan" in message


def test_a_first_column_that_is_left_out_is_the_label(read):
    assert read("7 1 2\n8 3 4\n", column="1-").labels == [7, 8]
    assert read("7.5 1 2\n8 3 4\n", column="1-").labels == ["7.5", 8]
    for content in ('"x"\n', "7\n", "\x0b\n"):
        message_of(read, content, column="1-")


def test_line_breaks_in_names_of_columns_break_no_message(read):
    for options in ({}, {"column": "q"}):
        message = message_of(read, '"a\nb",c\nx,y\n', "t.csv", **options)
        assert "a b, c" in message
