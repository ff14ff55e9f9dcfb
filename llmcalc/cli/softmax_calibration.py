"""`llmcalc softmax --labels`: rows of logits against their right answers."""

import numpy as np

from llmcalc.core.calibration import calibration, fit_temperature
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.answers import read_answers
from llmcalc.inputs.logits import Logits
from llmcalc.inputs.source import resolve_file
from llmcalc.output.report import Report
from llmcalc.output.softmax_calibration import report_calibration


def calibrate(logits: Logits, answers: str, temperature: float) -> Report:
    """Return the report of calibration at a temperature and at the one that fits."""
    if len({len(row) for row in logits.rows}) > 1:
        raise LlmcalcError(f"{logits.name}: the rows differ in length; --labels cannot")
    rows = np.asarray(logits.rows)
    right = read_answers(resolve_file(answers), *rows.shape)
    before = calibration(rows, right, temperature, logits.place)
    fitted = fit_temperature(rows, right, logits.place)
    after = calibration(rows, right, fitted, logits.place)
    return report_calibration(rows.shape, before, after)
