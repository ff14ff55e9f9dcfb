"""The question that is asked of rows, its answer from core, its report."""

from llmcalc.cli.cossim_pair import one_component_notes
from llmcalc.cli.cossim_read import Given, Vectors
from llmcalc.cli.cossim_words import DEFAULT_K, DEFAULT_THRESHOLD, LISTED, Asked
from llmcalc.core.similarity import groups as grouping
from llmcalc.core.similarity.background import background
from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.nearest import nearest, reaching
from llmcalc.core.similarity.pair_metric import compare, has_direction
from llmcalc.core.similarity.pairs import Wanted, best_pairs
from llmcalc.core.similarity.rows import components, named_rows, zero_rows
from llmcalc.core.similarity.summary import summarise
from llmcalc.errors import LlmcalcError
from llmcalc.output.cossim import Context, Sides, pair_report
from llmcalc.output.cossim_sets import nearest_report, pairs_report
from llmcalc.output.cossim_whole import groups_report, summary_report
from llmcalc.output.progress import progress
from llmcalc.output.report import Report

# Rows whose best pairs are looked for unasked: seconds, not minutes.
_PAIRS_UNASKED = 50_000


def answer(given: Given, asked: Asked, quiet: bool) -> Report:
    """Return the report of what is asked of the vectors."""
    vectors, corpus = given
    question = asked.question
    if corpus is None:
        if vectors.rows.n == 1:
            raise LlmcalcError(
                f"{vectors.files[0]}: is one vector; give another to compare it with"
            )
        if vectors.rows.n == 2 and asked.asks_for_one_number():
            return _pair(vectors, asked)
        if question == "unsaid" and len(vectors.sizes) > 1:
            given = _query_and_corpus(vectors)
            question = "pairs" if given.corpus is None else "nearest"
    with progress("rows", given.vectors.rows.n, quiet) as advance:
        search = Search(asked.metric, None, asked.workers, advance)
        if question == "matrix":
            from llmcalc.cli.cossim_matrix import matrix

            return matrix(given, asked, search, quiet)
        if question == "groups":
            return _groups(given.vectors, asked, search)
        if question == "nearest":
            return _nearest(given, asked, search)
        return _pairs(given, asked, search)


def context(given: Given, asked: Asked, search: Search, whole: bool = True) -> Context:
    """Return what stands beside a result: notes, and figures of the set."""
    vectors = given.vectors if given.corpus is None else given.corpus
    sides = (given.vectors,) if given.corpus is None else given
    notes = [note for side in sides if side is not None for note in side.notes]
    rows = vectors.rows._replace(skip_zero=True)
    notes += one_component_notes(rows.dim, [rows.where(0)])
    if has_direction(asked.metric):
        for side in sides:
            notes += _left_out(side, asked) if side is not None else []
    around = background(rows)
    summary = None
    if whole:
        summary = summarise(rows, around, search._replace(advance=_unwatched))
    return Context(asked.metric, notes, summary, around)


def _pair(vectors: Vectors, asked: Asked) -> Report:
    rows = vectors.rows
    names = rows.where(0), rows.where(1)
    u, v = components(rows, 0), components(rows, 1)
    result = compare(u, v, asked.metric, names)
    notes = [*vectors.notes, *one_component_notes(result.dim, names)]
    return pair_report(result, notes, vectors.names)


def _query_and_corpus(vectors: Vectors) -> Given:
    """Return one vector and the file beside it, or one set of single vectors."""
    sizes = vectors.sizes
    if all(size == 1 for size in sizes):
        return Given(vectors, None)
    if len(sizes) == 2 and 1 in sizes:
        query = sizes.index(1)
        return Given(vectors.part(query), vectors.part(1 - query))
    counts = " and ".join(
        f"{file} has {size:,} rows"
        for file, size in zip(vectors.files, sizes, strict=True)
        if size > 1
    )
    raise LlmcalcError(
        f"{counts}: --against FILE finds each row's nearest there, --pairs the best "
        "pairs of all rows, --matrix compares all"
    )


def _pairs(given: Given, asked: Asked, search: Search) -> Report:
    vectors, corpus = given
    rows = vectors.rows
    asked_for = asked.question == "pairs" or not asked.asks_for_one_number()
    sides = Sides(vectors.names, (corpus or vectors).names)
    if corpus is None and not asked_for and rows.n > _PAIRS_UNASKED:
        around = context(given, asked, search)
        return summary_report(vectors.names, around)
    wanted = Wanted(asked.top_k or DEFAULT_K)
    if asked.threshold is not None:
        wanted = Wanted(asked.top_k or LISTED, _score(asked.threshold, asked))
    found = best_pairs(rows, corpus and corpus.rows, wanted, search)
    around = context(given, asked, search, whole=corpus is None)
    return pairs_report(found, sides, asked.threshold, around)


def _nearest(given: Given, asked: Asked, search: Search) -> Report:
    vectors, corpus = given
    assert corpus is not None
    most = DEFAULT_K
    if asked.threshold is not None:
        most = max(most, LISTED // vectors.rows.n)
    found = nearest(vectors.rows, corpus.rows, asked.top_k or most, search)
    around = context(given, asked, search, whole=False)
    if asked.threshold is not None:
        found, full = reaching(found, _score(asked.threshold, asked))
        if full and found.scores.shape[1] < corpus.rows.n:
            queries = "1 query has" if full == 1 else f"{full:,} queries have"
            around.warnings.append(
                f"{queries} more rows that may reach {asked.threshold:g}; -k lists more"
            )
    return nearest_report(found, Sides(vectors.names, corpus.names), around)


def _groups(vectors: Vectors, asked: Asked, search: Search) -> Report:
    threshold = DEFAULT_THRESHOLD if asked.threshold is None else asked.threshold
    found = grouping.groups(vectors.rows, _score(threshold, asked), search)
    around = context(Given(vectors, None), asked, search, whole=False)
    return groups_report(found, vectors.names, threshold, around)


def _score(threshold: float, asked: Asked) -> float:
    """Return a threshold as a score: a distance is at most so large."""
    return -threshold if asked.metric == "euclidean" else threshold


def _left_out(vectors: Vectors, asked: Asked) -> list[str]:
    if asked.zero != "skip":
        return []
    found = zero_rows(vectors.rows)
    if not found:
        return []
    places = named_rows(vectors.rows, found)
    if len(found) == vectors.rows.n:
        raise LlmcalcError(
            f"{places}: every vector is zero, and --zero skip leaves none"
        )
    vector = "vector" if len(found) == 1 else "vectors"
    return [f"left out {len(found):,} zero {vector}: {places}"]


def _unwatched(_: float) -> None:
    """Count work that is no part of the bar."""
