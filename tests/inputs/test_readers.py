"""Text, CSV, JSON and arrays: what they hold, and where they are wrong."""

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.arrays import npz_names
from llmcalc.inputs.content import kind_of, text_lines
from llmcalc.inputs.delimited import delimiter_of, pick_column, read_delimited
from llmcalc.inputs.json_records import records
from llmcalc.inputs.numbers import Array, number_lines, read_array
from llmcalc.inputs.safetensors import safetensors_header
from llmcalc.inputs.source import Source


def reader(content: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]


def array_of(content: bytes, tmp_path: Path, part: str | None = None) -> Array:
    path = tmp_path / "given"
    path.write_bytes(content)
    return read_array(Source("given", str(path), part))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_every_text(encoding: str, end: str) -> None:
    content = end.join(["é -0.5", "", "東京"]).encode(encoding)
    assert list(text_lines(reader(content), "x")) == ["é -0.5", "", "東京"]


def test_a_byte_that_is_no_text_is_named_with_its_line() -> None:
    with pytest.raises(LlmcalcError, match=r"x: line 2: byte 0xe9 is not UTF-8"):
        list(text_lines(reader(b"1\n\xe9\n"), "x"))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x93NUMPY\x01", "npy"),
        (b"PK\x03\x04", "npz"),
        (b"\x80\x04\x95", "pickle"),
        (b"\xef\xbb\xbf [1]", "json"),
        ("[1]".encode("utf-16"), "json"),
        ("-1".encode("utf-16"), "text"),
        ("[1]".encode("utf-32"), "json"),
        (b"\x00\x00\xfe\xff" + "-1".encode("utf-32-be"), "text"),
        (b"# [1]\n2", "text"),
        (b"\x08\0\0\0\0\0\0\0{}      ", "safetensors"),
        (b"abc\0def", "binary"),
        (b"", "text"),
    ],
)
def test_the_content_decides_what_a_file_is(head: bytes, kind: str) -> None:
    assert kind_of(head) == kind


def test_numbers_stand_in_any_mix_of_blanks_commas_and_comments() -> None:
    lines = ["# no", " 1,2;3\t4 # five", "", "−.5"]
    found = list(number_lines(lines, "x"))
    assert found == [(2, [1, 2, 3, 4]), (4, [-0.5])]


@pytest.mark.parametrize("word", ["-0.9.1", "1_0", "abc", "٣"])
def test_what_is_no_number_is_named_with_its_line(word: str) -> None:
    with pytest.raises(LlmcalcError, match=rf"x: line 2: '{word}' is not a number"):
        list(number_lines(["1", f"2 {word}"], "x"))


def test_quoted_cells_hold_delimiters_quotes_and_line_ends() -> None:
    lines = ["token,logprob", '",",-1', '"a', 'b",-2', '"say ""hi""",-3']
    table = read_delimited(lines, ",", "x")
    assert table.header == ["token", "logprob"]
    assert [tuple(row) for row in table.rows] == [
        (2, [",", "-1"]),
        (3, ["a\nb", "-2"]),
        (5, ['say "hi"', "-3"]),
    ]


def test_an_open_quote_is_an_error_with_its_line() -> None:
    with pytest.raises(LlmcalcError, match="x: line 2: "):
        list(read_delimited(["a,b", '"c,-1'], ",", "x").rows)


@pytest.mark.parametrize(
    ("line", "mark"),
    [("a,b", ","), ("a\t1", "\t"), ("a;1", ";"), ("1, 2 3", None), ("word", None)],
)
def test_plain_numbers_are_not_a_table(line: str, mark: str | None) -> None:
    assert delimiter_of(line) == mark


def test_a_column_is_asked_for_by_naming_the_choices() -> None:
    assert pick_column(["a", "LogProb"], None, ["logprob"], "x") == 1
    assert pick_column(["a", "b"], "b", [], "x") == 1
    assert pick_column(None, "2", [], "x") == 2
    with pytest.raises(LlmcalcError, match=r"x: which column\? .*: a, b"):
        pick_column(["a", "b"], None, ["logprob"], "x")
    with pytest.raises(LlmcalcError, match=r"no column 'c'; .*: a, b"):
        pick_column(["a", "b"], "c", [], "x")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@settings(max_examples=50)
