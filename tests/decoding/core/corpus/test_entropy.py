import math

import pytest
from hypothesis import given, settings

from decoding.core.corpus.entropy import EntropyOptions, prune_by_entropy
from decoding.core.corpus.phrases import count_phrases, phrase_texts
from evaluation.core.errors import InputError

from . import naive


def table_of(counted, bitext):
    """Counts of pairs as {(source words, target words): count}."""
    found = {}
    for shard in counted.load():
        sources = list(phrase_texts(shard.sources, bitext.source.vocabulary, bitext.source.end))
        targets = list(phrase_texts(shard.targets, bitext.target.vocabulary, bitext.target.end))
        for s, t, count in zip(shard.source, shard.target, shard.count, strict=True):
            found[tuple(sources[s].split()), tuple(targets[t].split())] = int(count)
    return found


def plainly_pruned(table, threshold):
    """The same by trying every split of every pair, shorter pairs first."""
    total = {}
    for (s, _), count in table.items():
        total[s] = total.get(s, 0) + count
    best, kept = {}, {}
    for (s, t), count in sorted(table.items(), key=lambda item: len(item[0][0])):
        direct = math.log(count / total[s])
        made = -math.inf
        for i in range(1, len(s)):
            for k in range(1, len(t)):
                for one, other in ((t[:k], t[k:]), (t[k:], t[:k])):
                    parts = best.get((s[:i], one)), best.get((s[i:], other))
                    if None not in parts:
                        made = max(made, sum(parts))
        if made == -math.inf or count * (direct - made) >= threshold:
            kept[s, t] = count
            made = max(direct, made)
        best[s, t] = made
    return kept


@pytest.mark.parametrize("threshold", [-0.5, 0.1234, 1.0321])
@settings(max_examples=25, deadline=None)
@given(pairs=naive.linked_texts(max_pairs=8))
def test_what_is_left_is_what_no_split_makes_well_enough(tmp_path_factory, threshold, pairs):
    bitext, links = naive.arrays(pairs)
    for per_shard in (2, 1000):
        folder = tmp_path_factory.mktemp("entropy")
        counted = count_phrases(bitext, links, folder, occurrences_per_shard=per_shard)
        whole = table_of(counted, bitext)
        pruned = prune_by_entropy(counted, EntropyOptions(threshold), folder)
        left = table_of(pruned, bitext)
        assert left == plainly_pruned(whole, threshold)
        assert pruned.pairs == len(left)
        assert pruned.source_phrases == len({s for s, _ in left})
        assert not list(folder.glob("ways*"))


def test_a_phrase_that_its_words_make_goes_and_an_idiom_stays(tmp_path):
    straight = (["a", "b"], ["x", "y"], [(0, 0), (1, 1)])
    swapped = (["c", "d"], ["w", "z"], [(0, 1), (1, 0)])
    idiom = (["e", "f"], ["u", "v"], [(0, 0), (0, 1), (1, 0), (1, 1)])
    bitext, links = naive.arrays([straight, swapped, idiom] * 5)
    counted = count_phrases(bitext, links, tmp_path)
    left = table_of(prune_by_entropy(counted, EntropyOptions(0.01), tmp_path), bitext)
    assert {s for s, _ in left} == {("a",), ("b",), ("c",), ("d",), ("e", "f")}


def test_what_is_no_threshold_is_refused():
    with pytest.raises(InputError, match="finite"):
        EntropyOptions(math.inf)
