import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

from decoding.core.corpus.phrases import count_phrases, phrase_texts
from decoding.core.corpus.prune import (
    PruningOptions,
    index_phrases,
    negative_log_tail,
    prune_phrases,
    significance,
)
from evaluation.core.errors import InputError

from . import naive


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.data())
def test_the_tail_is_that_of_fishers_test(n, data):
    a, b = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    k = data.draw(st.integers(max(0, a + b - n), min(a, b)))
    table = [[k, a - k], [b - k, n - a - b + k]]
    expected = fisher_exact(table, alternative="greater").pvalue
    assert negative_log_tail(k, a, b, n) == pytest.approx(-math.log(expected), abs=1e-8)
    assert plain_tail(k, a, b, n) == pytest.approx(-math.log(expected), abs=1e-8)


@pytest.mark.parametrize(
    ("k", "a", "b", "n"),
    [(1, 1, 1, 29_000), (5, 40_000, 30_000, 1_000_000), (300, 500, 900, 10**6)],
)
def test_the_tail_of_large_counts(k, a, b, n):
    expected = -hypergeom.logsf(k - 1, n, a, b)
    assert negative_log_tail(k, a, b, n) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def plain_tail(k, a, b, n):
    """-log P(X >= k), by counting the ways."""
    ways = sum(math.comb(a, j) * math.comb(n - a, b - j) for j in range(k, min(a, b) + 1))
    return -math.log(ways / math.comb(n, b))


def contains(sentence, phrase):
    return any(
        sentence[k : k + len(phrase)] == phrase for k in range(len(sentence) - len(phrase) + 1)
    )


@settings(max_examples=40, deadline=None)
@given(naive.linked_texts(max_pairs=8), st.sampled_from([2, 1000]))
def test_counts_are_those_of_looking_at_every_sentence(tmp_path_factory, pairs, per_shard):
    bitext, links = naive.arrays(pairs)
    folder = tmp_path_factory.mktemp("prune")
    counted = count_phrases(bitext, links, folder, occurrences_per_shard=per_shard)
    indexes = index_phrases(bitext.source), index_phrases(bitext.target)
    for shard in counted.load():
        ours = significance(shard, *indexes)
        sources = list(phrase_texts(shard.sources, bitext.source.vocabulary, bitext.source.end))
        targets = list(phrase_texts(shard.targets, bitext.target.vocabulary, bitext.target.end))
        for p in range(len(shard)):
            s, t = sources[shard.source[p]].split(), targets[shard.target[p]].split()
            has_s = [contains(source, s) for source, _, _ in pairs]
            has_t = [contains(target, t) for _, target, _ in pairs]
            both = sum(x and y for x, y in zip(has_s, has_t, strict=True))
            assert ours[p] == pytest.approx(
                plain_tail(both, sum(has_s), sum(has_t), len(pairs)), abs=1e-9
            )


def test_pairs_that_are_rare_on_both_sides_are_dropped_or_kept(tmp_path):
    pairs = [(["a"], ["x"], [(0, 0)])] * 6 + [(["b", "c"], ["y", "z"], [(0, 0), (1, 1)])]
    bitext, links = naive.arrays(pairs)
    left = {}
    for threshold in ("a+e", "a-e", "0", "1000"):
        counted = count_phrases(bitext, links, tmp_path / threshold)
        whole = next(iter(counted.load()))
        pruned = prune_phrases(counted, bitext, PruningOptions(threshold))
        [shard] = pruned.load()
        assert pruned.pairs == len(shard)
        left[threshold] = list(
            phrase_texts(shard.sources, bitext.source.vocabulary, bitext.source.end)
        )
        assert set(shard.target_count.tolist()) <= set(whole.target_count.tolist())
    # log 7 is the significance of all four pairs: a and x occur together and nowhere else.
    assert left == {
        "a+e": [],
        "a-e": ["a", "b c", "b", "c"],
        "0": ["a", "b c", "b", "c"],
        "1000": [],
    }
    more = [*pairs, (["a"], ["x"], [(0, 0)]), (["d"], ["w"], [(0, 0)]), (["d"], ["w"], [(0, 0)])]
    bitext, links = naive.arrays(more)
    counted = count_phrases(bitext, links, tmp_path / "more")
    [shard] = prune_phrases(counted, bitext, PruningOptions("a+e")).load()
    sources = phrase_texts(shard.sources, bitext.source.vocabulary, bitext.source.end)
    assert list(sources) == ["a", "d"]
    assert np.array_equal(shard.count, [7, 2])


def test_thresholds():
    assert PruningOptions("a-e").limit(100) < math.log(100) < PruningOptions("a+e").limit(100)
    with pytest.raises(InputError, match="'many' is no threshold"):
        PruningOptions("many").limit(100)
