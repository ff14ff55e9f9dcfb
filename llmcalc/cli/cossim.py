"""`llmcalc cossim`: cosine similarity of vectors and of files of them.

Start-up is a feature: a typed pair loads neither numpy nor the file formats.
"""

import os

from llmcalc.cli import cossim_options as own
from llmcalc.cli.options import (
    ColumnOption,
    FieldOption,
    Format,
    FormatOption,
    JsonOption,
    KeyOption,
    PrecisionOption,
    QuietOption,
    SaveOption,
    one_part,
    output_options,
)


def cossim(
    values: own.VectorValues = None,
    top_k: own.CountOption = None,
    pairs: own.PairsOption = False,
    threshold: own.ThresholdOption = None,
    against: own.AgainstOption = None,
    matrix: own.MatrixOption = False,
    groups: own.GroupsOption = False,
    metric: own.MetricOption = "cosine",
    dims: own.DimsOption = None,
    zero: own.ZeroOption = "error",
    column: ColumnOption = None,
    key: KeyOption = None,
    labels: own.LabelsOption = None,
    dtype: own.DtypeOption = None,
    output: own.OutputOption = None,
    workers: own.ThreadsOption = None,
    fmt: FormatOption = Format.auto,
    as_json: JsonOption = False,
    field: FieldOption = None,
    precision: PrecisionOption = None,
    save: SaveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Measure how alike vectors are by their cosine similarity.

    Two vectors give one number. One file gives its best pairs; one vector and a
    file, or a file --against another, each row's nearest. Figures are exact: they
    depend on no block and no thread, and equal vectors give exactly 1.

    \b
    Examples:
      llmcalc cossim 1,2,3 4,5,6
      llmcalc cossim embeddings.npy --labels texts.txt -k 20
      llmcalc cossim query.json --against corpus.npy -k 5
      cat replies.jsonl | llmcalc cossim --threshold 0.9 --format tsv
    """
    from llmcalc.cli.cossim_words import Asked, kind_of_question
    from llmcalc.inputs.source import resolve
    from llmcalc.output.show import show

    shown = output_options(fmt, as_json, field, precision, save, quiet)
    question = kind_of_question(pairs, matrix, groups, against is not None)
    asked = Asked(question, top_k, threshold, metric, dims, zero, output, workers)
    asked.check()
    # With --against, typed vectors may stand beside the part of that file.
    part = one_part(column, key)
    given = resolve(values, part if against is None else None)
    if asked.is_plain_pair(given) and labels is None:
        from llmcalc.cli.cossim_pair import typed_pair

        report = typed_pair(given, asked)
    else:
        # One BLAS thread for each of ours: the passes between two products then run
        # on all cores as well. Heeded where numpy is not loaded yet.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from llmcalc.cli.cossim_ask import answer
        from llmcalc.cli.cossim_read import Reading, read_all

        reading = Reading(column, key, dtype, labels, against)
        report = answer(read_all(given, asked, reading), asked, quiet)
    show(report, shown)
