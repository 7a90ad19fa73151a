"""What each worker does: agreement with the others, ties, a favourite side, speed (C6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.core.statistics.agreement import canonical_outcome
from evaluation.core.statistics.intervals import Bootstrap, Interval, median_interval, resample
from evaluation.core.statistics.judgments import FloatArray, Judgments


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker's judgments. Counts are judgments, for agreement pairs of judgments."""

    name: str
    judgments: int
    sentences: int
    agreement: Interval  # share of pairs with another worker's judgment of the item that agree
    kappa: Interval  # Cohen's, of this worker against the others
    ties: Interval  # share of "same"
    left: Interval  # of those that are not: share for the left output; 0.5 without a bias
    seconds: Interval  # median time a judgment


def workers(judgments: Judgments, bootstrap: Bootstrap) -> tuple[Worker, ...]:
    """Every worker, in the judgments' order, those without a judgment included."""
    confusion = _confusion(judgments)
    return tuple(
        _worker(judgments, w, confusion[judgments.worker == w], bootstrap)
        for w in range(len(judgments.workers))
    )


def _worker(
    judgments: Judgments, worker: int, confusion: FloatArray, bootstrap: Bootstrap
) -> Worker:
    own = judgments.where(judgments.worker == worker)
    said = own.outcome[:, None] == np.array([1, 0, -1])  # left, same, right
    compared = confusion.sum(axis=1) > 0
    pairs = resample(confusion[compared], own.sentence[compared], bootstrap)
    decided = own.outcome != 0
    seconds = np.full(len(own), np.nan) if own.seconds is None else own.seconds
    return Worker(
        name=judgments.workers[worker],
        judgments=len(own),
        sentences=len(np.unique(own.sentence)),
        agreement=pairs.interval(
            lambda sums: _trace(sums) / sums.sum(axis=-1), round(pairs.total.sum())
        ),
        kappa=pairs.interval(_cohen, round(pairs.total.sum())),
        ties=resample(said[:, [1, 0, 2]], own.sentence, bootstrap).share(0),
        left=resample(said[decided][:, [0, 2]], own.sentence[decided], bootstrap).share(0),
        seconds=median_interval(seconds, own.sentence, bootstrap),
    )


def _confusion(judgments: Judgments) -> FloatArray:
    """(J, 9) for each judgment: its outcome by that of each other worker's judgment of the item."""
    outcome = canonical_outcome(judgments) + 1
    item = np.unique(judgments.item, return_inverse=True)[1]
    W = max(1, len(judgments.workers))
    seen = np.unique(item * W + judgments.worker, return_inverse=True)[1]
    everybody = np.zeros((item.max(initial=-1) + 1, 3))
    np.add.at(everybody, (item, outcome), 1)
    oneself = np.zeros((seen.max(initial=-1) + 1, 3))
    np.add.at(oneself, (seen, outcome), 1)
    others = everybody[item] - oneself[seen]
    rows = np.zeros((len(judgments), 3, 3))
    rows[np.arange(len(judgments)), outcome] = others
    return rows.reshape(-1, 9)


def _trace(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] + sums[..., 4] + sums[..., 8])


def _cohen(sums: FloatArray) -> FloatArray:
    """Cohen's kappa (1960) from a confusion matrix, laid flat."""
    table = sums.reshape(*sums.shape[:-1], 3, 3) / sums.sum(axis=-1)[..., None, None]
    expected = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1)
    observed = np.trace(table, axis1=-2, axis2=-1)
    room = 1 - expected
    return np.asarray((observed - expected) / np.where(room > 1e-12, room, np.nan))
