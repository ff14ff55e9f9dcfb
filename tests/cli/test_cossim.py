"""`llmcalc cossim` as a person types it: questions, formats, refusals."""

import json
from pathlib import Path

import numpy as np
import pytest
from running import Run

RNG = np.random.default_rng(2)
ROWS = RNG.standard_normal((30, 6)).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "rows.npy", ROWS)
    np.save(tmp_path / "other.npy", ROWS[:4] + np.float32(0.1))
    np.save(tmp_path / "one.npy", ROWS[5])
    np.save(tmp_path / "twice.npy", np.concatenate([ROWS, ROWS[:3]]))
    np.save(tmp_path / "zeros.npy", np.where(np.arange(30)[:, None] == 7, 0, ROWS))
    (tmp_path / "two.txt").write_text("1 0\n1 1\n")
    (tmp_path / "names.txt").write_text("".join(f"row {i}\n" for i in range(30)))
    return tmp_path


def cosine(u, v) -> float:  # type: ignore[no-untyped-def]
    u, v = u.astype(float), v.astype(float)
    return float(u @ v / np.sqrt((u @ u) * (v @ v)))


def asked(run: Run, folder: Path, line: str):  # type: ignore[no-untyped-def]
    result = run("cossim", *line.split(), "--json", folder=folder)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_two_vectors_give_one_number(run: Run, folder: Path) -> None:
    assert run("cossim", "3,4", "4,3").stdout == "0.96\n"
    assert run("cossim", "1,0", "-1,0", "--metric", "angular").stdout == "0.0\n"
    assert run("cossim", "1,2", "3,4", "--metric", "dot").stdout == "11.0\n"
    assert run("cossim", "1,1", "4,5", "--metric", "euclidean").stdout == "5.0\n"
    assert run("cossim", "1,2,9", "2,4", "--dims", "2").exit_code == 0
    assert run("cossim", "-", stdin=b"3 4\n4 3\n").stdout == "0.96\n"
    assert run("cossim", "two.txt", "-p", "3", folder=folder).stdout == "0.707\n"
    got = asked(run, folder, "two.txt")
    assert got["similarity"] == got["pairs"][0]["similarity"] == 0.7071067811865476
    assert got["angle_deg"] == 45.0


def test_a_pair_of_huge_vectors_says_what_no_double_holds(run: Run) -> None:
    result = run("cossim", "1e200,1", "1e200,2", "--json")
    got = json.loads(result.stdout)
    assert got["similarity"] == 1.0
    assert got["dot"] == "Infinity"
    assert "dot is beyond the largest double" in result.stderr
    result = run("cossim", "1e-200,1e-200", "1e-200,0", "--json")
    assert "dot is below the smallest double" in result.stderr


def test_one_file_gives_its_best_pairs_and_its_background(
    run: Run, folder: Path
) -> None:
    got = asked(run, folder, "rows.npy -k 3 --labels names.txt")
    best = max((cosine(ROWS[i], ROWS[j]), -i, -j) for j in range(30) for i in range(j))
    top = got["pairs"][0]
    assert top["similarity"] == pytest.approx(best[0], rel=1e-15)
    assert (top["left"], top["right"]) == (f"row {-best[1]}", f"row {-best[2]}")
    assert len(got["pairs"]) == 3
    assert got["n"] == 30
    assert got["n_possible"] == 435
    assert got["summary"]["dim"] == 6
    assert got["background"]["pairs"] == sum(got["background"]["counts"]) == 435


def test_every_format_has_the_same_pairs(run: Run, folder: Path) -> None:
    wanted = asked(run, folder, "rows.npy -k 4")["pairs"]
    plain = run("cossim", "rows.npy", "-k", "4", folder=folder).stdout
    tsv = run("cossim", "rows.npy", "-k", "4", "-f", "tsv", folder=folder).stdout
    assert tsv == "left\tright\tsimilarity\n" + plain
    rows = [line.split("\t") for line in plain.splitlines()]
    assert [float(row[2]) for row in rows] == [pair["similarity"] for pair in wanted]
    lines = run("cossim", "rows.npy", "-k", "4", "-f", "jsonl", folder=folder).stdout
    assert [json.loads(line) for line in lines.splitlines()] == wanted
    short = run("cossim", "rows.npy", "-k", "1", "-p", "3", folder=folder).stdout
    assert short.split("\t")[2] == f"{wanted[0]['similarity']:.3g}\n"


