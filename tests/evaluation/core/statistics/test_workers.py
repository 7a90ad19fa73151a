from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from statsmodels.stats.inter_rater import cohens_kappa

from evaluation.core.statistics.intervals import Bootstrap, Interval
from evaluation.core.statistics.workers import workers
from tests.evaluation.core.statistics.studies import PAPER, judgments, study

QUICK = Bootstrap(seed=3, samples=100)


@given(judgments())
def test_each_worker_against_the_others_by_hand(made):
    favour = made.favour(0)
    for w, found in enumerate(workers(made, QUICK)):
        own = np.flatnonzero(made.worker == w)
        pairs = Counter(
            (favour[i], favour[j])
            for i in own
            for j in range(len(made))
            if made.worker[j] != w and made.item[i] == made.item[j]
        )
        total = pairs.total()
        assert found.agreement.count == total
        if total:
            agree = sum(count for (a, b), count in pairs.items() if a == b)
            assert found.agreement.estimate == pytest.approx(agree / total)
            table = np.array([[pairs[a, b] for b in (-1, 0, 1)] for a in (-1, 0, 1)])
            if len({outcome for pair in pairs for outcome in pair}) > 1:
                theirs = cohens_kappa(table, return_results=False)
                assert found.kappa.estimate == pytest.approx(theirs)
            else:
                assert found.kappa.estimate is None
        else:
            assert found.agreement.estimate is None
        outcomes = made.outcome[own].tolist()
        assert found.judgments == len(own)
        assert found.sentences == len({int(made.sentence[i]) for i in own})
        if outcomes:
            assert found.ties.estimate == pytest.approx(outcomes.count(0) / len(outcomes))
        decided = [outcome for outcome in outcomes if outcome]
        if decided:
            assert found.left.estimate == pytest.approx(decided.count(1) / len(decided))
        else:
            assert found.left.estimate is None
        assert found.seconds == Interval(None, None, None, 0, 0)


def test_a_favourite_side_shows():
    made = study(sentences=100, workers=6, assumptions=replace(PAPER, side=0.0))
    always_left = np.where(made.worker == 2, 1, made.outcome)
    found = workers(replace(made, outcome=always_left), QUICK)
    assert found[2].left.low > 0.9
    assert found[2].ties.estimate == 0
    assert found[1].left.low < 0.5 < found[1].left.high
    assert found[2].agreement.estimate < min(found[w].agreement.estimate for w in (0, 1, 3, 4, 5))


def test_speed_is_the_median_time():
    made = study(sentences=10, workers=4)
    seconds = np.random.default_rng(1).lognormal(3, 1, len(made))
    seconds[::5] = np.nan
    found = workers(replace(made, seconds=seconds), QUICK)[3]
    own = seconds[(made.worker == 3) & np.isfinite(seconds)]
    assert found.seconds.estimate == np.median(own)
    assert found.seconds.count == len(own)
    assert found.seconds.low < found.seconds.estimate < found.seconds.high
    assert found.name == "worker 4"
