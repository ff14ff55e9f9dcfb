"""Histogram, course and the most surprising tokens: of lists, of arrays, merged."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.surprisal import (
    EDGES,
    course_of,
    joined,
    lowest_of,
    most_surprising,
)
from llmcalc.inputs.logprobs.document import Document, Where

logprobs = st.lists(st.floats(-40, 0) | st.just(-math.inf), min_size=1, max_size=40)


def document(values, tokens=None, name=""):
    return Document(name, values, Where("a.txt", path="x"), tokens=tokens)


@given(logprobs)
def test_every_token_is_in_one_bin_of_its_bits(values):
    course = course_of(values)
    for low, high, count in zip(EDGES, EDGES[1:], course.counts, strict=False):
        bits = [-value / math.log(2) for value in values]
        inside = sum(low <= bit < high or bit == high == math.inf for bit in bits)
        assert count == inside
    assert course_of(np.array(values)).counts == course.counts


def test_a_course_has_few_cells_and_keeps_the_sums():
    values = [-1.0] * 3000 + [-3.0] * 1000
    whole = course_of(values)
    assert len(whole.cells) <= 512
    assert sum(n for n, _ in whole.cells) == 4000
    assert sum(nats for _, nats in whole.cells) == 6000.0
    assert whole.means()[0] == 1 / math.log(2)
    assert course_of(np.array(values)) == whole


def test_courses_join_in_order():
    course = course_of([])
    for start in range(0, 2000, 70):
        course = joined(course, course_of([float(-start)] * 70))
    assert sum(course.counts) == sum(n for n, _ in course.cells) == 29 * 70
    assert len(course.cells) <= 512
    assert course.means() == sorted(course.means())


def test_the_lowest_come_first_with_context_and_place():
    tokens = list("abcdefgh")
    found = most_surprising(
        document([-1.0, -5.0, -2.0, -9.0, -1.0, -1.0, -1.0, -1.0], tokens, "doc"), 2
    )
    assert [(one.token, one.logprob) for one in found] == [("d", -9.0), ("b", -5.0)]
    assert (found[0].before, found[0].after) == ("abc", "efgh")
    assert (found[0].document, found[0].place) == ("doc", "a.txt: x[3]")


@given(logprobs, st.integers(1, 9))
def test_arrays_and_lists_have_the_same_lowest_and_ties_keep_order(values, k):
    by_list = most_surprising(document(values), k)
    assert most_surprising(document(np.array(values)), k) == by_list
    want = sorted(range(len(values)), key=lambda i: (values[i], i))[:k]
    assert [one.place for one in by_list] == [f"a.txt: x[{i}]" for i in want]


def test_the_lowest_of_two_parts_are_those_of_the_whole():
    values = [-1.0, -7.0, -3.0, -7.0, -2.0]
    parts = [most_surprising(document(part), 2) for part in (values[:2], values[2:])]
    got = [one.logprob for one in lowest_of(*parts, 2)]
    assert got == [-7.0, -7.0]
