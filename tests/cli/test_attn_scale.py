"""`llmcalc attn-scale`: what it is asked, every format, and what it refuses."""

import json

import numpy as np
import pytest


def answer(run, *words, **how):
    result = run("attn-scale", *words, "--json", **how)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def files(tmp_path):
    """A folder with small arrays of every kind that is asked about."""
    generator = np.random.default_rng(0)
    np.save(tmp_path / "q.npy", generator.standard_normal((2, 4, 3, 8)))
    np.save(tmp_path / "k.npy", generator.standard_normal((2, 2, 5, 8)))
    np.save(tmp_path / "v.npy", generator.standard_normal((2, 2, 5, 6)))
    np.savez(tmp_path / "qkv.npz", q=np.eye(2), k=np.eye(2), v=np.ones((2, 3)))
    np.save(tmp_path / "half.npy", np.full((1, 80), 256, dtype=np.float16))
    (tmp_path / "zero.json").write_text("[0, 0, 0, 0, 0]")
    np.save(tmp_path / "ones.npy", np.array([[1, 0, 1, 1, 0]], dtype=">i4"))
    np.save(tmp_path / "ones-float.npy", np.array([1.0, 0.0, 1.0, 1.0, 0.0]))
    (tmp_path / "ones.json").write_text("[[1, 0, 1, 1, 0]]")
    (tmp_path / "ones.csv").write_text("1,0,1,1,0\n")
    (tmp_path / "mask.json").write_text("[[true, false, true, true, false]]")
    (tmp_path / "none.json").write_text("[[false], [true], [true]]")
    (tmp_path / "bias.txt").write_text("0 -inf 0 0 -1.5\n")
    (tmp_path / "raw.txt").write_text("# q.k\n8, 0\n-8, 16\n")
    (tmp_path / "gone.txt").write_text("1 2\n3 nan\n")
    (tmp_path / "rows.txt").write_text("1 2\n3 4\n5 6\n")
    config = {"model_type": "gemma2", "head_dim": 8, "query_pre_attn_scalar": 16}
    (tmp_path / "config.json").write_text(json.dumps(config))
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    (tmp_path / "heads.json").write_text(json.dumps(config | heads))
    np.save(tmp_path / "single.npy", np.array(1.0))
    return tmp_path


def test_plain_is_the_score_or_the_scale(run):
    assert run("attn-scale", "1,2,3,4", "0.5,-1,2,0.25").stdout == "2.75\n"
    assert run("attn-scale", "--d-k", "64").stdout == "0.125\n"
    assert run("attn-scale", "--d-k", "16,64").stdout == "0.25\n0.125\n"


def test_negative_vectors_need_no_care(run):
    assert run("attn-scale", "-1.5,.25", "-.5,-1e1", "--scale", "-1").stdout == "1.75\n"


def test_precision_rounds_every_format(run):
    assert run("attn-scale", "--d-k", "128", "-p", "3").stdout == "0.0884\n"
    assert run("attn-scale", "--d-k", "128,64", "-p", "3").stdout == "0.0884\n0.125\n"
    assert (
        '"scale": 0.0884'
        in run("attn-scale", "--d-k", "128", "-p", "3", "--json").stdout
    )


def test_arrays_have_the_keys_of_the_contract(run, files):
    got = answer(run, "q.npy", "k.npy", "v.npy", folder=files)
    assert (got["d_k"], got["group"]) == (8, 2)
    for key, shape in (("scores", (2, 4, 3, 5)), ("output", (2, 4, 3, 6))):
        assert np.shape(got[key]) == shape
    np.testing.assert_allclose(np.sum(got["weights"], axis=-1), 1, rtol=1e-14)
    keys = {
        "top1",
        "entropy_nats",
        "effective_choices",
        "jacobian_trace",
        "saturated_rows",
    }
    assert set(got["unscaled"]) == set(got["scaled"]) == keys
    assert "empty_rows" not in got


def test_plain_prints_a_query_a_line(run, files):
    lines = run("attn-scale", "q.npy", "k.npy", folder=files).stdout.splitlines()
    got = answer(run, "q.npy", "k.npy", folder=files)
    assert len(lines) == 2 * 4 * 3
    wanted = np.reshape(got["scores"], (-1, 5)).tolist()
    assert [[float(x) for x in line.split("\t")] for line in lines] == wanted


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_rows_are_a_pair_of_a_query_and_a_key_each(run, files, form):
    text = run("attn-scale", "q.npy", "k.npy", "-f", form, folder=files).stdout
    got = answer(run, "q.npy", "k.npy", folder=files)
    lines = text.splitlines()
    if form == "jsonl":
        last = json.loads(lines[-1])
    else:
        cut = "\t" if form == "tsv" else ","
        last = dict(zip(lines[0].split(cut), lines[-1].split(cut), strict=True))
    assert [int(last[key]) for key in ("axis0", "head", "query", "key")] == [1, 3, 2, 4]
    assert float(last["score"]) == got["scores"][-1][-1][-1][-1]
    assert float(last["weight"]) == got["weights"][-1][-1][-1][-1]


