from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import (
    Bootstrap,
    Interval,
    bca_limits,
    median_interval,
    percentile_limits,
    resample,
    wilson_limits,
)
from evaluation.core.statistics.judgments import tally
from tests.evaluation.core.statistics.studies import study


def mean(sums):
    return sums[..., 1] / sums[..., 0]


def with_ones(values):
    return np.stack([np.ones(len(values)), values], axis=1)


def bootstrap_slowly(rows, sentence, seed, samples):
    """Draw sentences, put their rows together, add them up: one sample after the other."""
    rng = np.random.default_rng(seed)
    names = sorted(set(sentence.tolist()))
    drawn = rng.integers(len(names), size=(samples, len(names)))
    sums = []
    for sample in drawn:
        chosen = np.concatenate([np.flatnonzero(sentence == names[s]) for s in sample])
        sums.append(rows[chosen].sum(axis=0))
    return np.array(sums)


def two_way_slowly(rows, sentence, worker, seed, samples):
    rng = np.random.default_rng(seed)
    names, people = sorted(set(sentence.tolist())), sorted(set(worker.tolist()))
    sentences = rng.integers(len(names), size=(samples, len(names)))
    workers = rng.integers(len(people), size=(samples, len(people)))
    sums = np.zeros((samples, rows.shape[1]))
    for b in range(samples):
        for row, s, w in zip(rows, sentence, worker, strict=True):
            times = (sentences[b] == names.index(s)).sum() * (workers[b] == people.index(w)).sum()
            sums[b] += times * row
    return sums


@given(st.integers(0, 2**32), st.lists(st.integers(0, 6), min_size=1, max_size=25))
def test_samples_are_those_of_the_slow_twin(seed, sentence):
    sentence = np.array(sentence)
    rows = np.random.default_rng(seed).integers(5, size=(len(sentence), 3)).astype(float)
    drawn = resample(rows, sentence, Bootstrap(seed, samples=100))
    assert np.array_equal(drawn.samples, bootstrap_slowly(rows, sentence, seed, 100))
    left_out = [rows[sentence != s].sum(axis=0) for s in sorted(set(sentence.tolist()))]
    assert np.array_equal(drawn.left_out[0], left_out)


def test_two_way_samples_are_those_of_the_slow_twin():
    made = study(4, 2, 2, workers=3)
    rows = (1 - made.favour(0))[:, None] == np.arange(3)
    drawn = resample(
        rows,
        made.sentence,
        Bootstrap(5, samples=100, resample="sentences and workers"),
        worker=made.worker,
    )
    slow = two_way_slowly(rows, made.sentence, made.worker, 5, 100)
    assert np.array_equal(drawn.samples, slow)


def test_the_two_way_variance_is_that_of_the_definition():
    """Cameron, Gelbach & Miller, for a mean: V(sentences) + V(workers) - V(both)."""
    made = study(12, 2, 2, workers=6)
    favour = made.favour(0)
    drawn = resample(
        with_ones(favour),
        made.sentence,
        Bootstrap(5, samples=20_000, resample="sentences and workers", kind="percentile"),
        worker=made.worker,
    )
    found = drawn.interval(mean, len(made))

    def variance(group):
        parts = []
        for name in sorted(set(group)):
            inside = np.array([g == name for g in group])
            parts.append(favour[~inside].mean())
        parts = np.array(parts)
        return ((parts - parts.mean()) ** 2).sum() * (len(parts) - 1) / len(parts)

    sentence, worker = made.sentence.tolist(), made.worker.tolist()
    both = list(zip(sentence, worker, strict=True))
    expected = variance(sentence) + variance(worker) - variance(both)
    assert expected > max(variance(sentence), variance(worker))
    width = found.high - found.low
    assert width == pytest.approx(2 * 1.96 * np.sqrt(expected), rel=0.05)


def test_chunks_do_not_change_what_is_drawn(monkeypatch):
    rows, sentence = np.eye(7), np.arange(7)
    whole = resample(rows, sentence, Bootstrap(1, samples=300)).samples
    monkeypatch.setattr("evaluation.core.statistics.intervals._CHUNK", 50)
    assert np.array_equal(resample(rows, sentence, Bootstrap(1, samples=300)).samples, whole)


def test_bca_against_scipy_for_many_independent_values():
    values = np.random.default_rng(3).exponential(size=400)
    drawn = resample(with_ones(values), np.arange(400), Bootstrap(8, samples=20_000))
    found = drawn.interval(mean, 400)
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert found.estimate == pytest.approx(values.mean())
    # Ours is wider by the factor for few clusters, 1.003 here; the rest is the samples' chance.
    assert found.low == pytest.approx(theirs.low, rel=0.01)
    assert found.high == pytest.approx(theirs.high, rel=0.01)


def test_bca_corrects_for_bias_and_skewness():
    """Efron's formula, written out, for an estimate that 30 % of the draws lie below."""
    draws = np.arange(100_000) / 100_000
    influence = np.array([3.0, -1.0, -1.0, -1.0] * 1000)
    found = bca_limits(draws, 0.3, influence, 0.9, clusters=4000)
    z0 = scipy.stats.norm.ppf(0.3)
    a = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    assert a > 0.002
    z = scipy.stats.norm.ppf([0.05, 0.95])
    levels = scipy.stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
    assert found == pytest.approx(levels, abs=3e-4)


