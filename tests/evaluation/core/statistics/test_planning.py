from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from evaluation.core.errors import InputError
from evaluation.core.statistics.planning import assumptions_of_pilot, power
from evaluation.core.statistics.simulation import Assumptions, Design
from tests.evaluation.core.statistics.studies import PAPER, study


def test_power_grows_with_the_study_and_with_the_difference():
    small = power(Design(25, 2, 2), PAPER, seed=1, studies=200)
    large = power(Design(200, 2, 2), PAPER, seed=1, studies=200)
    clear = power(Design(25, 2, 2), replace(PAPER, first=0.6, second=0.2), seed=1, studies=200)
    assert small.power.high < large.power.low
    assert small.power.high < clear.power.low
    assert large.half_width < small.half_width / 2
    assert power(Design(25, 2, 2), PAPER, seed=1, studies=200) == small
    assert small.power.count == 200


def test_progress_is_told():
    heard = []
    power(Design(5, 1, 1), PAPER, seed=1, studies=3, progress=lambda *done: heard.append(done))
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_correcting_for_comparisons_costs_power():
    one = power(Design(60, 2, 1), PAPER, seed=1, studies=200)
    four = power(Design(60, 2, 1), PAPER, seed=1, studies=200, comparisons=4)
    assert four.power.estimate < one.power.estimate
    assert four.half_width == one.half_width


def test_the_power_of_independent_judgments_is_the_textbook_s():
    """One judgment a sentence: a sign test, whose power is a sum of binomials."""
    first, second, n = 0.5, 0.3, 100
    alone = Assumptions(first, second, agreement=0.0, likeness=0.0)
    found = power(Design(n, 1, 1), alone, seed=4, studies=1500)
    exact = 0.0
    for decided in range(n + 1):
        wins = np.arange(decided + 1)
        tail = scipy.stats.binom.cdf(np.minimum(wins, decided - wins), decided, 0.5)
        significant = np.minimum(1, 2 * tail) <= 0.05
        chance = scipy.stats.binom.pmf(wins, decided, first / (first + second))
        exact += scipy.stats.binom.pmf(decided, n, first + second) * chance[significant].sum()
    assert found.power.low < exact < found.power.high


def test_a_pilot_tells_what_it_was_made_from():
    made = study(sentences=1500, draws=2, judges=2, seed=5)
    found = assumptions_of_pilot(made)
    assert found.first == pytest.approx(PAPER.first, abs=0.03)
    assert found.second == pytest.approx(PAPER.second, abs=0.03)
    assert found.agreement == pytest.approx(PAPER.agreement, abs=0.03)
    assert found.likeness == pytest.approx(PAPER.likeness, abs=0.03)


def test_pilots_that_cannot_tell():
    with pytest.raises(InputError, match="no two judgments of one pair"):
        assumptions_of_pilot(study(sentences=5, judges=1))
    made = study(sentences=5)
    with pytest.raises(InputError, match="nobody in the pilot preferred one"):
        assumptions_of_pilot(made.where(made.favour(0) >= 0))


def test_numbers_out_of_range():
    with pytest.raises(InputError, match="at least 1 study, 1 comparison"):
        power(Design(), PAPER, seed=1, studies=0)