@pytest.mark.parametrize("key", ["raw", "scores", "weights", "output", "scaled"])
def test_each_table_can_be_had_alone(run, files, key):
    vectors = ("q.npy", "k.npy", "v.npy")
    whole = answer(run, *vectors, folder=files)
    alone = answer(run, *vectors, "--field", key, folder=files)
    assert alone == {key: whole[key]}


def test_parts_of_an_archive(run, files):
    named = ("qkv.npz:q", "qkv.npz:k", "qkv.npz:v")
    got = answer(run, *named, folder=files)
    assert got["output"] == [[1.0] * 3] * 2
    assert answer(run, *["qkv.npz"] * 3, folder=files) == got


def test_standard_input_is_one_of_the_vectors(run):
    assert (
        run("attn-scale", "-", "3,4", "--scale", "1", stdin=b"1 2\n").stdout == "11.0\n"
    )


@pytest.mark.parametrize("words", [(), ("-",), ("rows.txt",)])
def test_lines_of_one_table_are_q_k_and_v(run, files, words):
    got = answer(run, *words, folder=files, stdin=b"1 2\n3 4\n5 6\n")
    assert (got["raw"], got["output"]) == (11.0, [5.0, 6.0])


def test_half_precision_is_widened(run, files):
    assert answer(run, "half.npy", "half.npy", folder=files)["raw"] == [[5242880.0]]


def test_masks_of_booleans_and_of_numbers(run, files):
    kept = answer(run, "q.npy", "k.npy", "--mask", "mask.json", folder=files)
    added = answer(run, "q.npy", "k.npy", "--mask", "bias.txt", folder=files)
    for weights in (kept["weights"][0][0][0], added["weights"][0][0][0]):
        assert weights[1] == 0 < weights[2]
    assert kept["weights"][0][0][0][4] == 0 < added["weights"][0][0][0][4]


@pytest.mark.parametrize(
    "mask", ["ones.npy", "ones-float.npy", "ones.json", "ones.csv"]
)
def test_ones_and_zeros_of_any_file_are_booleans_with_a_note(run, files, mask):
    words = ("attn-scale", "q.npy", "k.npy", "--field", "weights", "--mask")
    told, noted = (
        run(*words, "mask.json", folder=files),
        run(*words, mask, folder=files),
    )
    assert noted.stdout == told.stdout
    assert noted.stderr.startswith(f"llmcalc: warning: {mask}: 0 and 1 are read as")
    assert (told.stderr, run(*words, mask, "-q", folder=files).stderr) == ("", "")


def test_a_row_without_keys_is_a_warning_and_zeros(run, files):
    result = run("attn-scale", "q.npy", "k.npy", "--mask", "none.json", folder=files)
    assert result.exit_code == 0
    assert "warning: row 0 of every head: no key is left" in result.stderr
    quiet = run(
        "attn-scale", "q.npy", "k.npy", "--mask", "none.json", "-q", folder=files
    )
    assert quiet.stderr == ""


def test_a_single_row_without_keys_is_told_too(run, tmp_path):
    (tmp_path / "closed.txt").write_text("-inf -inf\n")
    (tmp_path / "mask.json").write_text("[false]")
    for words in (["--scores", "closed.txt", "--d-k", "4"],
                  ["1,2", "3,4", "--mask", "mask.json"]):  # fmt: skip
        result = run("attn-scale", *words, folder=tmp_path)
        assert result.exit_code == 0
        assert "no key is left" in result.stderr


def test_many_rows_without_keys_are_one_short_warning(run, tmp_path):
    np.save(tmp_path / "q.npy", np.ones((30, 2)))
    result = run(
        "attn-scale", "q.npy", "1,2", "--causal", "lower-right", folder=tmp_path
    )
    (line,) = result.stderr.splitlines()
    assert "row 0, row 1, row 2, row 3, row 4 and 24 more rows" in line


def test_temperature_sink_and_cap_reach_the_weights(run, files):
    plain, *others = (
        answer(run, "q.npy", "k.npy", *words, folder=files)["weights"][0][0][0][0]
        for words in (
            (),
            ("-t", "2"),
            ("--sink", "-1"),
            ("--softcap", "0.1"),
            ("--sink", "0,1,2,3"),
        )
    )
    assert len({plain, *others}) == 5


