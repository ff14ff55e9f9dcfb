"""Calibration before and after the fitted temperature -> its report.

Start-up is a feature: rich loads only for a table or a picture.
"""

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from llmcalc.output.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.core.calibration import Calibration
    from llmcalc.output.canvas import Canvas


def report_calibration(
    shape: tuple[int, ...], before: "Calibration", after: "Calibration"
) -> Report:
    """Return the report of a fit; plain prints the fitted temperature."""
    rows, n = shape
    fields: dict[str, Any] = {
        "n": n,
        "rows": rows,
        **before._asdict(),
        "fitted_temperature": after.temperature,
        "fitted_nll": after.nll,
        "fitted_accuracy": after.accuracy,
        "fitted_ece": after.ece,
    }
    warnings = []
    if after.temperature == 0:
        warnings.append(
            "every right answer is the best one, so the likelihood grows down to "
            "T = 0; more rows are needed to fit a temperature"
        )
    if after.temperature == math.inf:
        warnings.append(
            "the right answers are no likelier than the rest, so T = inf fits best; "
            "are the --labels those of these rows?"
        )
    view = partial(_view, fields, before, after)
    return Report(fields, "fitted_temperature", view, warnings=warnings)


def _view(
    fields: dict[str, Any],
    before: "Calibration",
    after: "Calibration",
    canvas: "Canvas",
) -> "Iterable[RenderableType]":
    from llmcalc.output.canvas import facts, grid
    from llmcalc.output.softmax_tables import fitted

    canvas = fitted(canvas)
    columns = [("", "left"), ("T", "right"), ("NLL", "right")]
    columns += [("accuracy", "right"), ("ECE", "right")]
    named = [("given", before), ("fitted", after)]
    rows = [[name, *map(canvas.number, figures)] for name, figures in named]
    yield grid(canvas, columns, rows)
    yield facts(
        canvas, [("rows", fields["rows"], ""), ("n", fields["n"], "tokens a row")]
    )
