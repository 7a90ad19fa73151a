import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding.core.formats.phrase_tables import PhrasePair
from decoding.core.translation.phrase_table import (
    LOWEST,
    NO_NODE,
    TableBuilder,
    find_child,
    floored_log,
)

phrases = st.lists(st.sampled_from(["a", "b", "ü", "<s>", "<unk>"]), min_size=1, max_size=3)
pairs = st.lists(st.tuples(phrases, phrases, st.floats(0, 1)), min_size=1, max_size=20)


@given(pairs)
def test_every_pair_is_found_and_no_other(given_pairs):
    builder, expected = TableBuilder(), {}
    for source, target, score in given_pairs:
        pair = PhrasePair(" ".join(source), " ".join(target), (score, 1.0), ((0, 0),) * len(target))
        new = (tuple(source), tuple(target)) not in expected
        assert builder.add(pair) == new
        if new:
            expected[tuple(source), tuple(target)] = score, len(target)
    table, sources, targets = builder.build()
    found = {}
    for source in {source for source, _ in expected}:
        node = 0
        for word in source:
            node = find_child(table, node, sources.numbers[word])
            assert node != NO_NODE
        for row in range(table.first_row[node], table.first_row[node + 1]):
            phrase = table.target[row]
            words = table.words[table.offsets[phrase] : table.offsets[phrase + 1]]
            target = tuple(targets.words[word] for word in words)
            points = table.points_at[row + 1] - table.points_at[row]
            found[source, target] = np.exp(table.scores[row, 0]), points
            assert table.scores[row, 1] == 0.0
    assert found.keys() == expected.keys()
    for key, (score, points) in found.items():
        assert score == pytest.approx(expected[key][0], abs=1e-6)
        assert points == expected[key][1]
    assert find_child(table, 0, len(sources) + 1) == NO_NODE
    assert table.first_row[-1] == len(expected)


def test_translations_stay_in_the_order_of_the_file():
    builder = TableBuilder()
    for source, target in (("b", "x"), ("a", "z"), ("b", "w"), ("a", "y"), ("a", "x")):
        builder.add(PhrasePair(source, target, (1.0,)))
    table, sources, targets = builder.build()
    node = find_child(table, 0, sources.numbers["a"])
    rows = range(table.first_row[node], table.first_row[node + 1])
    assert [targets.words[table.words[table.offsets[table.target[r]]]] for r in rows] == [*"zyx"]


def test_equal_target_phrases_are_one():
    builder = TableBuilder()
    for source in "abc":
        builder.add(PhrasePair(source, "same words", (0.5,)))
    table, _, _ = builder.build()
    assert len(table.offsets) == 2
    assert table.target.tolist() == [0, 0, 0]


def test_logarithms_have_a_floor():
    logs = floored_log(np.array([0.0, 1e-300, 1.0]))
    assert logs.tolist() == [LOWEST, LOWEST, 0.0]


def test_rows_of_a_pair_and_of_a_source_phrase():
    builder = TableBuilder()
    for source, target in (("a", "x"), ("b", "x"), ("a", "y")):
        builder.add(PhrasePair(source, target, (1.0,)))
    assert list(builder.rows_of("a", "y")) == [2]
    assert list(builder.rows_of("a", None)) == [0, 2]
    assert list(builder.rows_of("a", "z")) == list(builder.rows_of("c", None)) == []