def test_dimensions_of_a_model(run):
    got = answer(run, "--d-model", "4096", "--n-heads", "32", "--n-kv-heads", "8")
    assert (got["d_k"], got["group"], got["unscaled_std"]) == (128, 4, 128**0.5)
    got = answer(run, "--d-model", "4608", "--n-heads", "32", "--head-dim", "128")
    assert got["d_k"] == 128


def test_a_config_gives_scale_cap_source_and_ratio(run, files):
    got = answer(run, "--config", "config.json", folder=files)
    assert (got["d_k"], got["scale"], got["softcap"]) == (8, 0.25, 50.0)
    assert got["source"] == "query_pre_attn_scalar"
    assert got["ratio"] == 0.25 / 8**-0.5
    assert "attn_logit_softcapping = 50" in got["assumed"][0]


def test_a_config_sets_the_scale_of_vectors(run, files):
    got = answer(run, "q.npy", "k.npy", "--config", "config.json", folder=files)
    assert (got["scale"], got["softcap"]) == (0.25, 50.0)
    assert got["source"] == "query_pre_attn_scalar"
    words = ("--scale", "2", "--softcap", "9")
    got = answer(run, "q.npy", "k.npy", "--config", "config.json", *words, folder=files)
    assert (got["scale"], got["softcap"]) == (2.0, 9.0)


def test_an_unknown_family_is_a_warning(run, tmp_path):
    (tmp_path / "c").write_text('{"model_type": "new", "head_dim": 64}')
    result = run("attn-scale", "--config", "c", folder=tmp_path)
    assert result.stdout == "0.125\n"
    assert "'new' is not a known family" in result.stderr


def test_given_scores_before_and_after(run, files):
    got = answer(run, "--scores", "raw.txt", "--d-k", "64", folder=files)
    assert got["scores"] == [[1.0, 0.0], [-1.0, 2.0]]
    assert got["unscaled"]["saturated_rows"] == 1
    assert got["scaled"]["top1"] < got["unscaled"]["top1"]
    assert "output" not in got


def test_simulation_of_one_width_and_of_a_list(run):
    words = ("--simulate", "--trials", "500", "--keys", "8", "--seed", "3")
    one = answer(run, *words, "--d-k", "16")
    assert (one["d_k"], one["trials"], one["keys"], one["seed"]) == (16, 500, 8, 3)
    assert abs(one["scaled_variance"] - 1) < 5 * one["std_error"]
    both = answer(run, *words, "--d-k", "4,16")
    assert [row["d_k"] for row in both["sweep"]] == [4, 16]
    assert both["sweep"][1] == one
    lines = run("attn-scale", *words, "--d-k", "4,16", "-p", "3").stdout.splitlines()
    assert lines[1].split("\t")[0] == "16"
    rows = run("attn-scale", *words, "--d-k", "4,16", "-f", "jsonl").stdout.splitlines()
    assert json.loads(rows[1])["scaled_top1"] == one["scaled"]["top1"]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_rows_of_a_simulation_have_a_figure_a_column(run, form):
    words = ("attn-scale", "--simulate", "--trials", "9", "-f", form, "--d-k")
    one = run(*words, "4").stdout.splitlines()
    assert one[-1] == run(*words, "1,4").stdout.splitlines()[-1]
    assert "scaled_effective_choices" in one[0]


def test_simulation_without_a_width_shows_several(run):
    got = answer(run, "--simulate", "--trials", "50")
    assert [row["d_k"] for row in got["sweep"]] == [1, 4, 16, 64, 128, 256, 512]


@pytest.mark.parametrize("ending", ["svg", "html", "txt"])
def test_pictures_are_saved(run, files, ending):
    name = f"map.{ending}"
    result = run(
        "attn-scale", "q.npy", "k.npy", "--save", name, "--head", "3", folder=files
    )
    assert result.exit_code == 0, result.stderr
    text = (files / name).read_text(encoding="utf-8").replace("&#160;", " ")
    assert "weights of head 0,3" in text