@given(
    st.lists(JSON, min_size=1, max_size=4),
    st.sampled_from(["\n", " ", "\n\n"]),
    st.booleans(),
)
def test_json_documents_come_one_by_one(
    values: list[object], between: str, pretty: bool
) -> None:
    text = between.join(json.dumps(v, indent=1 if pretty else None) for v in values)
    found = list(records(reader(text.encode()), "x"))
    # NaN is not equal to itself: compare what was written.
    assert json.dumps([r.value for r in found]) == json.dumps(values)
    assert [r.number for r in found] == list(range(1, len(values) + 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": [1, 2', "line 2: the JSON that starts on line 2 is cut off"),
        ('{"a": 1}\n{"b', "line 2: the JSON that starts on line 2 is cut off"),
        ('{"a": 1}\nno\n', "line 2: not JSON: expecting value at 'no'"),
        ('{"a":\n1,\n2}', "line 3: not JSON"),
        ("[" * 100_000, "line 1: the JSON is nested too deeply"),
    ],
)
def test_broken_json_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(LlmcalcError, match=f"x: {message}"):
        list(records(reader(text.encode()), "x"))


@given(
    hnp.arrays(
        st.sampled_from(["<f8", ">f8", "<f4", "<f2", "<i8", ">i2", "u1"]),
        hnp.array_shapes(max_dims=3, max_side=4),
    )
)
def test_arrays_read_back_whatever_the_container(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray
) -> None:
    folder = tmp_path_factory.mktemp("arrays")
    buffer = io.BytesIO()
    np.save(buffer, array)
    read = array_of(buffer.getvalue(), folder).values
    np.testing.assert_array_equal(read, array)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, first=array, second=array[:1])
    read = array_of(buffer.getvalue(), folder, "first").values
    np.testing.assert_array_equal(read, array)


