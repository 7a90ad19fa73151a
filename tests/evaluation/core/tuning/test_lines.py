import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.tuning.lines import search_line
from evaluation.core.tuning.lists import KBestLists, model_scores
from evaluation.core.tuning.metric import BLEU
from tests.evaluation.core.tuning import naive
from tests.evaluation.core.tuning.strategies import random_lists


def line(lists, seed, ties=False):
    rng = np.random.default_rng(seed)
    start, direction = rng.standard_normal((2, lists.features.shape[1]))
    if ties:
        start, direction = np.round(start), np.round(direction)
    return start, direction, model_scores(lists, start), model_scores(lists, direction)


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.booleans())
def test_the_best_point_is_that_of_a_scan_between_all_crossings(seed, ties):
    lists = random_lists(seed, sentences=4, longest=7, ties=ties)
    _, _, intercepts, slopes = line(lists, seed, ties)
    peak = search_line(lists, intercepts, slopes, BLEU.corpus)
    assert peak.score == pytest.approx(
        naive.line_optimum(lists, intercepts, slopes, BLEU), abs=1e-12
    )


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_the_forecast_is_what_the_weights_select(seed):
    lists = random_lists(seed, sentences=20, longest=30)
    start, direction, intercepts, slopes = line(lists, seed)
    peak = search_line(lists, intercepts, slopes, BLEU.corpus)
    assert BLEU.under(lists, start + peak.gamma * direction) == pytest.approx(peak.score, abs=1e-12)


def test_no_point_of_a_dense_scan_is_better():
    lists = random_lists(5, sentences=50, longest=100)
    start, direction, intercepts, slopes = line(lists, 5)
    peak = search_line(lists, intercepts, slopes, BLEU.corpus)
    scan = [
        BLEU.under(lists, start + gamma * direction)
        for gamma in np.tan(np.linspace(-1.55, 1.55, 5000))
    ]
    assert max(scan) <= peak.score + 1e-12
    assert max(scan) > peak.score - 0.5


def test_a_line_that_changes_nothing_stays_where_it_is():
    lists = random_lists(7)
    intercepts = model_scores(lists, np.ones(4))
    peak = search_line(lists, intercepts, np.zeros(len(intercepts)), BLEU.corpus)
    assert peak == (0.0, BLEU.under(lists, np.ones(4)))


def test_of_equally_good_intervals_the_widest_wins():
    # Hypotheses 0, 1, 2 are best below -1, from -1 to 4, above 4; the last two are as good.
    slopes = np.array([0.0, 1.0, 2.0])
    intercepts = np.array([0.0, 1.0, -3.0])
    good, bad = [9, 8, 7, 6, 10, 9, 8, 7, 10, 10], [5, 4, 3, 2, 10, 9, 8, 7, 10, 10]
    lists = KBestLists(np.array([0, 3]), slopes[:, None], np.array([bad, good, good], np.int32))
    assert search_line(lists, intercepts, slopes, BLEU.corpus).gamma == 1.5