REFUSED = [
    (("1,2,3,4", "1,2,3"), ["4", "3", "argument 1"]),
    (("1,2",), ["two or three rows"]),
    (("1,2", "1,2", "1,2", "1,2"), ["4 values"]),
    (("1,nan", "1,2"), ["argument 1", "index 1", "nan"]),
    (("1,2", "1,inf"), ["argument 2", "index 1", "inf"]),
    (("gone.txt", "raw.txt"), ["gone.txt: line 2, index 1", "nan"]),
    (("--scores", "gone.txt", "--d-k", "4"), ["gone.txt: line 2, index 1", "nan"]),
    (("q.npy", "k.npy", "q.npy"), ["k.npy", "q.npy", "5", "3"]),
    (("q.npy", "k.npy", "--mask", "zero.json"), ["zero.json", "both ways"]),
    (("q.npy", "k.npy", "--mask", "raw.txt"), ["raw.txt", "2 x 2"]),
    (("q.npy", "k.npy", "--d-k", "4"), ["8", "4"]),
    (("q.npy", "k.npy", "--d-k", "4,8"), ["list"]),
    (("q.npy", "k.npy", "--sink", "1,2"), ["sink", "2", "4"]),
    (("q.npy", "k.npy", "--sink", "x"), ["--sink", "'x'"]),
    (("q.npy", "k.npy", "--softcap", "0"), ["softcap", "0"]),
    (("q.npy", "k.npy", "--softcap", "-1"), ["softcap", "-1"]),
    (("q.npy", "k.npy", "--softcap", "inf"), ["softcap", "inf"]),
    (("q.npy", "k.npy", "--scale", "nan"), ["scale", "nan"]),
    (("q.npy", "k.npy", "-t", "-1"), ["temperature", "-1"]),
    (("q.npy", "k.npy", "--trials", "9"), ["--trials", "--simulate"]),
    (("q.npy", "k.npy", "--scores", "raw.txt"), ["--scores"]),
    (("q.npy", "k.npy", "--head", "8", "-f", "table"), ["--head 8", "8"]),
    (("--scores", "raw.txt"), ["--d-k"]),
    (("--scores", "raw.txt", "--d-k", "4", "--simulate"), ["--simulate"]),
    (("--simulate", "--d-k", "4", "--mask", "mask.json"), ["--mask"]),
    (("--simulate", "--d-k", "4", "--trials", "1"), ["--trials"]),
    (("--d-k", "64", "--sink", "1"), ["--sink"]),
    (("--d-k", "64", "-t", "2"), ["--temperature"]),
    (("--d-k", "0"), ["'0'"]),
    (("--d-k", "6.5"), ["'6.5'"]),
    (("--d-k", ","), ["--d-k"]),
    (("--d-k", "64", "--d-model", "768", "--n-heads", "6"), ["64", "128"]),
    (("--d-k", "9" * 301), ["--d-k", "999"]),
    (("--d-k", "9" * 300, "--simulate"), ["d_k", "999"]),
    (("--d-k", "9" * 5000), ["--d-k", "999"]),
    (("--d-model", "9" * 400, "--n-heads", "1"), ["d_k", "double"]),
    (("--d-k", "4", "--simulate", "--keys", "9" * 30), ["keys", "999"]),
    (("--d-k", "64", "--seed", "3"), ["--seed", "--simulate"]),
    (("1,2", "3,4", "--seed", "3"), ["--seed", "--simulate"]),
    (("--d-k", "64", "--head", "3"), ["--head"]),
    (("--simulate", "--head", "3"), ["--head"]),
    (("--d-k", "64", "--n-heads", "3"), ["--n-heads", "--n-kv-heads"]),
    (("--config", "config.json", "--n-heads", "3"), ["--n-heads", "--n-kv-heads"]),
    (("--config", "heads.json", "--n-heads", "8", "--n-kv-heads", "1"), ["2", "8"]),
    (
        ("q.npy", "k.npy", "--d-k", "8", "--n-heads", "4", "--n-kv-heads", "1"),
        ["q.npy", "2 query heads", "4"],
    ),
    (
        ("1,2", "3,4", "--d-k", "2", "--n-heads", "4", "--n-kv-heads", "1"),
        ["no query heads", "4"],
    ),
    (("single.npy",), ["single.npy", "shape none"]),
    (("--d-model", "768"), ["n_heads"]),
    (("--n-heads", "12"), ["--d-model"]),
    (("--d-model", "100", "--n-heads", "3"), ["100", "3"]),
    (("--d-model", "96", "--n-heads", "6", "--n-kv-heads", "4"), ["6", "4"]),
    (("--n-kv-heads", "4", "--d-k", "8"), ["--n-heads"]),
    (("--config", "config.json", "--d-k", "9"), ["9", "8"]),
    (("--config", "raw.txt"), ["raw.txt"]),
    (("--scale", "2"), ["--scale"]),
    (("--config", "gone.json"), ["gone.json"]),
]


@pytest.mark.parametrize(("words", "pieces"), REFUSED)
def test_what_has_no_meaning_is_one_line_and_status_two(run, files, words, pieces):
    result = run("attn-scale", *words, folder=files)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for piece in pieces:
        assert piece in result.stderr


def test_typed_pairs_and_widths_load_no_numpy():
    import subprocess
    import sys

    for words in (
        ["1,2", "3,4"],
        ["--d-k", "64"],
        ["--d-model", "8", "--n-heads", "2"],
    ):
        code = (
            "import sys; from llmcalc.cli import app\n"
            f"try: app(['attn-scale', *{words!r}], prog_name='llmcalc')\n"
            "except SystemExit: pass\n"
            "sys.exit(any(m in sys.modules for m in ('numpy', 'rich', 'json')))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
