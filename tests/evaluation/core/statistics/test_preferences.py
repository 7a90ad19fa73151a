from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import Bootstrap
from evaluation.core.statistics.preferences import holm, preferences, sign_flip
from evaluation.core.statistics.quartiles import groups_at, quartiles
from tests.evaluation.core.statistics.studies import PAPER, judgments, study

QUICK = Bootstrap(seed=7, samples=500)


def sign_flip_slowly(scores):
    """Every way of flipping, counted."""
    observed = abs(sum(scores))
    sums = [
        abs(sum(sign * score for sign, score in zip(signs, scores, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(scores))
    ]
    return sum(value >= observed for value in sums) / len(sums)


@given(st.lists(st.integers(-9, 9), max_size=9))
def test_sign_flip_against_all_flips(scores):
    found = sign_flip(np.array(scores, dtype=np.int64))
    assert found == pytest.approx(sign_flip_slowly(scores), abs=1e-12)


def test_sign_flip_against_scipy():
    scores = np.array([3, 1, -2, 5, 4, 0, 2, -1, 6])
    theirs = scipy.stats.permutation_test(
        (scores,), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(scores) == pytest.approx(theirs.pvalue)


def test_sign_flip_of_two_hundred_sentences_is_near_the_normal():
    scores = np.random.default_rng(4).integers(-13, 14, size=200)
    z = scores.sum() / np.sqrt((scores**2).sum())
    assert sign_flip(scores) == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), rel=0.02)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closed_bonferroni_test(values):
    """A hypothesis falls when every set of hypotheses that holds it falls, by Bonferroni."""
    places = range(len(values))
    sets = [
        chosen
        for size in range(1, len(values) + 1)
        for chosen in itertools.combinations(places, size)
    ]
    expected = [
        max(
            min(1.0, len(chosen) * min(values[j] for j in chosen)) for chosen in sets if i in chosen
        )
        for i in places
    ]
    assert holm(values) == pytest.approx(expected)


def test_holm_against_statsmodels():
    values = [0.013, 0.2, 0.004, 0.04, 0.039]
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1])


def test_holm_passes_over_what_is_undefined():
    assert holm([0.01, None, 0.04]) == (0.02, None, 0.04)
    assert holm([]) == ()


@given(judgments())
def test_shares_are_shares_of_the_judgments(made):
    found = preferences(made, Bootstrap(1, samples=100))
    if not len(made):
        assert found.overall.first.estimate is None
        assert found.overall.p is None
        return
    favour = made.favour(0).tolist()
    overall = found.overall
    assert overall.first.estimate == pytest.approx(favour.count(1) / len(favour))
    assert overall.same.estimate == pytest.approx(favour.count(0) / len(favour))
    assert overall.second.estimate == pytest.approx(favour.count(-1) / len(favour))
    assert overall.difference.estimate == pytest.approx(sum(favour) / len(favour))
    assert overall.judgments == len(made)
    assert overall.sentences == len(set(made.sentence.tolist()))
    per_sentence = [sum(made.favour(0)[made.sentence == s].tolist()) for s in range(6)]
    assert overall.p == pytest.approx(sign_flip_slowly(per_sentence))


def test_groups_are_studies_of_their_own():
    made = study(sentences=40)
    groups = quartiles(np.random.default_rng(2).random(40))
    found = preferences(made, QUICK, groups=groups)
    alone = preferences(made.where(groups.group[made.sentence] == 2), QUICK).overall
    third = found.groups[2]
    assert (third.first, third.same, third.second) == (alone.first, alone.same, alone.second)
    assert third.difference == alone.difference
    assert third.p == alone.p
    assert [part.p_holm for part in found.groups] == list(holm([g.p for g in found.groups]))
    assert sum(part.judgments for part in found.groups) == found.overall.judgments
    assert found.bootstrap == QUICK


def test_a_group_without_judgments_is_undefined_and_does_not_count():
    made = study(sentences=12)
    bleu = np.arange(12.0)
    found = preferences(made, QUICK, groups=groups_at(bleu, [6, 50]))
    empty = found.groups[2]
    assert empty.first.estimate is None
    assert empty.difference.low is None
    assert empty.p is None
    assert empty.p_holm is None
    least = min(found.groups[0].p, found.groups[1].p)
    assert min(found.groups[0].p_holm, found.groups[1].p_holm) == pytest.approx(min(1, 2 * least))


def test_when_all_say_the_same_some_doubt_remains():
    made = study(sentences=15)
    made = replace(made, outcome=np.where(made.left == 0, 1, -1))
    found = preferences(made, QUICK).overall
    assert found.first.estimate == found.difference.estimate == found.difference.high == 1
    assert 0.5 < found.difference.low < found.first.low < 1
    assert found.p == 2**-14


def test_the_conditions_can_be_swapped():
    made = study(sentences=30)
    one = preferences(made, QUICK).overall
    other = preferences(made, QUICK, first=1, second=0)
    assert (other.first, other.second) == ("second", "first")
    assert one.first == other.overall.second
    assert one.difference.estimate == -other.overall.difference.estimate
    assert one.difference.low == pytest.approx(-other.overall.difference.high, abs=0.01)
    assert one.p == other.overall.p


def test_workers_with_a_taste_widen_the_interval_if_they_are_drawn_too():
    made = study(sentences=100, assumptions=replace(PAPER, taste=0.15), workers=12)
    one = preferences(made, Bootstrap(1)).overall.difference
    both = preferences(made, Bootstrap(1, resample="sentences and workers")).overall.difference
    assert one.estimate == both.estimate
    assert both.high - both.low > 1.3 * (one.high - one.low)


def test_a_taste_of_workers_can_explain_what_sentences_cannot():
    """One worker of four decides: among sentences that looks sure, among workers it does not."""
    made = study(
        sentences=100, workers=4, draws=2, assumptions=replace(PAPER, first=0.375, second=0.375)
    )
    favours_first = np.where(made.left == 0, 1, -1)
    made = replace(made, outcome=np.where(made.worker == 0, favours_first, made.outcome))
    one = preferences(made, QUICK).overall
    both = preferences(made, replace(QUICK, resample="sentences and workers")).overall
    assert one.p < 0.001
    assert both.p > 0.05
    assert both.difference.low < 0


def test_groups_of_another_study_are_refused():
    with pytest.raises(InputError, match="the groups hold 3 sentences, the study 40"):
        preferences(study(), QUICK, groups=quartiles([1, 2, 3]))
