"""Bootstrap intervals and the sign-flip test of the paper's study, against plain numpy loops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Row, seconds
from evaluation.core.statistics.intervals import Bootstrap, resample
from evaluation.core.statistics.judgments import Judgments, tally
from evaluation.core.statistics.preferences import difference, preferences, sign_flip
from evaluation.core.statistics.simulation import Assumptions, Design, leanings, simulate

SAMPLES = 10_000


def rows(data: Path | None) -> Iterator[Row]:
    """The 5,400 judgments of ALGORITHMS C5; CPU seconds, so that threads do not flatter."""
    assumed = Assumptions(first=0.4, second=0.35, agreement=0.55, likeness=0.42)
    study = simulate(Design(), leanings(assumed, draws=3), np.random.default_rng(1))
    options = Bootstrap(seed=1, samples=SAMPLES)

    few = 200
    loop = seconds(lambda: _loop(study, few), repeat=1, cpu=True) * SAMPLES / few
    ours = seconds(lambda: _samples(study, options), cpu=True)
    yield Row(
        name="10,000 bootstrap samples of 5,400 judgments",
        ratio=loop / ours,
        against="plain numpy loop's time / ours",
        aim="ours under a second on one core",
        met=ours < 1,
        detail={"seconds": ours, "seconds of the loop": loop, "loop timed for": few},
    )

    whole = seconds(lambda: preferences(study, options), cpu=True)
    yield Row(
        name="the same with four BCa intervals and the test",
        ratio=loop / whole,
        against="plain numpy loop's time / ours",
        aim="ours under a second on one core",
        met=whole < 1,
        detail={"seconds": whole},
    )

    both = Bootstrap(seed=1, samples=SAMPLES, resample="sentences and workers")
    two_way = seconds(lambda: preferences(study, both), cpu=True)
    yield Row(
        name="the same, sentences and workers drawn",
        ratio=loop / two_way,
        against="plain numpy loop's time / ours",
        aim="ours under a second on one core",
        met=two_way < 1,
        detail={"seconds": two_way},
    )

    counts = tally(study)
    scores = counts[:, 0] - counts[:, 2]
    sampled = seconds(lambda: _sampled_flips(scores), cpu=True)
    exact = seconds(lambda: sign_flip(scores), cpu=True)
    yield Row(
        name="sign-flip test, exact, 200 sentences",
        ratio=sampled / exact,
        against="10,000 random flips in numpy / ours",
        detail={
            "seconds": exact,
            "p": sign_flip(scores),
            "p of random flips": _sampled_flips(scores),
        },
    )


def _samples(study: Judgments, options: Bootstrap) -> object:
    counts = tally(study)
    return difference(resample(counts, np.arange(len(counts)), options).samples)


def _loop(study: Judgments, samples: int) -> list[float]:
    """Draw sentences, gather their judgments, take the mean: one sample after the other."""
    rng = np.random.default_rng(1)
    favour = study.favour(0)
    by_sentence = [favour[study.sentence == s] for s in range(study.sentences)]
    return [
        float(np.concatenate([by_sentence[s] for s in rng.integers(200, size=200)]).mean())
        for _ in range(samples)
    ]


def _sampled_flips(scores: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    signs = np.random.default_rng(1).choice([-1, 1], size=(SAMPLES, len(scores)))
    return float((np.abs(signs @ scores) >= abs(scores.sum())).mean())
