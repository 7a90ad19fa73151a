from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from evaluation.core.errors import InputError
from evaluation.core.statistics.judgments import tally
from evaluation.core.statistics.simulation import (
    Assumptions,
    Design,
    agreement_of_correlation,
    correlation_of_agreement,
    leanings,
)
from tests.evaluation.core.statistics.studies import PAPER, study


def pairs_that_agree(made, alike):
    """Of all pairs of judgments that are alike, by hand: how many agree."""
    agree = total = 0
    favour = made.favour(0)
    for s in range(made.sentences):
        rows = np.flatnonzero(made.sentence == s)
        for i in rows:
            for j in rows:
                if i < j and alike(made.item[i], made.item[j]):
                    total += 1
                    agree += favour[i] == favour[j]
    return agree / total


def test_the_paper_s_design():
    assert (Design().edits, Design().judgments) == (1200, 5400)
    made = study(sentences=200)
    assert len(made) == 5400
    assert (tally(made).sum(axis=1) == 27).all()


def test_pairs_are_drawn_in_each_sentence():
    made = study(sentences=40, draws=3, judges=2, pairs=4)
    assert len(made) == Design(40, 3, 2, 4).judgments == 320
    chosen = [frozenset(made.item[made.sentence == s] % 9) for s in range(40)]
    assert {len(pairs) for pairs in chosen} == {4}
    assert len(set(chosen)) > 20  # other ones in other sentences
    assert {int(pair) for pairs in chosen for pair in pairs} == set(range(9))
    with pytest.raises(InputError, match="a sentence has 4 pairs, not 5"):
        Design(draws=2, pairs=5)


def test_judges_of_an_item_are_different_people():
    made = study(sentences=30, judges=4, workers=5)
    for item in range(30 * 9):
        assert len(set(made.worker[made.item == item].tolist())) == 4


def test_a_study_shows_what_was_assumed():
    made = study(sentences=1500, draws=2, judges=2, seed=3, workers=400)
    shares = tally(made).sum(axis=0) / len(made)
    assert shares == pytest.approx([0.4, 0.25, 0.35], abs=0.03)
    assert pairs_that_agree(made, lambda i, j: i == j) == pytest.approx(0.55, abs=0.03)
    assert pairs_that_agree(made, lambda i, j: i != j) == pytest.approx(0.42, abs=0.03)


def test_taste_and_side_leave_the_shares_alone():
    made = study(
        sentences=1500,
        draws=2,
        judges=1,
        workers=3000,
        assumptions=replace(PAPER, taste=0.15, side=0.15),
    )
    assert tally(made).sum(axis=0) / len(made) == pytest.approx([0.4, 0.25, 0.35], abs=0.03)


def test_agreement_is_that_of_two_correlated_normals():
    mean, threshold, rho = 0.2, 0.3, 0.5
    normal = scipy.stats.multivariate_normal([mean, mean], [[1, rho], [rho, 1]])

    def below(a, b):
        return normal.cdf([a, b])

    first = 1 - 2 * scipy.stats.norm.cdf(threshold - mean) + below(threshold, threshold)
    second = below(-threshold, -threshold)
    same = below(threshold, threshold) - 2 * below(threshold, -threshold) + second
    assert agreement_of_correlation(rho, mean, threshold) == pytest.approx(
        first + second + same, abs=1e-4
    )


@pytest.mark.parametrize("agreement", [0.36, 0.5, 0.7, 0.9])
def test_correlation_of_agreement_is_the_inverse(agreement):
    rho = correlation_of_agreement(agreement, 0.1, 0.4)
    assert agreement_of_correlation(rho, 0.1, 0.4) == pytest.approx(agreement)


def test_agreement_below_chance_is_chance():
    assert correlation_of_agreement(0.1, 0.0, 0.4) == 0.0


def test_all_of_the_variance_is_shared_out():
    parts = leanings(replace(PAPER, taste=0.1, side=0.05), draws=3)
    whole = parts.sentence + 2 * parts.output + parts.taste + parts.side + parts.noise
    assert whole == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Design(sentences=0), "at least one sentence"),
        (lambda: Assumptions(40, 35, 0.5, 0.4), "not between 0 and 1"),
        (lambda: Assumptions(0.7, 0.7, 0.5, 0.4), "leave nothing to choose"),
        (lambda: leanings(replace(PAPER, agreement=0.9, taste=0.4), 3), "no room for chance"),
        (lambda: study(workers=2), "2 workers cannot be 3 different judges"),
    ],
)
def test_what_no_study_could_be(make, message):
    with pytest.raises(InputError, match=message):
        make()
