"""The cases: inputs with right values worked out apart from llmcalc.

Each ``cases/GROUP/expected.json`` maps a name to the arguments and the outcome:
``expect`` (keys and values, ``rtol``, ``atol``), ``error`` or ``warning`` (pieces of
the message; a list inside: any of them), ``must_not_be`` (what known mistakes give),
``counts`` and ``variance`` (draws, within so many standard errors), ``accept`` (other
outcomes that are right too).
"""

import json
import math
import shlex
import subprocess
from typing import Any

import pytest
from running import CASES, Run
from typer.testing import Result

from llmcalc.output.fields import FIELDS

NAMED = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}


def all_cases() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*/expected.json")):
        for name, case in json.loads(path.read_text())["cases"].items():
            label = f"{path.parent.name}-{name}"
            found.append(pytest.param(path.parent, case, id=label))
    return found


@pytest.mark.parametrize(("folder", "case"), all_cases())
def test_case(folder: Any, case: dict[str, Any], run: Run) -> None:
    stdin = b""
    if "stdin_command" in case:
        command = case["stdin_command"]
        stdin = subprocess.run(command, shell=True, capture_output=True).stdout
    result = run(*shlex.split(case["args"]), "--json", folder=folder, stdin=stdin)
    outcomes = [case, *({**case, "accept": [], **o} for o in case.get("accept", []))]
    faults = [list(shortcomings(outcome, result)) for outcome in outcomes]
    assert [] in faults, faults[0]


def shortcomings(case: dict[str, Any], result: Result) -> Any:
    if "error" in case:
        if (result.exit_code, result.stdout) != (2, ""):
            yield f"exit {result.exit_code}: {result.stdout[:80]}{result.exception!r}"
        yield from missing(case["error"], result.stderr)
        if result.stderr.count("\n") != 1 and "Usage:" not in result.stderr:
            yield f"not one line: {result.stderr}"
        return
    if result.exit_code:
        yield f"exit {result.exit_code}: {result.stderr} {result.exception!r}"
        return
    got = json.loads(result.stdout, parse_constant=pytest.fail)
    for key in got.keys() - set(FIELDS[case["args"].split()[0]]):
        yield f"{key} is not among the fields that the shell completes"
    tolerance = (case.get("rtol", 1e-9), case.get("atol", 0))
    yield from differences(case.get("expect", {}), got, tolerance, "")
    yield from missing(case.get("warning", []), result.stderr)
    for wrong in case.get("must_not_be", []):
        if number(wrong) is not None and math.isclose(
            number(wrong), number(got["ppl"]), rel_tol=1e-6
        ):
            yield f"ppl is {got['ppl']}, which a known mistake gives"
    yield from draws(case, got)


def draws(case: dict[str, Any], got: dict[str, Any]) -> Any:
    if "counts" in case:
        n, sigma = case["counts"]["n"], case["counts"]["sigma"]
        for p, count in zip(case["counts"]["probs"], got["counts"], strict=True):
            if abs(count - n * p) > sigma * math.sqrt(n * p * (1 - p)):
                yield f"{count} draws where {n * p} are expected"
    if "variance" in case:
        bound, d_k = case["variance"]["bound"], got["d_k"]
        if abs(got["unscaled_variance"] / d_k - 1) > bound:
            yield f"unscaled_variance {got['unscaled_variance']}"
        if abs(got["scaled_variance"] - 1) > bound:
            yield f"scaled_variance {got['scaled_variance']}"
        if abs(got["scaled_mean"]) > case["variance"]["mean_bound"]:
            yield f"scaled_mean {got['scaled_mean']}"


def missing(pieces: list[Any], text: str) -> Any:
    for piece in pieces:
        options = piece if isinstance(piece, list) else [piece]
        if not any(str(option).lower() in text.lower() for option in options):
            yield f"{piece} is not in {text!r}"


def differences(want: Any, got: Any, tolerance: Any, where: str) -> Any:
    if isinstance(want, dict):
        if isinstance(got, list):
            got = {str(i): item for i, item in enumerate(got)}
        for key, value in want.items():
            if key == "kept_count":
                yield from differences(value, len(got["kept"]), tolerance, "kept")
            elif key not in got:
                yield f"{where}.{key} is missing"
            else:
                yield from differences(value, got[key], tolerance, f"{where}.{key}")
    elif isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            yield f"{where}: {len(want)} items wanted, not {got!r:.60}"
            return
        for i, (a, b) in enumerate(zip(want, got, strict=True)):
            yield from differences(a, b, tolerance, f"{where}[{i}]")
    elif number(want) is None or number(got) is None:
        if want != got:
            yield f"{where}: {want!r} wanted, not {got!r}"
    elif not close(number(want), number(got), tolerance):
        yield f"{where}: {want!r} wanted, not {got!r}"


def close(want: float, got: float, tolerance: tuple[float, float]) -> bool:
    if want == got:
        return True
    rtol, atol = tolerance
    return math.isfinite(want) and abs(want - got) <= max(rtol * abs(want), atol)


def number(value: Any) -> Any:
    if isinstance(value, str):
        sign = -1 if value.startswith("-") else 1
        named = NAMED.get(value.lstrip("-").lower())
        return None if named is None else sign * named
    return value if isinstance(value, int | float) and value is not True else None
