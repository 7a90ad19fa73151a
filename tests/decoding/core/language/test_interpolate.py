import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.language.estimate import EstimationOptions, estimate
from decoding.core.language.interpolate import fit_weights, interpolate
from decoding.core.language.model import LanguageModel
from evaluation.core.errors import InputError
from tests.decoding.core.language.naive import NaiveModel, random_model

corpora = st.lists(
    st.lists(st.sampled_from("aabbcd"), max_size=6).map(" ".join), min_size=1, max_size=12
).map(lambda lines: "".join(line + "\n" for line in lines).encode())
orders = st.integers(1, 3)


def model_of(text, order, prune=(0,)):
    return estimate(text, EstimationOptions(order=order, prune=prune)).model


class NaiveMixture:
    def __init__(self, models, weights):
        self.parts = [
            (NaiveModel(m), m.vocabulary, w) for m, w in zip(models, weights, strict=True)
        ]
        self.words = list(dict.fromkeys(w for m in models for w in m.vocabulary.words))

    def probability(self, history, word):
        total, word = 0.0, word if word in self.words else "<unk>"
        for naive, vocabulary, weight in self.parts:
            strangers = [w for w in self.words if vocabulary.numbers.get(w, 0) == 0]
            score = naive.score(vocabulary.ids(history), vocabulary.numbers.get(word, 0))[0]
            total += weight * 10**score / (len(strangers) if word in strangers else 1)
        return total


@settings(max_examples=50)
@given(corpora, corpora, orders, orders, st.floats(0, 1), st.sampled_from([(0,), (0, 1)]))
def test_the_interpolated_model_is_the_mixture(one, two, order_1, order_2, weight, prune):
    models = [model_of(one, order_1), model_of(two, order_2, prune)]
    weights = (weight, 1 - weight)
    merged, mixture = interpolate(models, weights), NaiveMixture(models, weights)
    assert merged.order == max(order_1, order_2)
    words, naive = merged.vocabulary.words, NaiveModel(merged)
    assert list(words) == mixture.words
    theirs = set()
    for model in models:
        numbers = merged.vocabulary.ids(model.vocabulary.words).tolist()
        theirs |= {tuple(numbers[w] for w in gram) for gram in NaiveModel(model).probability}
    assert set(naive.probability) == theirs | {(w,) for w in range(len(words))}
    for gram, score in naive.probability.items():
        if gram == (1,):
            continue
        expected = mixture.probability([words[w] for w in gram[:-1]], words[gram[-1]])
        assert score == pytest.approx(math.log10(expected), abs=1e-5)
    predicted = [w for w in range(len(words)) if w != 1]
    for length in range(merged.order):
        for history in itertools.product(predicted, repeat=length):
            total = sum(10 ** naive.score(history, w)[0] for w in predicted)
            assert total == pytest.approx(1, abs=1e-4)


@settings(max_examples=30)
@given(corpora, corpora, corpora)
def test_no_other_weights_make_the_text_more_probable(one, two, held_out):
    models = [model_of(one, 2), model_of(two, 2)]
    fit = fit_weights([LanguageModel.build(m) for m in models], held_out, tolerance=1e-9)
    assert sum(fit.weights) == pytest.approx(1)
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(fit.perplexities))
    mixtures = [NaiveMixture(models, w) for w in [(1, 0), (0, 1)]]
    events = []
    for line in held_out.decode().split("\n")[:-1]:
        history = ["<s>"]
        for word in [*line.split(), "</s>"]:
            events.append([m.probability(history, word) for m in mixtures])
            history.append(word)
    p = np.array(events)

    def likelihood(weight):
        return np.log(p @ [weight, 1 - weight]).mean()

    best = max(likelihood(w) for w in np.linspace(0.001, 0.999, 301))
    assert likelihood(fit.weights[0]) >= best - 1e-4
    assert fit.perplexities[-1] == pytest.approx(math.exp(-likelihood(fit.weights[0])), rel=1e-4)


def test_three_models_are_weighed_by_what_they_explain():
    texts = [b"a b a b\n" * 5, b"c d c d\n" * 5, b"x y z\n" * 5]
    models = [LanguageModel.build(model_of(t, 2)) for t in texts]
    fit = fit_weights(models, b"a b a b\n" * 3 + b"c d c d\n")
    assert fit.weights[0] > fit.weights[1] > fit.weights[2]


@pytest.mark.parametrize("weights", [(1.0,), (0.5, 0.6), (1.5, -0.5)])
def test_weights_must_be_a_distribution(weights):
    models = [model_of(b"a b\n", 2)] * 2
    with pytest.raises(InputError, match="a weight for each model"):
        interpolate(models, weights)


def test_a_text_is_needed():
    with pytest.raises(InputError, match="no text"):
        fit_weights([LanguageModel.build(model_of(b"a\n", 1))], b"")


def test_a_model_that_leaves_out_contexts_is_refused():
    rng = np.random.default_rng(0)
    model = random_model(rng, words=2, order=3, density=0.3, closed=False)
    with pytest.raises(InputError, match="3-grams whose context is no n-gram"):
        interpolate([model, model], [0.5, 0.5])