def test_one_vector_and_a_file_give_its_nearest(run: Run, folder: Path) -> None:
    for line in ("one.npy rows.npy -k 2", "rows.npy one.npy -k 2"):
        got = asked(run, folder, line)
        assert got["nearest"][0][0] == {"index": 5, "label": None, "similarity": 1.0}
        assert len(got["nearest"][0]) == 2
    plain = run("cossim", "one.npy", "rows.npy", "-k", "1", folder=folder).stdout
    assert plain == "0\t5\t1.0\n"


def test_against_finds_the_nearest_of_each_row(run: Run, folder: Path) -> None:
    line = "other.npy --against rows.npy -k 1 --labels names.txt"
    got = asked(run, folder, line)
    assert [near[0]["label"] for near in got["nearest"]] == [
        f"row {i}" for i in range(4)
    ]
    assert (got["n"], got["n_queries"]) == (30, 4)
    pairs = asked(run, folder, "other.npy --against rows.npy --pairs -k 1")["pairs"]
    best = max(near[0]["similarity"] for near in got["nearest"])
    assert pairs[0]["similarity"] == best
    matrix = asked(run, folder, "other.npy --against rows.npy --matrix")["matrix"]
    assert np.shape(matrix) == (4, 30)
    assert max(map(max, matrix)) == best


def test_a_threshold_is_inclusive_and_says_how_many_reach_it(
    run: Run, folder: Path
) -> None:
    every = asked(run, folder, "rows.npy -k 435")["pairs"]
    limit = every[9]["similarity"]
    got = asked(run, folder, f"rows.npy --threshold {limit!r}")
    assert got["pairs"] == every[:10]
    assert got["n_reached"] == 10
    result = run(
        "cossim", "rows.npy", "--threshold", repr(limit), "-k", "2", folder=folder
    )
    assert len(result.stdout.splitlines()) == 2
    assert "10 pairs reach" in result.stderr
    line = f"other.npy --against rows.npy --threshold {limit!r} -k 2"
    near = asked(run, folder, line)["nearest"]
    assert all(one["similarity"] >= limit for query in near for one in query)


def test_euclidean_thresholds_are_distances(run: Run, folder: Path) -> None:
    every = asked(run, folder, "rows.npy -k 435 --metric euclidean")["pairs"]
    distances = [pair["distance"] for pair in every]
    assert distances == sorted(distances)
    line = f"rows.npy --metric euclidean --threshold {distances[6]!r}"
    assert asked(run, folder, line)["pairs"] == every[:7]


def test_groups_are_lists_of_labels(run: Run, folder: Path) -> None:
    got = asked(run, folder, "twice.npy --groups --threshold 1")
    assert got["groups"] == [[0, 30], [1, 31], [2, 32]]
    assert got["lowest"] == [1.0, 1.0, 1.0]
    plain = run(
        "cossim", "twice.npy", "--groups", "--threshold", "1", folder=folder
    ).stdout
    assert plain == "0\t30\n1\t31\n2\t32\n"
    assert asked(run, folder, "twice.npy")["summary"]["duplicates"] == 3


def test_a_matrix_goes_to_a_file(run: Run, folder: Path) -> None:
    matrix = np.array(asked(run, folder, "rows.npy --matrix")["matrix"])
    for name in ("m.npy", "m.tsv"):
        got = asked(run, folder, f"rows.npy --matrix --output {name}")
        assert got["output"] == name
        assert "matrix" not in got
    assert np.array_equal(np.load(folder / "m.npy"), matrix)
    assert np.array_equal(np.loadtxt(folder / "m.tsv"), matrix)
    assert not list(folder.glob("*.part"))


def test_several_files_of_several_rows_are_one_set_only_when_asked(
    run: Run, folder: Path
) -> None:
    result = run("cossim", "rows.npy", "other.npy", folder=folder)
    assert result.exit_code == 2
    for piece in ("rows.npy", "30", "other.npy", "4", "--against", "--pairs"):
        assert piece in result.stderr
    got = asked(run, folder, "rows.npy other.npy --pairs -k 600")
    assert got["n"] == 34
    assert len(got["pairs"]) == 34 * 33 // 2
    single = asked(run, folder, "1,0 0,1 1,1")
    assert [(p["left"], p["right"]) for p in single["pairs"]] == [
        (0, 2), (1, 2), (0, 1),
    ]  # fmt: skip


