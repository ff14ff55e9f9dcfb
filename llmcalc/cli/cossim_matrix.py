"""The matrix of all similarities: in memory while it is small, else in a file."""

from llmcalc.cli.cossim_ask import context
from llmcalc.cli.cossim_read import Given
from llmcalc.cli.cossim_words import Asked
from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.matrix import similarity_matrix
from llmcalc.errors import LlmcalcError
from llmcalc.output.cossim import Sides
from llmcalc.output.cossim_whole import matrix_report
from llmcalc.output.matrix_file import matrix_file
from llmcalc.output.report import Report
from llmcalc.output.show import warn

# A matrix that is printed is held in memory, as numbers and as text.
_MOST_PRINTED = 4_000_000
# A file as large as this is announced before the work begins.
_LARGE_BYTES = 1_000_000_000


def matrix(given: Given, asked: Asked, search: Search, quiet: bool) -> Report:
    """Return the report of the matrix of all rows, or of all with --against."""
    vectors, corpus = given
    others = corpus or vectors
    shape = vectors.rows.n, others.rows.n
    size = shape[0] * shape[1] * 8
    words = f"the matrix of {shape[0]:,} x {shape[1]:,} similarities takes {_gb(size)}"
    if asked.output is None and shape[0] * shape[1] > _MOST_PRINTED:
        raise LlmcalcError(f"{words}: write it with --output FILE.npy")
    if size > _LARGE_BYTES and not quiet:
        warn(f"{words} in {asked.output}")
    sides = Sides(vectors.names, others.names)
    with matrix_file(asked.output, shape) as out:
        similarity_matrix(vectors.rows, corpus and corpus.rows, out, search)
    around = context(given, asked, search, whole=False)
    return matrix_report(out, sides, asked.output, around)


def _gb(size: int) -> str:
    return f"{size / 1e9:,.3g} GB"
