"""Rows of logits from typed numbers, text, JSON, arrays and replies, with places."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logits import Logits, read_logits
from llmcalc.inputs.source import resolve

INF = math.inf
REPLY = {
    "choices": [
        {
            "logprobs": {
                "content": [
                    {
                        "top_logprobs": [
                            {"token": "a", "logprob": -0.1},
                            {"token": "b", "logprob": -9999.0},
                        ]
                    },
                    {"top_logprobs": [{"token": "c", "logprob": -0.2}]},
                ]
            }
        }
    ]
}


def typed(*words: str) -> Logits:
    return read_logits(resolve(words))


def from_file(folder: Path, content: bytes, name: str = "x.bin") -> Logits:
    (folder / name).write_bytes(content)
    return read_logits(resolve([str(folder / name)]))


def plain(logits: Logits) -> list[list[float]]:
    return [[float(z) for z in row] for row in logits.rows]


def test_numbers_typed_one_by_one_are_one_row() -> None:
    found = typed("2", "-1", "-inf")
    assert (plain(found), found.shape) == ([[2, -1, -INF]], ())
    assert found.place(0, 1) == "argument 2 (-1)"


def test_one_comma_list_is_one_row() -> None:
    found = typed("2,1,-3")
    assert (plain(found), found.shape) == ([[2, 1, -3]], ())
    assert found.place(0, 2) == "argument 1 (2,1,-3): index 2"


def test_comma_lists_are_a_row_each() -> None:
    found = typed("2,1", "3,4,5")
    assert (plain(found), found.shape) == ([[2, 1], [3, 4, 5]], (2,))
    assert found.place(1, 2) == "argument 2 (3,4,5): index 2"
    assert found.place(1, None) == "argument 2 (3,4,5)"


def test_lists_and_numbers_together_are_one_row() -> None:
    found = typed("2,1", "7")
    assert (plain(found), found.shape) == ([[2, 1, 7]], ())
    assert found.place(0, 2) == "argument 2 (7)"


def test_typed_numbers_load_no_numpy_array() -> None:
    assert isinstance(typed("2", "1").rows[0], list)


@pytest.mark.parametrize(
    ("content", "rows", "shape"),
    [
        (b"1\n2\n-inf\n", [[1, 2, -INF]], ()),
        (b"1\r\n2\r\n3", [[1, 2, 3]], ()),
        (b"\xef\xbb\xbf1\n2\n", [[1, 2]], ()),
        ("1\n\N{MINUS SIGN}2\n".encode("utf-16"), [[1, -2]], ()),
        (b"# c\n\n1 # d\n2\n", [[1, 2]], ()),
        (b"1 2 3\n", [[1, 2, 3]], ()),
        (b"1, 2; 3\n4 5 6\n", [[1, 2, 3], [4, 5, 6]], (2,)),
        (b"1;2;3 # a, b\n", [[1, 2, 3]], ()),
        (b"[1, 2.5, -3]", [[1, 2.5, -3]], ()),
        (b"[[1, 2], [3, 4]]", [[1, 2], [3, 4]], (2,)),
        (b"[1, 2]\n[3, 4]\n", [[1, 2], [3, 4]], (2,)),
        (b"[[[1, 2]], [[3, -Infinity]]]", [[1, 2], [3, -INF]], (2, 1)),
        (b"yes,no\n1,2\n3,4", [[1, 2], [3, 4]], (2,)),
        (gzip.compress(b"1\n2\n"), [[1, 2]], ()),
        (b'{"n": 2, "logits": [1, "-Infinity"]}', [[1, -INF]], ()),
        (b'{"logits": [[1, 2], [3, 4]]}', [[1, 2], [3, 4]], (2,)),
    ],
)
def test_text_and_json_give_rows(
    tmp_path: Path, content: bytes, rows: list[list[float]], shape: tuple[int, ...]
) -> None:
    found = from_file(tmp_path, content)
    assert (plain(found), found.shape) == (rows, shape)


@pytest.mark.parametrize(
    ("content", "part", "row"),
    [
        (b"1\n2\n", "0", [1, 2]),
        (b"1 2\n3 4\n", "1", [2, 4]),
        (b"1,2\n3,4\n", "0", [1, 3]),
        (b"a\t1\t2\nb\t3\t4\n", "1", [1, 3]),
        (b"token,x,y\na,1,2\nb,3,4\n", "y", [2, 4]),
        (b'{"x": [1, 2], "logits": [3, 4]}', "x", [1, 2]),
        (b'[{"x": 1, "token": "a"}, {"x": 2, "token": "b"}]', "x", [1, 2]),
        (b'{"x": 1, "logit": 5}\n{"x": 2, "logit": 5}\n', "x", [1, 2]),
    ],
)
def test_a_column_or_a_key_is_one_row(
    tmp_path: Path, content: bytes, part: str, row: list[float]
) -> None:
    (tmp_path / "x.bin").write_bytes(content)
    assert plain(read_logits(resolve([f"{tmp_path / 'x.bin'}:{part}"]))) == [row]
    assert plain(read_logits(resolve([str(tmp_path / "x.bin")], part))) == [row]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"1\n2\n", "no column 'z'; choose with --column: 0 to 0"),
        (b"1 2\n3 4\n", "no column 'z'; choose with --column: 0 to 1"),
        (b"a\t1\nb\t2\n", "no column 'z'"),
        (b"token,x,y\na,1,2\n", "no column 'z'; choose with --column: token, x, y"),
        (b"[1, 2]", "one array, it has no 'z'"),
        (b'{"x": [1, 2]}', "no key 'z'; it has x"),
        (b'[{"x": 1}]', "index 0: no key 'z'"),
    ],
)
def test_a_column_or_a_key_that_is_not_there_is_named(
    tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "x.bin").write_bytes(content)
    with pytest.raises(LlmcalcError, match=words):
        read_logits(resolve([str(tmp_path / "x.bin")], "z"))


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        (b'{"logits": [1, 2], "labels": ["a", "b"]}', [["a", "b"]]),
        (b'{"logits": [[1], [2]], "tokens": [["a"], ["b"]]}', [["a"], ["b"]]),
        (b'[{"token": "a", "logit": 1}, {"token": "b", "logit": 2}]', [["a", "b"]]),
    ],
)
def test_json_names_its_tokens(
    tmp_path: Path, content: bytes, labels: list[list[str]]
) -> None:
    assert from_file(tmp_path, content).labels == labels


@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f8", "i4", "g"])
@pytest.mark.parametrize("shape", [(4,), (2, 4), (3, 2, 4)])
def test_arrays_keep_the_axes_before_the_last(
    tmp_path: Path, dtype: str, shape: tuple[int, ...]
) -> None:
    values = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    np.save(tmp_path / "x.npy", values)
    found = read_logits(resolve([str(tmp_path / "x.npy")]))
    assert found.shape == shape[:-1]
    assert found.rows.tolist() == values.astype(float).reshape(-1, 4).tolist()
    assert type(found.rows[0].tolist()[0]) in (float, int)


def test_places_of_arrays_name_every_axis(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((3, 2, 4)))
    found = read_logits(resolve([str(tmp_path / "x.npy")]))
    assert found.place(3, 1).endswith("x.npy: row 1,1, index 1")
    assert found.place(3, None).endswith("x.npy: row 1,1")


@pytest.mark.parametrize(
    ("content", "index", "words"),
    [
        (b"1\n2\nnan\n", 2, "line 3"),
        (b"# c\n1\n\nnan\n", 1, "line 4"),
        (b"a\t1\n\nb\tnan\n", 1, "line 3, 'b'"),
        (b"[1, NaN]", 1, "index 1"),
    ],
)
def test_places_of_text_name_the_line(
    tmp_path: Path, content: bytes, index: int, words: str
) -> None:
    assert from_file(tmp_path, content).place(0, index).endswith(f"x.bin: {words}")


def test_an_archive_offers_its_logits(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", ids=np.arange(2), logits=np.array([1.0, 2.0]))
    assert plain(read_logits(resolve([str(tmp_path / "x.npz")]))) == [[1, 2]]
    part = read_logits(resolve([str(tmp_path / "x.npz") + ":ids"]))
    assert plain(part) == [[0, 1]]


def test_positions_of_a_reply_are_rows_with_labels_and_mass(tmp_path: Path) -> None:
    found = from_file(tmp_path, json.dumps(REPLY).encode())
    assert (found.shape, plain(found)) == ((2,), [[-0.1, -INF], [-0.2]])
    assert found.labels == [["a", "b"], ["c"]]
    assert found.listed_mass == [math.exp(-0.1), math.exp(-0.2)]
    assert found.place(0, 1).endswith("choices[0].logprobs.content[0]: 'b'")
    assert "1 listed as a server's placeholder" in found.notes[0]


def test_one_position_is_one_row(tmp_path: Path) -> None:
    found = from_file(tmp_path, json.dumps(REPLY).encode()).pick(1)
    assert (found.shape, plain(found), found.labels) == ((), [[-0.2]], [["c"]])
    assert found.listed_mass == [math.exp(-0.2)]
    assert found.place(0, 0).endswith("content[1]: 'c'")


@pytest.mark.parametrize("row", [-1, 2])
def test_a_position_that_is_not_there_is_named(tmp_path: Path, row: int) -> None:
    found = from_file(tmp_path, json.dumps(REPLY).encode())
    with pytest.raises(LlmcalcError, match=rf"--position {row}: .* positions 0 to 1"):
        found.pick(row)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(REPLY) + "\n" + json.dumps(REPLY),
        json.dumps([REPLY, REPLY]),
        f"data: {json.dumps(REPLY)}\n\ndata: {json.dumps(REPLY)}\n\ndata: [DONE]\n",
    ],
)
def test_several_replies_are_rows_one_after_another(
    tmp_path: Path, content: str
) -> None:
    found = from_file(tmp_path, content.encode())
    assert found.shape == (4,)


def test_several_files_are_rows_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n")
    (tmp_path / "b.txt").write_text("x\t4\ny\t5\n")
    found = read_logits(resolve([str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]))
    assert (plain(found), found.shape) == ([[1, 2, 3], [4, 5]], (2,))
    assert found.labels == [["0", "1", "2"], ["x", "y"]]
    assert found.place(1, 1).endswith("b.txt: line 2, 'y'")
    assert found.place(0, None).endswith("a.txt")


def test_numbers_and_files_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n")
    with pytest.raises(LlmcalcError, match="numbers or files, not both"):
        read_logits(resolve(["3", str(tmp_path / "a.txt")]))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "holds no numbers"),
        (b"# nothing\n", "holds no numbers"),
        (b"1\n2x\n", "line 2: '2x' is not a number"),
        (b"1_0\n", "line 1: '1_0' is not a number"),
        (b"1 2\n3\n", "line 2: has 1 numbers"),
        (b"[]", "no numbers"),
        (b"[1, null]", "index 1"),
        (b'{"a": 1}', "neither numbers .* nor a reply"),
        (b'[1, {"a": 1}]', "neither numbers .* nor a reply"),
        (b'[{"token": "a", "logit": 1}, {"token": "b"}]', "neither numbers .* nor"),
        (b'{"logits": [1, 2], "labels": ["a"]}', "names of the tokens do not fit"),
        (b'{"logits": [1, null]}', "logits: index 1: null is not a number"),
        (b"[true, false]", "holds booleans, not logits"),
        (b'{"choices": ', "cut off"),
        (b"\x80\x04K\x01.", "pickle"),
    ],
)
def test_what_holds_no_logits_is_named(
    tmp_path: Path, content: bytes, words: str
) -> None:
    with pytest.raises(LlmcalcError, match=words):
        from_file(tmp_path, content)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_an_empty_array_is_named(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "x.npy", np.zeros(shape))
    with pytest.raises(LlmcalcError, match="no logits"):
        read_logits(resolve([str(tmp_path / "x.npy")]))
