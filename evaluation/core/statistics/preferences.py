"""Which of two conditions people prefer, overall and by quartile (ALGORITHMS B5, C6; Figure 2).

The share of judgments for each condition and for "same", with intervals that resample sentences,
and a test of "no difference" that flips the signs of whole sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import Bootstrap, Interval, Resamples, resample
from evaluation.core.statistics.judgments import FloatArray, IntArray, Judgments
from evaluation.core.statistics.quartiles import Groups


@dataclass(frozen=True, slots=True)
class Preference:
    """What the judgments of one group of sentences say; shares from 0 to 1."""

    first: Interval  # share of judgments that prefer the first condition
    same: Interval
    second: Interval
    difference: Interval  # first less second, -1 to 1
    p: float | None  # of "no difference", two-sided; None without judgments
    p_holm: float | None  # the same, corrected for the number of groups

    @property
    def judgments(self) -> int:
        """How many judgments there are."""
        return self.first.count

    @property
    def sentences(self) -> int:
        """How many sentences have a judgment."""
        return self.first.clusters


@dataclass(frozen=True, slots=True)
class Preferences:
    """Preferences between two conditions, with everything needed to find them again."""

    first: str  # the conditions' names
    second: str
    overall: Preference
    groups: tuple[Preference, ...]  # one for each group of sentences, empty ones included
    bootstrap: Bootstrap


def preferences(
    judgments: Judgments,
    bootstrap: Bootstrap,
    *,
    groups: Groups | None = None,
    first: int = 0,
    second: int = 1,
) -> Preferences:
    """Shares, intervals and tests for two conditions, overall and per group (ALGORITHMS C6).

    Groups are taken as given: in each of them its own sentences are resampled.
    """
    if groups is not None and len(groups.group) != judgments.sentences:
        raise InputError(
            f"the groups hold {len(groups.group)} sentences, the study {judgments.sentences}",
            hint="Give the covariate of every sentence of the study.",
        )
    chosen = judgments.between(first, second)
    favour = chosen.favour(first)

    def preference(rows: NDArray[np.bool_] | slice) -> Preference:
        one_hot = (1 - favour[rows])[:, None] == np.arange(3)  # (J, 3) first, same, second
        sentence = chosen.sentence[rows]
        drawn = resample(one_hot, sentence, bootstrap, worker=chosen.worker[rows])
        return _described(drawn, _p(drawn, sentence, favour[rows]))

    parts = []
    if groups is not None:
        group = groups.group[chosen.sentence]
        parts = [preference(group == g) for g in range(groups.count)]
    corrected = holm([part.p for part in parts])
    return Preferences(
        first=judgments.conditions[first],
        second=judgments.conditions[second],
        overall=preference(slice(None)),
        groups=tuple(
            replace(part, p_holm=p_holm) for part, p_holm in zip(parts, corrected, strict=True)
        ),
        bootstrap=bootstrap,
    )


def _p(drawn: Resamples, sentence: IntArray, favour: IntArray) -> float | None:
    """The test that belongs to the interval.

    Flipping sentences takes workers for interchangeable. Where they are drawn again, because
    some may have a taste for one condition whatever the sentence, the test is Student's with the
    two-way variance.
    """
    if not len(sentence):
        return None
    if drawn.options.resample == "sentences and workers":
        return drawn.p_of_zero(difference)
    scores = np.bincount(sentence, weights=favour)
    return sign_flip(scores.astype(np.int64))


def _described(drawn: Resamples, p: float | None) -> Preference:
    first, same, second = (drawn.share(part) for part in range(3))
    apart = drawn.interval(difference, first.count)
    if apart.low is not None and apart.low == apart.high:
        # Every sentence says the same, so the bootstrap cannot doubt; the shares' limits can.
        limits = (first.low, first.high, second.low, second.high)
        a, b, c, d = (0.0 if limit is None else limit for limit in limits)
        apart = replace(apart, low=a - d, high=b - c)
    return Preference(first, same, second, apart, p, p_holm=p)


def difference(sums: FloatArray) -> FloatArray:
    """The first condition's share less the second's, from totals (..., 3)."""
    return np.asarray((sums[..., 0] - sums[..., 2]) / sums.sum(axis=-1))


def sign_flip(scores: IntArray) -> float:
    """The exact two-sided p of "no difference", from one whole number a sentence.

    A sentence's score is how many judgments prefer the first condition less how many the second.
    Without a difference each score might as well have the other sign. All 2^S ways of flipping
    are counted: sums of whole numbers are few, so their distribution grows sentence by sentence
    in O(S * sum|score|), and there is nothing to sample.
    """
    sizes = np.abs(scores[scores != 0])
    reach = int(sizes.sum())
    chance = np.zeros(2 * reach + 1)  # of a sum of -reach..reach
    chance[reach] = 1.0
    low = high = reach  # what can differ from 0 so far
    for size in sizes.tolist():
        half = chance[low : high + 1] / 2
        chance[low : high + 1] = 0.0
        chance[low - size : high - size + 1] += half
        chance[low + size : high + size + 1] += half
        low, high = low - size, high + size
    extreme = abs(int(scores.sum()))
    both = chance[: reach - extreme + 1].sum() + chance[reach + extreme :].sum()
    return min(1.0, float(both))


def holm(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's correction (1979) of several p values; undefined ones stay so and do not count."""
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    corrected: list[float | None] = [None] * len(values)
    running = 0.0
    for rank, (value, place) in enumerate(known):
        running = max(running, min(1.0, (len(known) - rank) * value))
        corrected[place] = running
    return tuple(corrected)
