"""Ranges of a file hold whole lines, all of them, once."""

import pytest

from llmcalc.inputs.byte_ranges import line_ranges, lines_before, open_range

TEXTS = {
    "lines": b"".join(b"%d\n" % i for i in range(1000)),
    "no last line end": b"1\n22\n333",
    "one line": b"x" * 5000,
    "a long line among short ones": b"1\n" * 50 + b"x" * 5000 + b"\n" + b"2\n" * 50,
    "empty": b"",
    "only line ends": b"\n" * 100,
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 64])
def test_ranges_are_whole_lines_in_order(tmp_path, name, pieces):
    path = tmp_path / "a.txt"
    path.write_bytes(TEXTS[name])
    ranges = line_ranges(str(path), pieces)
    assert len(ranges) <= pieces
    read = []
    for where in ranges:
        with open_range(str(path), where) as stream:
            assert stream.peek(1)
            read.append(stream.read())
    assert b"".join(read) == TEXTS[name]
    assert all(piece.endswith(b"\n") for piece in read[:-1])
    counts = [lines_before(str(path), start) for start, _ in ranges]
    assert counts == [TEXTS[name][:start].count(b"\n") for start, _ in ranges]


def test_a_range_gives_no_byte_beyond_its_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"0123456789")
    with open_range(str(path), (2, 5)) as stream:
        assert stream.read(2) == b"23"
        assert stream.read(100) == b"4"
        assert stream.read() == b""
