import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.corpus.extract import read_extract
from decoding.core.corpus.lexical import lexical_table, read_lexical
from decoding.core.corpus.moses_tables import phrase_table_lines, reordering_table_lines
from decoding.core.corpus.phrases import count_phrases, group_occurrences, phrase_texts
from decoding.core.corpus.score import (
    ScoringOptions,
    estimate_discounts,
    score_phrases,
    score_reordering,
)

from . import naive


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


@pytest.mark.parametrize("inverse", [False, True])
def test_moses_scores_of_a_direction(reference_data, inverse):
    folder = reference_data("decoder-goldens/phrase-scoring")
    extract = lines_of(folder / f"extract{'.inv' if inverse else ''}.sorted.gz")
    words = sorted({"|||", *(w for line in extract for w in line.split())})
    numbers = {w: k for k, w in enumerate(words)}
    lexical = read_lexical(
        lines_of(folder / "lex.f2e.gz"), lines_of(folder / "lex.e2f.gz"), numbers, numbers
    )
    occurrences = read_extract(extract, numbers, numbers, inverse=inverse)
    pairs = group_occurrences(occurrences, (numbers["|||"], numbers["|||"]))
    scores = score_phrases(pairs, lexical)

    def text(row):
        return " ".join(words[w] for w in row if words[w] != "|||")

    ours = []
    for p in range(len(pairs)):
        source = text(pairs.sources[pairs.source[p]])
        target = text(pairs.targets[pairs.target[p]])
        weight = scores[p, 1 if inverse else 3]
        given = pairs.target_count[p] if inverse else pairs.source_count[p]
        ours.append(f"{source} ||| {target} |||  ||| {weight:g} ||| {given} {pairs.count[p]} |||")
    name = f"phrase-table{'-inv' if inverse else ''}.expected.gz"
    expected = lines_of(folder / name)
    assert len(expected) > 900
    if inverse:  # Moses sorts the inverse file by target phrase
        assert sorted(ours) == sorted(expected)
    else:
        assert ours == expected


@settings(max_examples=60, deadline=None)
@given(naive.linked_texts(), st.sampled_from([1, 3, 1000]))
def test_equals_the_plain_twin_whatever_the_shards(tmp_path_factory, pairs, per_shard):
    bitext, links = naive.arrays(pairs)
    folder = tmp_path_factory.mktemp("phrases")
    counted = count_phrases(bitext, links, folder, occurrences_per_shard=per_shard)
    lexical = lexical_table(bitext, links)
    phrases, orders = [], []
    for shard in counted.load():
        phrases += phrase_table_lines(bitext, shard, score_phrases(shard, lexical))
        orders += reordering_table_lines(bitext, shard, score_reordering(shard))
    table = naive.score(pairs)
    # As the bytes of Moses's sorted lines.
    keys = sorted(table, key=lambda key: " ".join([*key[0], "|||", *key[1], "|||"]).encode())
    expected, expected_orders = [], []
    for source, target in keys:
        scores, orientations, links_of_pair, counts = table[source, target]
        start = f"{' '.join(source)} ||| {' '.join(target)} ||| "
        points = " ".join(f"{i}-{j}" for i, j in sorted(links_of_pair, key=lambda p: p[::-1]))
        expected.append(
            start
            + " ".join(f"{np.float32(x):g}" for x in scores)
            + f" ||| {points} ||| {' '.join(map(str, counts))} ||| |||"
        )
        expected_orders.append(start + " ".join(f"{x:g}" for x in orientations))
    assert phrases == expected
    assert orders == expected_orders
    assert not list(folder.glob("occurrences.*"))
    assert not list(folder.glob("targets.*"))
    assert counted.pairs == len(table)
    assert counted.occurrences == sum(counts[2] for *_, counts in table.values())
    assert counted.source_phrases == len({source for source, _ in table})
    target = bitext.target
    targets = [
        text
        for block in counted.target_blocks(rows=2)
        for text in phrase_texts(block, target.vocabulary, target.end)
    ]
    assert len(targets) == counted.target_phrases == len(set(targets))
    for shard in counted.load():
        own = list(phrase_texts(shard.targets, target.vocabulary, target.end))
        numbered = zip(shard.target.tolist(), shard.target_number.tolist(), strict=True)
        assert all(own[row] == targets[number] for row, number in numbered)


def pairs_with_counts(counts):
    """Phrase pairs a_i ||| x_i that occur as often as told, all in one-word sentences."""
    text = [([f"a{i}"], [f"x{i}"], [(0, 0)]) for i, c in enumerate(counts) for _ in range(c)]
    bitext, links = naive.arrays(text)
    return bitext, links


def test_discounts_follow_their_formulas(tmp_path):
    counts = [1] * 40 + [2] * 12 + [3] * 6 + [4] * 3 + [5, 9, 30]
    bitext, links = pairs_with_counts(counts)
    [shard] = count_phrases(bitext, links, tmp_path).load()
    lexical = lexical_table(bitext, links)
    discounts = estimate_discounts([shard])
    assert discounts.pairs == len(counts)

    # Good-Turing, smoothed by a tenth as in Moses: (c + 1) / c * (n_{c+1} + .1) / (n_c + .1).
    good_turing = score_phrases(shard, lexical, ScoringOptions("good-turing"), discounts)
    factor = {1: 2 * 12.1 / 40.1, 2: 1.5 * 6.1 / 12.1, 9: 1.0, 30: 1.0}
    factor[2] = max(factor[1], factor[2])
    for c, expected in factor.items():
        assert good_turing[shard.count == c, 2] == pytest.approx(expected)

    # Kneser-Ney: every phrase has one partner, so what is given back is D / pairs.
    kneser_ney = score_phrases(shard, lexical, ScoringOptions("kneser-ney"), discounts)
    y = 40 / (40 + 2 * 12)
    taken = {1: 1 - 2 * y * 12 / 40, 2: 2 - 3 * y * 6 / 12, 3: 3 - 4 * y * 3 / 6}
    for c in (1, 2, 3, 30):
        d = taken[min(c, 3)]
        expected = (c - d + d / len(counts)) / c
        assert kneser_ney[shard.count == c, 0] == pytest.approx(expected)
        assert kneser_ney[shard.count == c, 2] == pytest.approx(expected)


def test_discounting_needs_discounts(tmp_path):
    bitext, links = pairs_with_counts([1, 2])
    [shard] = count_phrases(bitext, links, tmp_path).load()
    with pytest.raises(ValueError, match="estimate_discounts"):
        score_phrases(shard, lexical_table(bitext, links), ScoringOptions("good-turing"))


@settings(max_examples=30, deadline=None)
@given(naive.linked_texts())
def test_probabilities_add_up(tmp_path_factory, pairs):
    bitext, links = naive.arrays(pairs)
    counted = count_phrases(bitext, links, tmp_path_factory.mktemp("p"))
    for shard in counted.load():
        scores = score_phrases(shard, lexical_table(bitext, links))
        assert np.bincount(shard.source, weights=scores[:, 2]) == pytest.approx(1)
        assert np.bincount(shard.target, weights=scores[:, 0]) == pytest.approx(1)
        assert score_reordering(shard)[:, :3].sum(axis=1) == pytest.approx(1)
        assert (scores > 0).all()
