from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_kappa_of_statsmodels

from evaluation.core.errors import InputError
from evaluation.core.statistics.agreement import (
    agreement,
    fleiss_kappa,
    inter_agreement,
    intra_agreement,
    item_counts,
    krippendorff_alpha,
    strict_agreement,
)
from evaluation.core.statistics.intervals import Bootstrap, Interval
from tests.evaluation.core.statistics.studies import judgments, study
from tests.evaluation.core.statistics.wmt import expected, wmt12, wmt16

QUICK = Bootstrap(seed=3, samples=100)
PAIRS = [
    "deu-eng ron-eng tur-eng fin-eng rus-eng",
    "eng-deu eng-fin eng-rus eng-ron eng-tur",
]
PAIRS = " ".join(PAIRS).split()


def published(found):
    """As the published tables print it."""
    return {
        "pA": round(found.observed.estimate, 3),
        "pE": round(found.expected, 3),
        "kappa": round(found.kappa.estimate, 3),
        "agree": found.agree,
        "comparable": found.comparable,
        "ties": found.ties,
        "total": found.total,
    }


@pytest.mark.parametrize("pair", PAIRS)
def test_the_published_agreement_of_wmt16(reference_data, pair):
    folder = reference_data("humaneval-wmt16")
    made, table = wmt16(folder, pair), expected(folder)[pair]
    assert published(inter_agreement(made, QUICK)) == table["inter"]
    assert published(intra_agreement(made, QUICK)) == table["intra"]
    assert published(strict_agreement(made, QUICK)) == table["inter_strict"]
    assert len(made) == table["judgments"]
    assert len(made.workers) == table["judges"]
    assert made.sentences == table["segments"]


def test_the_agreement_of_wmt12(reference_data):
    folder = reference_data("humaneval-wmt12-deen")
    made, table = wmt12(folder), expected(folder)
    assert published(inter_agreement(made, QUICK)) == table["inter"]
    assert published(intra_agreement(made, QUICK)) == table["intra"]
    assert published(strict_agreement(made, QUICK)) == table["inter_strict"]


def canonical(made, row):
    """Which condition won, or neither: the same whatever stood left."""
    winner = {1: made.left[row], 0: None, -1: made.right[row]}[made.outcome[row]]
    return None if winner is None else int(winner)


@given(judgments(conditions=3))
def test_pairs_are_counted_by_hand(made):
    rows = range(len(made))
    counts = {"inter": [0, 0], "intra": [0, 0], "strict": [0, 0]}
    repeated = set()
    for i in rows:
        for j in range(i):
            if made.item[i] != made.item[j] or {made.left[i], made.right[i]} != {
                made.left[j],
                made.right[j],
            }:
                continue
            agree = canonical(made, i) == canonical(made, j)
            same_worker = made.worker[i] == made.worker[j]
            kinds = []
            if made.left[i] == made.left[j]:
                kinds.append("inter")
                if same_worker:
                    kinds.append("intra")
                    repeated.add((made.sentence[i], made.worker[i]))
            if not same_worker:
                kinds.append("strict")
            for kind in kinds:
                counts[kind][0] += agree
                counts[kind][1] += 1
    # An item is one pair of outputs, so here a pair of conditions must have an item of its own.
    assume(_items_are_pairs(made))
    for kind, call in (
        ("inter", inter_agreement),
        ("intra", intra_agreement),
        ("strict", strict_agreement),
    ):
        found = call(made, QUICK)
        assert [found.agree, found.comparable] == counts[kind]
        if not found.comparable:
            assert found.kappa.estimate is None
    total = sum((made.sentence[i], made.worker[i]) in repeated for i in rows)
    assert intra_agreement(made, QUICK).total == total


def _items_are_pairs(made):
    pairs = {}
    return all(
        pairs.setdefault(item, {left, right}) == {left, right}
        for item, left, right in zip(made.item, made.left, made.right, strict=True)
    )


tables = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=12).map(
    np.array
)


@given(st.integers(2, 6), st.integers(0, 2**32), st.integers(2, 15))
def test_fleiss_against_statsmodels(raters, seed, items):
    counts = np.random.default_rng(seed).multinomial(raters, [0.5, 0.2, 0.3], size=items)
    ours = fleiss_kappa(counts, QUICK)
    if (counts.sum(axis=0) > 0).sum() == 1:
        assert ours.estimate is None
    else:
        assert ours.estimate == pytest.approx(fleiss_kappa_of_statsmodels(counts))
        assert ours.count == raters * items


def test_the_worked_example_of_fleiss():
    """Ten subjects, fourteen raters, five categories: kappa 0.210."""
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert fleiss_kappa(counts, QUICK).estimate == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@given(counts=tables)
def test_krippendorff_against_the_package(level, counts):
    """Items have any number of judgments, none included: those are missing data."""
    ours = krippendorff_alpha(counts, QUICK, level=level)
    compared = counts[counts.sum(axis=1) > 1]
    if (compared.sum(axis=0) > 0).sum() < 2:
        assert ours.estimate is None
        return
    theirs = krippendorff.alpha(value_counts=counts, level_of_measurement=level)
    assert ours.estimate == pytest.approx(theirs, abs=1e-9)


def test_krippendorff_looks_at_the_values_of_an_interval_scale():
    counts = np.array([[2, 1, 0], [0, 2, 2], [1, 0, 3], [3, 0, 0]])
    ours = krippendorff_alpha(counts, QUICK, level="interval", values=[1, 2, 10])
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=[1, 2, 10], level_of_measurement="interval"
    )
    assert ours.estimate == pytest.approx(theirs)


def test_coefficients_of_a_study_against_the_packages():
    made = study(sentences=60)
    counts, sentence = item_counts(made)
    assert (np.bincount(sentence) == 9).all()
    found = agreement(made, QUICK)
    assert found.fleiss.estimate == pytest.approx(fleiss_kappa_of_statsmodels(counts))
    for level, ours in (("nominal", found.alpha_nominal), ("ordinal", found.alpha_ordinal)):
        theirs = krippendorff.alpha(value_counts=counts, level_of_measurement=level)
        assert ours.estimate == pytest.approx(theirs)
        assert ours.low < ours.estimate < ours.high
        assert (ours.count, ours.clusters) == (1620, 60)
    assert found.intra.comparable == 0
    assert found.intra.kappa == Interval(None, None, None, 0, 0)
    assert found.inter.comparable < found.strict.comparable == 60 * 9 * 3
    assert found.strict.observed.estimate == pytest.approx(0.55, abs=0.05)
    assert found == agreement(made, QUICK)


def test_nobody_agrees_on_nothing():
    none = study(sentences=1).where(np.zeros(0, dtype=np.int64))
    found = agreement(none, QUICK)
    assert found.inter.expected is None
    for value in (found.inter.kappa, found.strict.observed, found.fleiss, found.alpha_nominal):
        assert value.estimate is None
        assert value.low is None


def test_all_the_same_is_undefined():
    assert fleiss_kappa([[3, 0], [3, 0]], QUICK).estimate is None
    assert krippendorff_alpha([[3, 0], [3, 0]], QUICK).estimate is None


def test_what_is_no_table_of_counts():
    with pytest.raises(InputError, match="a table of counts, items by categories"):
        fleiss_kappa([1, 2, 3], QUICK)
