import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.corpus.assemble import assemble_table, vocabulary_of_side
from decoding.core.corpus.lexical import lexical_table
from decoding.core.corpus.phrases import count_phrases
from decoding.core.corpus.score import score_phrases, score_reordering
from decoding.core.translation.phrase_table import find_child

from . import naive


def translations(table, source, target):
    """{source phrase: [(target phrase, scores, reordering, links) in order]} of a whole table."""
    source_words, target_words, found = list(source.words), list(target.words), {}

    def row_of(row):
        phrase = table.target[row]
        words = table.words[table.offsets[phrase] : table.offsets[phrase + 1]]
        points = table.points[table.points_at[row] : table.points_at[row + 1]]
        return (
            " ".join(target_words[w] for w in words),
            table.scores[row].tolist(),
            table.reordering[row].tolist(),
            sorted(map(tuple, points.tolist())),
        )

    def walk(node, phrase):
        rows = range(table.first_row[node], table.first_row[node + 1])
        if len(rows):
            found[phrase] = [row_of(row) for row in rows]
        for number, word in enumerate(source_words):
            child = find_child(table, node, number)
            if child >= 0:
                walk(child, f"{phrase} {word}".strip())

    walk(0, "")
    return found


@settings(max_examples=40, deadline=None)
@given(naive.linked_texts(), st.sampled_from([1, 4, 1000]))
def test_equals_the_plain_twin_whatever_the_shards(tmp_path_factory, pairs, per_shard):
    bitext, links = naive.arrays(pairs)
    folder = tmp_path_factory.mktemp("assemble")
    counted = count_phrases(bitext, links, folder, occurrences_per_shard=per_shard)
    lexical = lexical_table(bitext, links)
    table = assemble_table(
        counted,
        bitext.source,
        bitext.target,
        lambda shard: (score_phrases(shard, lexical), score_reordering(shard)),
        folder,
    )
    found = translations(table, *map(vocabulary_of_side, (bitext.source, bitext.target)))
    expected = naive.score(pairs)
    assert {(s, row[0]) for s, rows in found.items() for row in rows} == {
        (" ".join(s), " ".join(t)) for s, t in expected
    }
    for source, rows in found.items():
        in_order = [(row[0] + " |||").encode() for row in rows]
        assert in_order == sorted(in_order)
        for target, scores, orientations, points in rows:
            wanted = expected[tuple(source.split()), tuple(target.split())]
            assert scores == pytest.approx(np.log(wanted[0]), abs=1e-5)
            assert orientations == pytest.approx(np.log(wanted[1]), abs=1e-5)
            assert points == sorted(wanted[2])
