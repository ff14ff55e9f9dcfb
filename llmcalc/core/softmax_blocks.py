"""Softmax of [rows, n] in blocks, so memory does not grow with the number of rows."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.logit_checks import Place, check_logits, index_place
from llmcalc.core.softmax_rows import SoftmaxRows, softmax_rows

Result = TypeVar("Result")

# Elements a block: its doubles stay in a processor's second-level cache.
BLOCK = 1 << 17
# Doubles just below the 32 MiB above which glibc treats every piece as a large one.
_LARGE_PIECE = 4_000_000


def softmax_blocks(
    logits: NDArray[Any], temperature: float = 1.0, place: Place = index_place
) -> Iterator[tuple[int, SoftmaxRows]]:
    """``softmax_rows`` of [rows, n] in blocks: pairs of first row and its block.

    As many threads as there are processors work on them; they come in order, and
    few are held at a time. Raises as ``softmax`` does, naming ``place``.

    >>> [(first, rows.top1.tolist()) for first, rows in softmax_blocks(np.eye(1))]
    [(0, [1.0])]
    """
    blocks = row_blocks(*logits.shape)
    work = partial(_checked, logits, temperature, place)
    for rows, result in zip(blocks, in_order(work, blocks), strict=True):
        yield rows.start, result


def row_blocks(count: int, n: int) -> list[range]:
    """Return the rows of each block of [count, n], about as many elements in each.

    >>> row_blocks(3, BLOCK // 2)
    [range(0, 2), range(2, 3)]
    """
    step = max(1, BLOCK // max(n, 1))
    return [range(first, min(first + step, count)) for first in range(0, count, step)]


def check_rows(logits: NDArray[Any], first: int, place: Place) -> None:
    """Raise for a row of [rows, n] that has no softmax, as ``check_logits`` does.

    ``first`` is the number of the first row.

    >>> check_rows(np.zeros((2, 3)), 0, index_place)
    """
    if not logits.shape[-1]:
        check_logits([], place, first)
    for row in np.flatnonzero(~np.isfinite(np.max(logits, axis=-1))):
        check_logits(logits[row].tolist(), place, first + int(row))


def in_order(work: Callable[[range], Result], blocks: list[range]) -> Iterator[Result]:
    """Results of ``work`` on each block, in order, a few of them at a time.

    numpy lets go of the interpreter inside a block, so threads do run at once.

    >>> [n for n in in_order(len, [range(3), range(1)])]
    [3, 1]
    """
    threads = min(os.cpu_count() or 1, len(blocks))
    if threads < 2:
        yield from map(work, blocks)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    # The C library gives memory back, and fetches it page by page again, until it has
    # once freed a large piece: this one is never touched.
    np.empty(_LARGE_PIECE)
    with ThreadPoolExecutor(threads) as pool:
        running: deque[Future[Result]] = deque()
        for block in blocks:
            running.append(pool.submit(work, block))
            if len(running) > threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def _checked(
    logits: NDArray[Any], temperature: float, place: Place, rows: range
) -> SoftmaxRows:
    block = logits[rows.start : rows.stop]
    check_rows(block, rows.start, place)
    return softmax_rows(block, temperature)
