from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.optimize
import statsmodels.api as sm
from hypothesis import given

from evaluation.core.statistics.intervals import Bootstrap
from evaluation.core.statistics.judgments import Judgments
from evaluation.core.statistics.rankings import fit_davidson, ranking, win_ratios, win_table
from tests.evaluation.core.statistics.studies import judgments, study
from tests.evaluation.core.statistics.wmt import expected, wmt12, wmt16

QUICK = Bootstrap(seed=3, samples=100)


def tournament(wins, ties):
    """One judgment after the other, each in a sentence of its own."""
    rows = []
    for i, j in itertools.permutations(range(len(wins)), 2):
        rows += [(i, j, 1)] * wins[i][j]
        rows += [(i, j, 0)] * (ties[i][j] if i < j else 0)
    left, right, outcome = np.array(rows).T
    places = np.arange(len(rows))
    return Judgments(
        places, places, places * 0, left, right, outcome, len(rows), ("w",),
        tuple("ABCDE"[: len(wins)]),
    )  # fmt: skip


WINS = [[0, 9, 12], [4, 0, 8], [3, 5, 0]]
TIES = [[0, 5, 2], [5, 0, 4], [2, 4, 0]]


def likelihood_slowly(theta, delta, wins, ties):
    """Davidson's formula, comparison by comparison."""
    strength, nu = np.exp(theta), np.exp(delta)
    total = 0.0
    for i, j in itertools.combinations(range(len(theta)), 2):
        tie = nu * np.sqrt(strength[i] * strength[j])
        whole = strength[i] + strength[j] + tie
        total += wins[i][j] * np.log(strength[i] / whole)
        total += wins[j][i] * np.log(strength[j] / whole)
        total += ties[i][j] * np.log(tie / whole)
    return total


def test_davidson_is_where_the_formula_is_greatest():
    theta, delta = fit_davidson(np.array(WINS), np.array(TIES))
    best = scipy.optimize.minimize(
        lambda x: -likelihood_slowly([x[0], x[1], -x[0] - x[1]], x[2], WINS, TIES),
        np.zeros(3),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 10_000},
    ).x
    assert theta == pytest.approx([best[0], best[1], -best[0] - best[1]], abs=1e-5)
    assert delta == pytest.approx(best[2], abs=1e-5)


def test_without_ties_it_is_bradley_terry():
    """Which is a logistic regression on who took part."""
    none = np.zeros((3, 3), dtype=int)
    theta, delta = fit_davidson(np.array(WINS), none)
    assert delta is None
    pairs = list(itertools.combinations(range(3), 2))
    design = np.array([[(k == i) - (k == j) for k in range(1, 3)] for i, j in pairs], dtype=float)
    counts = np.array([[WINS[i][j], WINS[j][i]] for i, j in pairs])
    fit = sm.GLM(counts, design, family=sm.families.Binomial()).fit()
    assert theta - theta[0] == pytest.approx([0, *fit.params], abs=1e-6)


def test_the_sandwich_of_independent_judgments_against_statsmodels():
    """Without ties, every judgment its own sentence: the HC0 errors of a logistic regression."""
    made = tournament(WINS, np.zeros((3, 3), dtype=int).tolist())
    design = (made.left[:, None] == [1, 2]).astype(float) - (made.right[:, None] == [1, 2])
    fit = sm.Logit(made.outcome == 1, design).fit(disp=0, cov_type="HC0")
    found = ranking(made)
    scale = np.sqrt(len(made) / (len(made) - 1))
    for k, error in ((1, fit.bse[0]), (2, fit.bse[1])):
        against = found.difference(k, 0)
        assert against.estimate == pytest.approx(fit.params[k - 1], abs=1e-6)
        half = (against.high - against.low) / 2
        t = scipy.stats.t.ppf(0.975, len(made) - 1)
        assert half == pytest.approx(t * error * scale, rel=1e-5)
    assert found.tie.estimate is None


def test_ranking_names_the_best():
    found = ranking(tournament(WINS, TIES))
    assert found.order == (0, 1, 2)
    assert sum(value.estimate for value in found.strength) == pytest.approx(0)
    assert found.difference(0, 0).estimate == 0
    assert found.tie.low < found.tie.estimate < found.tie.high
    assert np.array_equal(found.table.wins, WINS)
    assert np.array_equal(found.table.ties, TIES)


@pytest.mark.parametrize(
    ("wins", "ties"),
    [
        ([[0, 3, 3], [0, 0, 2], [0, 2, 0]], [[0] * 3] * 3),  # A never loses
        ([[0, 3, 0], [2, 0, 0], [0, 0, 0]], [[0] * 3] * 3),  # C never plays
        ([[0, 0], [0, 0]], [[0, 5], [5, 0]]),  # only ties
    ],
)
def test_strengths_that_would_be_infinite_are_undefined(wins, ties):
    found = ranking(tournament(wins, ties))
    assert found.order == ()
    assert all(value.estimate is None for value in found.strength)
    assert found.difference(0, 1).estimate is None
    assert found.covariance is None


def test_one_sentence_has_strengths_but_no_intervals():
    made = study(sentences=1)
    found = ranking(made)
    assert found.strength[0].estimate is not None
    assert found.strength[0].low is None
    assert found.difference(0, 1).low is None


@given(judgments(conditions=4))
def test_wins_and_ties_are_counted_by_hand(made):
    wins, ties = np.zeros((4, 4), dtype=int), np.zeros((4, 4), dtype=int)
    for i, j, outcome in zip(made.left, made.right, made.outcome, strict=True):
        if outcome == 1:
            wins[i, j] += 1
        elif outcome == -1:
            wins[j, i] += 1
        else:
            ties[i, j] += 1
            ties[j, i] += 1
    found = win_table(made)
    assert found.wins.tolist() == wins.tolist()
    assert found.ties.tolist() == ties.tolist()
    for c, share in enumerate(win_ratios(made, QUICK)):
        decided = wins[c].sum() + wins[:, c].sum()
        assert share.count == decided
        if decided:
            assert share.estimate == pytest.approx(wins[c].sum() / decided)
        else:
            assert share.estimate is None


@pytest.mark.parametrize("pair", ["deu-eng", "tur-eng", "eng-tur"])
def test_the_win_ratios_of_wmt16_and_a_ranking_like_the_official(reference_data, pair):
    folder = reference_data("humaneval-wmt16")
    made = wmt16(folder, pair, expanded=True)
    ratios = expected(folder)[pair]["win_ratio_expanded"]
    for name, value in zip(made.conditions, win_ratios(made, QUICK), strict=True):
        assert round(value.estimate, 4) == ratios[name]
    lines = (folder / f"{pair}.official-ranking.tsv").read_text().splitlines()[1:]
    official = {line.split("\t")[0]: float(line.split("\t")[1]) for line in lines}
    found = ranking(made)
    ours = [value.estimate for value in found.strength]
    theirs = [official[name] for name in made.conditions]
    assert scipy.stats.pearsonr(ours, theirs).statistic > 0.98
    assert made.conditions[found.order[0]] == max(official, key=official.get)


def test_the_win_ratios_of_wmt12(reference_data):
    folder = reference_data("humaneval-wmt12-deen")
    made, ratios = wmt12(folder), expected(folder)["win_ratio"]
    for name, value in zip(made.conditions, win_ratios(made, QUICK), strict=True):
        assert round(value.estimate, 4) == ratios[name]
