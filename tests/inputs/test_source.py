"""A VALUE becomes numbers or a named stream, compressed or not, whole or damaged."""

import bz2
import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import (
    Source,
    Typed,
    parse_number,
    resolve,
    resolve_file,
)

TEXT = b"-0.5\n-1.25\n"


@given(st.floats())
def test_a_number_printed_reads_back_to_the_same_double(number: float) -> None:
    read = parse_number(repr(number))
    assert repr(read) == repr(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("-.7", -0.7),
        ("−1e-3", -0.001),
        ("5.", 5.0),
        ("+2", 2.0),
        (" -inf", -float("inf")),
    ],
)
def test_numbers_as_people_type_them(text: str, number: float) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    "text", ["1_000", "٣", "0x10", "1e", "", "--1", "1.2.3", "infinit", "1 2"]
)
def test_what_python_or_nobody_calls_a_number_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        parse_number(text)


def test_a_number_comes_before_a_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("5").write_text("1")
    assert resolve(["5"]) == [Typed("5", [5.0], 1)]
    assert resolve(["./5"]) == [Source("./5", "./5")]


def test_a_part_of_a_file_is_named_behind_a_colon(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.touch()
    [source] = resolve([f"{path}:key"])
    assert source == Source(str(path), str(path), "key")
    with pytest.raises(LlmcalcError, match="'key'.*'other'"):
        resolve([f"{path}:key"], part="other")


def test_a_glob_that_the_shell_left_alone_is_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).touch()
    found = resolve([f"{tmp_path}/*.txt"])
    assert [Path(value.name).name for value in found] == ["a.txt", "b.txt"]
    with pytest.raises(LlmcalcError, match="no file matches"):
        resolve([f"{tmp_path}/*.csv"])
    with pytest.raises(LlmcalcError, match=r"'\[1' is not a number, and no file"):
        resolve(["[1,2]"])


def test_a_word_that_is_nothing_is_refused_with_both_readings() -> None:
    with pytest.raises(LlmcalcError, match=r"'abc' is not a number and no file"):
        resolve(["abc"])
    with pytest.raises(
        LlmcalcError, match=r"'x' is not a number.*no file of that name"
    ):
        resolve(["1,x,3"])


@pytest.mark.parametrize("text", ["", " ", "\t"])
def test_an_empty_argument_is_called_so(text: str) -> None:
    with pytest.raises(LlmcalcError, match="argument 2 is empty"):
        resolve(["1", text])


@pytest.mark.parametrize("text", ["1,", ",1", "1,,2", "1, ,2", ","])
def test_an_empty_place_in_a_list_is_no_number(text: str) -> None:
    with pytest.raises(LlmcalcError, match="an entry is empty"):
        resolve([text])


@pytest.mark.parametrize("prefix", ["", "1,", "name:", "1,2:"])
def test_a_word_too_long_for_a_file_name_is_no_file(prefix: str) -> None:
    with pytest.raises(LlmcalcError, match="is not a number") as caught:
        resolve([prefix + 5000 * "x"])
    assert len(str(caught.value)) < 200
    with pytest.raises(LlmcalcError, match="no such file"):
        resolve_file(prefix + 5000 * "x")


@pytest.mark.parametrize("text", [":x", "no:x", "x:", ":"])
def test_a_part_needs_a_file_and_a_name(text: str) -> None:
    with pytest.raises(LlmcalcError, match="no file of that name"):
        resolve([text])


@pytest.mark.parametrize("name", [" scores", "a b.txt", "x "])
def test_a_file_name_may_hold_blanks(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    text = f"{tmp_path}/{name}"
    assert resolve([text]) == [Source(text, text)]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a Linux file")
def test_a_file_that_cannot_be_read_is_named() -> None:
    unreadable = Source("mem", "/proc/self/mem")
    for read in (unreadable.open, unreadable.plain_path):
        with pytest.raises(OSError, match="/proc/self/mem"):
            read()


def test_standard_input_can_be_named_once() -> None:
    with pytest.raises(LlmcalcError, match="only once"):
        resolve(["-", "-"])


def test_nothing_given_on_a_terminal_or_without_a_stdin_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(LlmcalcError, match="<stdin>: is closed"):
        resolve_file("-").open()
    with pytest.raises(LlmcalcError, match="no input"):
        resolve([])


def test_a_file_that_an_option_names_must_be_there() -> None:
    with pytest.raises(LlmcalcError, match=r"0\.5: no such file"):
        resolve_file("0.5")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_what_is_packed_is_opened_on_the_way(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "scores"
    path.write_bytes(pack(TEXT))  # type: ignore[operator]
    with Source("scores", str(path)).open() as stream:
        assert stream.peek(100) == TEXT
        assert stream.read() == TEXT
    plain = Source("scores", str(path)).plain_path()
    assert plain == (str(path) if pack is bytes else None)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_archive_is_one_clear_error(
    tmp_path: Path, pack: object, damage: str
) -> None:
    packed = bytearray(pack(os.urandom(4096)))  # type: ignore[operator]
    if damage == "cut":
        del packed[-40:]
    else:
        packed[len(packed) // 2] ^= 0xFF
    path = tmp_path / "scores"
    path.write_bytes(packed)
    with (
        pytest.raises(LlmcalcError, match="scores: .*(damaged|end early)"),
        Source("scores", str(path)).open() as stream,
    ):
        stream.read()


def test_a_pipe_that_writes_byte_by_byte_is_recognised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Drip(io.RawIOBase):
        left = gzip.compress(TEXT)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            piece, Drip.left = Drip.left[:1], Drip.left[1:]
            buffer[: len(piece)] = piece
            return len(piece)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Drip())))
    with Source("<stdin>", None).open() as stream:
        assert stream.read() == TEXT


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(LlmcalcError, match="is a folder"):
        Source("here", str(tmp_path)).open()
