"""Documents of two files pair in pieces of any size, by id, and part with a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.alignment import aligned
from llmcalc.inputs.logprobs.document import Document, Total, Where


def documents(name, sequences, cut=10**9):
    """Yield sequences {id: log-probs} in pieces of at most `cut`."""
    for record, (key, values) in enumerate(sequences.items(), 1):
        for start in range(0, max(len(values), 1), cut):
            yield Document(
                key if isinstance(key, str) else "",
                values[start : start + cut],
                Where(name, record, first=start, path="x"),
                continues=start > 0,
            )


def paired(a, b):
    return list(aligned(("a", iter(a)), ("b", iter(b))))


def flat(pairs, side):
    return [value for pair in pairs for value in pair[side].logprobs]


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=4),
    st.integers(1, 13),
    st.integers(1, 13),
)
def test_pieces_of_any_size_pair_up(lengths, cut_a, cut_b):
    sequences = {i: [-float(j) for j in range(n)] for i, n in enumerate(lengths)}
    pairs = paired(documents("a", sequences, cut_a), documents("b", sequences, cut_b))
    assert all(len(a.logprobs) == len(b.logprobs) for a, b in pairs)
    assert flat(pairs, 0) == flat(pairs, 1)
    assert len(flat(pairs, 0)) == sum(lengths)
    begun = [not a.continues for a, _ in pairs]
    assert sum(begun) == len(lengths)
    assert begun == [not b.continues for _, b in pairs]


@given(st.permutations(["p", "q", "r", "s"]), st.integers(1, 4))
def test_documents_with_ids_pair_in_any_order(order, cut):
    sequences = {key: [-1.0 * ord(key)] * 3 for key in "pqrs"}
    other = {key: sequences[key] for key in order}
    pairs = paired(documents("a", sequences), documents("b", other, cut))
    assert flat(pairs, 0) == flat(pairs, 1)
    assert all(a.id == b.id for a, b in pairs)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ({"p": [-1.0]}, {"q": [-1.0]}, r"b: lacks document 'p' of a: line 1"),
        ({0: [-1.0], 1: [-1.0]}, {0: [-1.0]}, r"b: lacks the document of a: line 2"),
        ({0: [-1.0]}, {0: [-1.0], 1: [-2.0]}, r"b: line 2: a has no such document"),
        (
            {"p": [-1.0]},
            {"q": [-2.0], "p": [-1.0]},
            r"b: line 1: a has no document 'q'",
        ),
        ({0: [-1.0] * 3}, {0: [-1.0] * 2}, r"a: line 1: x\[2\]: has no counterpart"),
        ({0: [-1.0] * 2}, {0: [-1.0] * 5}, r"b: line 1: x\[2\]: has no counterpart"),
    ],
)
def test_files_part_with_a_place(a, b, message):
    with pytest.raises(LlmcalcError, match=message):
        paired(documents("a", a, 2), documents("b", b, 3))


@pytest.mark.parametrize(
    ("field", "ours", "theirs", "shown"),
    [
        ("tokens", ["a", " cat"], ["a", " dog"], "token ' dog' stands against ' cat'"),
        ("token_ids", [1, 2], [1, 3], "token 3 stands against 2"),
    ],
)
def test_other_tokens_are_named_with_both_places(field, ours, theirs, shown):
    a, b = (
        Document("", [-1.0, -2.0], Where(name, path="x"), **{field: known})
        for name, known in (("a", ours), ("b", theirs))
    )
    with pytest.raises(LlmcalcError, match=rf"b: x\[1\]: {shown} \(a: x\[1\]\)"):
        paired([a], [b])
    # Where one of the files does not know them, the count decides.
    assert len(paired([a._replace(**{field: None})], [b])) == 1


def test_totals_pair_whole_and_only_with_totals_of_their_length():
    def total(n):
        return Document("", [], Where("a", 1), total=Total(-5.0, n))

    assert len(paired([total(3)], [total(3)])) == 1
    for other in (total(4), Document("", [-5.0], Where("b", 1))):
        with pytest.raises(LlmcalcError, match="another length"):
            paired([total(3)], [other])


def with_nulls(name, nulls):
    return iter([Document("", [-1.0, -2.0, -3.0], Where(name, path="x", nulls=nulls))])


@pytest.mark.parametrize("nulls", [[], [0], [0, 1]])
def test_nulls_before_the_first_entry_say_nothing(nulls):
    pairs = list(aligned(("a", with_nulls("a", [0])), ("b", with_nulls("b", nulls))))
    assert len(pairs) == 1


@pytest.mark.parametrize(
    ("nulls", "other"), [([1], [2]), ([0, 2], [0, 3]), ([2, 3], [2, 4])]
)
def test_nulls_at_other_places_are_other_tokens(nulls, other):
    with pytest.raises(LlmcalcError, match="lacks the log-probs of other entries"):
        list(aligned(("a", with_nulls("a", nulls)), ("b", with_nulls("b", other))))
    same = list(aligned(("a", with_nulls("a", nulls)), ("b", with_nulls("b", nulls))))
    assert len(same) == 1
