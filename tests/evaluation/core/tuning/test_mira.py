import numpy as np
import pytest

from evaluation.core.tuning.metric import BLEU
from evaluation.core.tuning.mira import (
    BatchMiraOptions,
    MiraOptions,
    _hope_and_fear_epoch,
    tune_batch_mira,
    tune_mira,
)
from tests.evaluation.core.tuning import naive
from tests.evaluation.core.tuning.strategies import random_lists

START = np.array([-0.1, 0.1, 0.1, 0.1])


@pytest.mark.parametrize("tune", [tune_mira, tune_batch_mira])
def test_it_learns_what_tells_good_from_bad(tune):
    lists = random_lists(9, sentences=40, longest=20)
    result = tune(lists, START, np.random.default_rng(1))
    assert result.weights[0] > np.abs(result.weights[1:]).max()
    assert result.score == BLEU.under(lists, result.weights) > result.start_score + 5


@pytest.mark.parametrize("tune", [tune_mira, tune_batch_mira])
def test_the_same_seed_gives_the_same_weights(tune):
    lists = random_lists(9, sentences=40, longest=20)
    runs = [tune(lists, START, np.random.default_rng(seed)).weights.tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("tune", "options"),
    [(tune_mira, MiraOptions(epochs=2)), (tune_batch_mira, BatchMiraOptions(epochs=2))],
)
def test_it_never_ends_worse_than_it_started(tune, options):
    for seed in range(10):
        lists = random_lists(seed, ties=True)
        result = tune(lists, START, np.random.default_rng(seed), options)
        assert result.score >= result.start_score == BLEU.under(lists, START)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_an_epoch_from_hope_to_fear_is_that_of_the_paper(C):
    """Cherry and Foster 2012, algorithm 1, in as many words."""
    lists = random_lists(4, sentences=12, longest=9)
    order = np.random.default_rng(4).permutation(12)
    weights, background = START.copy(), np.ones(10)
    average = _hope_and_fear_epoch(
        lists.offsets,
        lists.features,
        lists.statistics,
        order,
        C,
        0.9,
        BLEU.corpus,
        BLEU.size,
        weights,
        background,
    )

    w, pseudo, seen = START.copy(), np.ones(10), []
    for s in order:
        rows = naive.rows_of(lists, s)
        gain = {
            h: BLEU.corpus(pseudo + lists.statistics[h]) / 100 * (pseudo + lists.statistics[h])[-1]
            for h in rows
        }
        model = {h: lists.features[h] @ w for h in rows}
        hope = max(rows, key=lambda h: model[h] + gain[h])
        fear = max(rows, key=lambda h: model[h] - gain[h])
        difference = lists.features[hope] - lists.features[fear]
        loss = gain[hope] - gain[fear] - (model[hope] - model[fear])
        if loss > 0:
            w = w + min(C, loss / (difference @ difference)) * difference
        pseudo = 0.9 * pseudo + lists.statistics[hope]
        seen.append(w)
    assert weights == pytest.approx(w)
    assert background == pytest.approx(pseudo)
    assert average == pytest.approx(np.mean(seen, axis=0))