def test_zero_rows_are_refused_or_left_out_and_named(run: Run, folder: Path) -> None:
    result = run("cossim", "zeros.npy", folder=folder)
    assert result.exit_code == 2
    assert "zeros.npy: index 7" in result.stderr
    assert "--zero skip" in result.stderr
    result = run("cossim", "zeros.npy", "--zero", "skip", "--json", folder=folder)
    assert result.exit_code == 0
    assert "left out 1 zero vector: zeros.npy: index 7" in result.stderr
    got = json.loads(result.stdout)
    assert got["n_possible"] == 29 * 28 // 2
    assert got["summary"]["zero_rows"] == 1
    assert asked(run, folder, "zeros.npy --metric dot -k 1")["pairs"]


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("0,0 1,2", ["argument 1 (0,0)", "zero"]),
        ("0,0 0,0 0,0 --zero skip", ["every vector is zero"]),
        ("1,nan 1,2", ["argument 1", "component 1", "nan"]),
        ("1,2,3 1,2", ["argument 1", "3", "argument 2", "2"]),
        ("1,2,3", ["one vector"]),
        ("one.npy", ["one.npy", "one vector"]),
        ("rows.npy 1,2", ["rows.npy", "6", "argument 2", "2"]),
        ("rows.npy --dims 9", ["rows.npy", "6", "9"]),
        ("rows.npy --matrix --pairs", ["--matrix", "--pairs"]),
        ("rows.npy --groups --against other.npy", ["--groups"]),
        ("rows.npy --groups --metric dot", ["--threshold"]),
        ("rows.npy --output m.npy", ["--matrix"]),
        ("rows.npy --matrix --output m.txt", ["m.txt", ".npy", ".tsv"]),
        ("rows.npy --threshold nan", ["--threshold"]),
        ("rows.npy --matrix -k 3", ["-k", "--matrix"]),
        ("rows.npy --groups -k 3", ["-k", "--groups"]),
        ("rows.npy --matrix --threshold 0.5", ["--threshold"]),
        ("rows.npy other.npy --labels names.txt --pairs", ["--labels"]),
        ("rows.npy -k 0", ["-k"]),
        ("rows.npy --against nothing.npy", ["nothing.npy"]),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    run: Run, folder: Path, line: str, pieces: list[str]
) -> None:
    result = run("cossim", *line.split(), folder=folder)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert all(piece in result.stderr for piece in pieces), result.stderr


def test_vectors_of_one_component_are_compared_with_a_warning(run: Run) -> None:
    result = run("cossim", "2", "-3")
    assert result.stdout == "-1.0\n"
    assert "one component" in result.stderr
    assert "one component" in run("cossim", "2", "-3", "1").stderr


def test_the_result_does_not_depend_on_the_workers(run: Run, folder: Path) -> None:
    lines = {
        run("cossim", "rows.npy", "-k", "99", "--workers", n, folder=folder).stdout
        for n in ("1", "2", "5")
    }
    assert len(lines) == 1


def test_packed_bits_are_compared_as_bits(run: Run, folder: Path) -> None:
    packed = RNG.integers(0, 256, (6, 4), dtype=np.uint8)
    np.save(folder / "bits.npy", packed)
    got = asked(run, folder, "bits.npy --dtype ubinary -k 15")["pairs"]
    bits = np.unpackbits(packed, axis=1).astype(int)
    for pair in got:
        apart = (bits[pair["left"]] != bits[pair["right"]]).sum()
        assert pair["similarity"] == (32 - 2 * apart) / 32


@pytest.mark.parametrize("ending", ["svg", "html", "txt"])
def test_a_picture_can_be_saved(run: Run, folder: Path, ending: str) -> None:
    for line in ("rows.npy", "rows.npy --matrix", "1,2 3,4"):
        picture = folder / f"picture.{ending}"
        result = run("cossim", *line.split(), "--save", str(picture), folder=folder)
        assert result.exit_code == 0
        assert picture.stat().st_size > 0