def test_few_clusters_are_wider_by_students_t():
    """For a mean of normal values the interval should come close to the t interval."""
    values = scipy.stats.norm.ppf((np.arange(8) + 0.5) / 8)
    drawn = resample(with_ones(values), np.arange(8), Bootstrap(8, samples=50_000))
    found = drawn.interval(mean, 8)
    half = scipy.stats.t.ppf(0.975, 7) * values.std(ddof=1) / np.sqrt(8)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.08)


def test_clusters_make_the_interval_wider():
    made = study(sentences=60)
    rows = with_ones(made.favour(0))
    clustered = resample(rows, made.sentence, Bootstrap(1)).interval(mean, len(made))
    alone = resample(rows, np.arange(len(made)), Bootstrap(1)).interval(mean, len(made))
    assert clustered.estimate == alone.estimate
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)


def test_the_seed_alone_decides():
    counts = tally(study())
    options = Bootstrap(11, samples=500)
    once = resample(counts, np.arange(40), options).share(0)
    assert resample(counts, np.arange(40), options).share(0) == once
    assert resample(counts, np.arange(40), Bootstrap(12, samples=500)).share(0) != once


def test_nothing_judged_is_undefined():
    nothing = resample(np.zeros((0, 3)), np.zeros(0, dtype=np.int64), Bootstrap(1, samples=100))
    assert nothing.share(0) == Interval(None, None, None, 0, 0)
    assert not nothing.share(0).defined


def test_one_sentence_has_an_estimate_but_no_interval():
    one = resample([[3.0, 1.0]], np.array([4]), Bootstrap(1, samples=100))
    assert one.share(0) == Interval(0.75, None, None, 4, 1)


def test_a_share_without_spread_is_not_certain():
    never = resample([[5.0, 0.0]] * 20, np.arange(20), Bootstrap(1, samples=100)).share(1)
    assert never.estimate == never.low == 0
    assert never.high == pytest.approx(proportion_confint(0, 20, method="wilson")[1])


def test_a_figure_that_most_samples_leave_undefined_has_no_interval():
    rows = np.zeros((30, 2))
    rows[0] = 1, 5  # the only sentence that says anything
    drawn = resample(rows, np.arange(30), Bootstrap(1, samples=1000)).interval(mean, 1)
    assert drawn == Interval(5.0, None, None, 1, 30)


def test_percentile_limits_pass_infinity_on():
    draws = np.concatenate([np.full(10, -np.inf), np.arange(80.0), np.full(10, np.inf)])
    assert percentile_limits(draws, 0.95) == (-np.inf, np.inf)
    assert percentile_limits(draws, 0.5) == (14.0, 64.0)
    assert percentile_limits(draws, 0.5, clusters=1) == (None, None)


def test_bca_levels_beyond_the_last_draw_end_there():
    draws = np.linspace(0, 1, 101)
    low, high = bca_limits(draws, 0.9, np.array([5.0, 0.0]), 0.95, clusters=2)
    assert 0 <= low < 0.01
    assert high == 1


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_against_statsmodels(count, part):
    share = round(part * count) / count
    theirs = proportion_confint(round(part * count), count, method="wilson")
    assert wilson_limits(share, count, 0.95) == pytest.approx(theirs, abs=1e-12)


def test_median_samples_are_medians_of_drawn_sentences():
    rng = np.random.default_rng(0)
    sentence = np.sort(rng.integers(9, size=31))
    values = rng.integers(20, size=31).astype(float)
    found = median_interval(values, sentence, Bootstrap(6, samples=400))
    drawn = np.random.default_rng(6).integers(9, size=(400, 9))
    medians = np.array(
        [np.median(np.concatenate([values[sentence == s] for s in sample])) for sample in drawn]
    )
    assert found.estimate == np.median(values)
    assert (found.low, found.high) == percentile_limits(medians, 0.95, clusters=9)


def test_median_leaves_out_what_is_not_known():
    found = median_interval([1.0, np.nan, 3.0], np.array([0, 1, 2]), Bootstrap(6, samples=400))
    assert (found.estimate, found.count, found.clusters) == (2.0, 2, 2)
    nothing = median_interval([np.nan], np.array([0]), Bootstrap(6, samples=400))
    assert nothing == Interval(None, None, None, 0, 0)


def test_options_that_make_no_sense():
    with pytest.raises(InputError, match="no interval at level 95 from 10000 samples"):
        Bootstrap(1, level=95)
    with pytest.raises(InputError, match="do not say whose they are"):
        resample(np.eye(2), np.arange(2), Bootstrap(1, resample="sentences and workers"))


def test_the_p_of_zero_is_student_s_for_independent_values():
    values = np.random.default_rng(3).normal(0.3, 1, size=25)
    drawn = resample(with_ones(values), np.arange(25), Bootstrap(8, samples=100))
    assert drawn.p_of_zero(mean) == pytest.approx(scipy.stats.ttest_1samp(values, 0).pvalue)


def test_the_p_of_zero_without_a_variance():
    def p(values):
        sentence = np.arange(len(values))
        return resample(with_ones(values), sentence, Bootstrap(8, samples=100)).p_of_zero(mean)

    assert p([0.0, 0.0, 0.0]) == 1
    assert p([1.0, 1.0, 1.0]) is None
    assert p([1.0]) is None
    assert p([]) is None
