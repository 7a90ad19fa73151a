import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.diversity.lists import (
    DiversityOptions,
    dissimilarity,
    diverse_list,
    ngrams,
    penalty_for,
)
from decoding.core.search.decoder import EXHAUSTIVE, Decoder, SearchOptions
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError
from tests.decoding.core.search import naive

words = st.lists(st.sampled_from("abc"), max_size=7)


@given(words, words, st.integers(1, 4))
def test_dissimilarity_counts_pairs_of_equal_ngrams(one, other, n):
    pairs = sum(
        one[i : i + n] == other[j : j + n]
        for i in range(len(one) - n + 1)
        for j in range(len(other) - n + 1)
    )
    assert dissimilarity(one, other, n) == -pairs


@given(st.lists(words, max_size=4), words, st.integers(1, 3))
def test_the_penalty_is_the_sum_of_dissimilarities(earlier, new, n):
    options = DiversityOptions(size=5, order=n, strength=(0.1, 0.2, 0.3, 0.4))
    penalty = penalty_for(earlier, options)
    expected = -sum(
        options.strength_of(j) * dissimilarity(y, new, n) for j, y in enumerate(earlier)
    )
    cost = sum(penalty.costs.get(g, 0.0) * count for g, count in ngrams(new, n).items())
    assert cost == pytest.approx(expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_each_entry_is_the_best_by_the_objective(seed):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = [str(w) for w in rng.choice(list("uvwxq"), rng.integers(1, 5))]
    options = DiversityOptions(size=4, order=int(rng.integers(1, 4)), strength=float(rng.random()))
    decoder = Decoder(toy.system())
    rounds = diverse_list(decoder, decoder.collect(tokens), options, EXHAUSTIVE)
    everything = naive.ranked(toy, tokens)
    assert bool(rounds) == bool(everything)
    earlier = []
    for entry in rounds:

        def objective(score, words, earlier=tuple(earlier)):
            return score + options.strength * sum(
                dissimilarity(words, y, options.order) for y in earlier
            )

        best = max(objective(score, words) for score, words, _ in everything)
        assert entry.best.total == pytest.approx(best, abs=1e-6)
        text = entry.best.text.split()
        assert objective(entry.best.score, text) == pytest.approx(best, abs=1e-6)
        earlier.append(text)


@pytest.fixture(scope="module")
def multi30k(reference_data):
    folder = reference_data("moses-multi30k-deen")
    return folder, Decoder(read_moses_system(folder / "moses.ini"))


@pytest.mark.parametrize("weight", ["0.0434", "0.1"])
def test_against_rounds_of_moses_with_an_arpa_file(multi30k, weight):
    """Moses had the n-grams as one more language model; its weight is lambda / ln 10."""
    folder, decoder = multi30k
    name = f"diverse-M5-weight{weight}.test_2016_flickr.first50.tsv"
    strength = {"0.0434": 0.1, "0.1": 0.1 * np.log(10)}[weight]
    lists = {}
    for line in (folder / name).read_text().splitlines()[1:]:
        sentence, _, _, matches, score, text = line.split("\t")
        lists.setdefault(int(sentence), []).append((int(matches), float(score), text))
    source = (folder / "test_2016_flickr.de").read_text().splitlines()
    options = DiversityOptions(size=5, order=4, strength=strength)
    same, better = 0, []
    for number, expected in lists.items():
        sentence = decoder.collect(source[number])
        rounds = diverse_list(decoder, sentence, options, later=SearchOptions())
        texts = [entry.best.text for entry in rounds]
        moses = [text for _, _, text in expected]
        same += texts == moses
        for m, (matches, score, text) in enumerate(expected):
            if texts[:m] != moses[:m]:
                break  # the rounds before were others, so this one had another penalty
            earlier = [t.split() for t in moses[:m]]
            assert -sum(dissimilarity(text.split(), y, 4) for y in earlier) == matches
            forced = decoder.force(rounds[m].graph.sentence, text).best()
            assert forced.score >= score - 2e-3
            better.append(rounds[m].best.total - (score - strength * matches))
    assert same >= 0.8 * len(lists)
    assert np.mean(better) > 0  # both searches prune; ours finds more of the objective


@pytest.mark.parametrize(
    "options",
    [
        {"size": 0},
        {"order": 0},
        {"strength": -1.0},
        {"strength": float("nan")},
        {"strength": (0.1,)},
    ],
)
def test_what_is_no_diverse_list_is_refused(options):
    with pytest.raises(InputError):
        DiversityOptions(**options)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_distinct_entries_are_the_best_ones_not_yet_in_the_list(seed):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = [str(w) for w in rng.choice(list("uvwxq"), rng.integers(1, 5))]
    # So small a penalty that lists would repeat their first translation.
    options = DiversityOptions(4, int(rng.integers(1, 3)), 0.001, distinct=True)
    decoder = Decoder(toy.system())
    rounds = diverse_list(decoder, decoder.collect(tokens), options, EXHAUSTIVE)
    everything = naive.ranked(toy, tokens)
    texts = [entry.best.text for entry in rounds]
    assert len(set(texts)) == len(texts)
    assert len(texts) == min(4, len({tuple(words) for _, words, _ in everything}))
    for place, entry in enumerate(rounds):
        earlier = [text.split() for text in texts[:place]]
        best = max(
            score + 0.001 * sum(dissimilarity(words, y, options.order) for y in earlier)
            for score, words, _ in everything
            if " ".join(words) not in texts[:place]
        )
        assert entry.best.total == pytest.approx(best, abs=1e-6)
