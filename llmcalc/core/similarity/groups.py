"""Groups of rows that are linked by pairs above a threshold."""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.blocks import (
    Block,
    Search,
    block_of,
    hits,
    in_threads,
    opposite,
    starts,
)
from llmcalc.core.similarity.metrics import (
    Estimate,
    admitted,
    block_scores,
    estimate_scale,
)
from llmcalc.core.similarity.rows import Rows

_ROWS = 1024
# Members of a group that a thread compares at a time.
_MEMBERS = 256


class Group(NamedTuple):
    """Indices of rows, ascending, and the lowest score of any two of them."""

    members: list[int]
    lowest: float


def groups(rows: Rows, threshold: float, search: Search) -> list[Group]:
    """Return the sets of rows that chains of pairs with score >= threshold link.

    Single linkage by union-find: a chain can join rows that are unlike, so each
    group says the lowest score inside it. Largest first, then by first index; rows
    without a partner are in none. Raises what ``best_pairs`` raises.

    >>> from llmcalc.core.similarity.rows import rows_of
    >>> rows = rows_of(np.array([[1.0, 0], [0, 1], [2, 0], [0, 3]]))
    >>> [group.members for group in groups(rows, 0.9, Search())]
    [[0, 2], [1, 3]]
    """
    rows = admitted(search.metric, rows)
    forest = _Forest(rows.n)
    other = opposite(rows, search.metric)
    step = search.block or _ROWS
    for start in starts(rows.n, step):
        stripe = block_of(rows, start, step, search.metric)
        share = stripe.height / (rows.n - start)

        def link(low: int, stripe: Block = stripe, share: float = share) -> float:
            block, guess = other.estimated(stripe, low, step)
            _link(forest, (stripe, block), guess, threshold, search)
            return share * block.height

        in_threads(link, range(start, rows.n, step), search)
    found = [Group(members, 0.0) for members in forest.groups()]
    return [
        group._replace(lowest=_lowest(rows, np.array(group.members), search))
        for group in found
    ]


def _link(
    forest: "_Forest",
    blocks: tuple[Block, Block],
    guess: Estimate,
    threshold: float,
    search: Search,
) -> None:
    """Join the rows of two blocks that reach the threshold."""
    left, right = blocks
    if left.unit.start == right.unit.start:
        guess.matrix[np.tri(left.height, right.height, dtype=bool)] = -np.inf
    sure = guess.matrix > estimate_scale(search.metric, threshold) + 2 * guess.slack
    i, j = np.nonzero(sure)
    forest.join(i + left.unit.start, j + right.unit.start)
    guess.matrix[sure] = -np.inf
    doubtful = hits(search.metric, blocks, guess, threshold)
    forest.join(doubtful.left, doubtful.right)


def _lowest(rows: Rows, members: NDArray[np.intp], search: Search) -> float:
    """Return the lowest score of two members of a group."""
    inside = rows._replace(stored=rows.stored[members])
    lows: list[float] = []

    def look(place: tuple[int, int]) -> float:
        some, others = (slice(low, low + _MEMBERS) for low in place)
        lows.append(
            float(block_scores(search.metric, (inside, some), (inside, others)).min())
        )
        return 0

    places = range(0, len(members), _MEMBERS)
    tasks = ((a, b) for a in places for b in places if a <= b)
    in_threads(look, tasks, search)
    return min(lows)


class _Forest:
    """Union-find over rows; ``_root`` always names the least row of a row's group."""

    def __init__(self, count: int) -> None:
        self._root = np.arange(count)
        self._lock = threading.Lock()

    def join(self, left: NDArray[Any], right: NDArray[Any]) -> None:
        """Join the groups of rows pair by pair."""
        with self._lock:
            root = self._root
            a, b = root[left], root[right]
            while (apart := a != b).any():
                a, b = a[apart], b[apart]
                np.minimum.at(root, np.maximum(a, b), np.minimum(a, b))
                while not np.array_equal(higher := root[root], root):
                    root = higher
                a, b = root[a], root[b]
            self._root = root

    def groups(self) -> list[list[int]]:
        """Return the groups of two and more, largest first, then by first row."""
        order = np.argsort(self._root, kind="stable")
        begins = np.flatnonzero(np.diff(self._root[order], prepend=-1))
        parts = [part.tolist() for part in np.split(order, begins[1:])]
        return sorted((p for p in parts if len(p) > 1), key=lambda p: (-len(p), p[0]))