def test_one_number_a_line_is_a_vector_and_rows_are_rows(tmp_path: Path) -> None:
    vector = array_of(b"# c\n1\n\n-inf\n", tmp_path)
    assert vector.values.shape == (2,)
    assert vector.place([1]) == "line 4"
    matrix = array_of(b"1 2\n# c\n3,4\n", tmp_path)
    assert matrix.values.tolist() == [[1, 2], [3, 4]]
    assert matrix.place([1, 0]) == "line 3, index 0"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 2\n3\n", "given: line 2: has 1 numbers, line 1 has 2"),
        (b"[[1, 2], [3]]", "given: index 1: 1 entries, the first has 2 entries"),
        (b"[1, null]", "given: index 1: null is not a number"),
        (b'{"a": 1}', "an object is not a number"),
        (b"[]", "holds no numbers"),
        (b"\n# nothing\n", "holds no numbers"),
        (b"\x93NUMPY\x01\x00", "damaged or cut off"),
        (b"PK\x03\x04zzzz", "damaged or cut off"),
        (b"\x80\x04K\x01.", "is a pickle"),
        (b"[true, null]", "given: index 0: true is not a number"),
        (b"a\tb\n", "line 1: 'a' is not a number"),
        (b"a\t1\n", "line 1: 'a' is not a number"),
    ],
)
def test_what_holds_no_array_is_refused(
    content: bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(LlmcalcError, match=message):
        array_of(content, tmp_path)


@pytest.mark.parametrize("content", [b"1\n2\n", b"[1, 2]", b"npy"])
def test_a_part_of_what_has_no_parts_is_refused(content: bytes, tmp_path: Path) -> None:
    if content == b"npy":
        buffer = io.BytesIO()
        np.save(buffer, np.zeros(2))
        content = buffer.getvalue()
    with pytest.raises(LlmcalcError, match="given: one array, it has no 'x'"):
        array_of(content, tmp_path, "x")


def test_words_that_strict_json_has_for_numbers_are_read(tmp_path: Path) -> None:
    content = b'[["NaN", "Infinity"], ["-Infinity", 1]]'
    found = array_of(content, tmp_path).values
    np.testing.assert_array_equal(found, [[np.nan, np.inf], [-np.inf, 1]])


def test_an_array_of_objects_is_never_unpickled(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([1, None], dtype=object), allow_pickle=True)
    with pytest.raises(LlmcalcError, match="Python objects"):
        array_of(buffer.getvalue(), tmp_path)


def test_numbers_wider_than_a_double_are_doubles(tmp_path: Path) -> None:
    wide = np.array([0.1, -2.5], np.longdouble)
    content = container("npy", np.append(wide, np.longdouble("1e4000")))
    read = array_of(content, tmp_path).values
    assert read.dtype == np.float64
    assert read[:2].tolist() == [0.1, -2.5]
    assert read[2] == np.inf or np.finfo(np.longdouble).max < 1e4000


def test_a_header_of_python_2_is_read_without_a_word(tmp_path: Path) -> None:
    content = container("npy", np.array([1.0, 2.0])).replace(b"(2,)", b"(2L,)", 1)
    assert b"(2L,), " in content
    [start, end] = content.split(b"}", 1)
    content = start + b"}" + end.replace(b" ", b"", 1)
    assert array_of(content, tmp_path).values.tolist() == [1.0, 2.0]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_that_names_an_array_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for _ in range(2):
            archive.writestr("x.npy", b"")
    for part in (None, "x"):
        with pytest.raises(LlmcalcError, match="names 'x' twice"):
            read_array(Source("twice.npz", str(path), part))


def test_several_arrays_are_named_and_asked_for(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", one=np.zeros(2), two=np.ones(2))
    source = Source("a.npz", str(tmp_path / "a.npz"))
    assert npz_names(source) == ["one", "two"]
    with pytest.raises(LlmcalcError, match="several arrays.*one, two"):
        read_array(source)
    assert read_array(source, wanted=["two"]).values.tolist() == [1, 1]
    with pytest.raises(LlmcalcError, match="no array 'three'"):
        read_array(source._replace(part="three"))


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(text) if length is None else length
    return size.to_bytes(8, "little") + text + data


def tensor(dtype: str, shape: list[int], start: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def container(kind: str, array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    if kind == "npy":
        np.save(stream, array)
    elif kind == "npz":
        np.savez(stream, before=np.zeros(9), wanted=array)
    else:
        size = array.nbytes
        wanted = tensor("F64", list(array.shape), 72, 72 + size)
        header = {"before": tensor("F64", [9], 0, 72), "wanted": wanted}
        return safetensors(header, bytes(72) + array.tobytes())
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("piped", [False, True])
def test_arrays_come_from_files_and_pipes_alike(
    kind: str, pack: Callable[[bytes], bytes], piped: bool, tmp_path: Path
) -> None:
    array = np.arange(300_000.0).reshape(3, -1)
    content, path = pack(container(kind, array)), tmp_path / "array"
    if piped:
        os.mkfifo(path)
        Thread(target=path.write_bytes, args=(content,)).start()
    else:
        path.write_bytes(content)
    read = read_array(Source("array", str(path)), wanted=["wanted"]).values
    np.testing.assert_array_equal(read, array)


def test_bfloat16_is_the_upper_half_of_a_float32(tmp_path: Path) -> None:
    numbers = np.array([[1.5, -2.0, 0.0078125]], np.float32)
    upper = (numbers.view(np.uint32) >> 16).astype("<u2").tobytes()
    content = safetensors({"v": tensor("BF16", [1, 3], 0, 6)}, upper)
    assert array_of(content, tmp_path).values.tolist() == numbers.tolist()


F32 = tensor("F32", [1], 0, 4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (safetensors({"a": F32}), "a ends at byte"),
        (safetensors({"a": F32}, length=10_000), "cut off"),
        (safetensors({"a": tensor("F32", [2], 0, 4)}, bytes(4)), "does not fill 4"),
        (safetensors({"a": tensor("F99", [1], 0, 4)}, bytes(4)), "'F99' is not known"),
        (safetensors({"a": tensor("F32", [-1], 0, 4)}, bytes(4)), "are wrong"),
        (safetensors({"a": F32, "b": F32}, bytes(4)), "overlaps"),
        (safetensors(b'{"a": {}, "a": {}}      '), "element type None"),
        (safetensors(b"{" + b'"a":[' * 50_000), "not JSON"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(LlmcalcError, match=message):
        safetensors_header(Source("x", str(path)))


def test_a_tensor_named_twice_is_refused(tmp_path: Path) -> None:
    one = json.dumps(F32)
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors(f'{{"a":{one},"a":{one}}}'.encode(), bytes(8)))
    with pytest.raises(LlmcalcError, match="names 'a' twice"):
        safetensors_header(Source("x", str(path)))
