"""How large a study must be: the power of a design, found by simulating it (C1, C3, C5).

A design is judged by the very test that the report will use, on studies as the assumptions
describe them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.core.errors import InputError
from evaluation.core.statistics.agreement import item_counts
from evaluation.core.statistics.intervals import Interval, wilson_limits
from evaluation.core.statistics.judgments import FloatArray, Judgments, tally
from evaluation.core.statistics.preferences import difference, sign_flip
from evaluation.core.statistics.simulation import Assumptions, Design, leanings, simulate


@dataclass(frozen=True, slots=True)
class Power:
    """How often a study of this design would find the difference that is assumed."""

    design: Design
    assumptions: Assumptions
    power: Interval  # share of simulated studies whose test is significant; count: studies
    half_width: float  # how far off the estimated difference typically is: 95 % are nearer
    significance: float  # the test's level, before it is divided by ``comparisons``
    comparisons: int
    workers: int
    seed: int


def power(
    design: Design,
    assumptions: Assumptions,
    *,
    seed: int,
    studies: int = 1000,
    significance: float = 0.05,
    comparisons: int = 1,
    workers: int = 50,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Power:
    """Simulate studies and count how often "no difference" is rejected.

    For the power within a quartile ask for a quarter of the sentences and ``comparisons=4``: the
    first step of Holm's correction. With no difference assumed the power is the false alarms.
    ``progress`` hears after each study how many are done, and of how many.
    """
    if studies < 1 or comparisons < 1 or not 0 < significance < 1:
        raise InputError(
            "the power needs at least 1 study, 1 comparison and a significance such as 0.05",
            hint="Correct the one that is out of range.",
        )
    parameters = leanings(assumptions, design.draws)
    rng = np.random.default_rng(seed)
    found, differences = 0, np.empty(studies)
    for study in range(studies):
        counts = tally(simulate(design, parameters, rng, workers=workers))
        differences[study] = difference(counts.sum(axis=0).astype(np.float64))
        found += sign_flip(counts[:, 0] - counts[:, 2]) <= significance / comparisons
        progress(study + 1, studies)
    share = found / studies
    truth = assumptions.first - assumptions.second
    return Power(
        design=design,
        assumptions=assumptions,
        power=Interval(share, *wilson_limits(share, studies, 0.95), studies, studies),
        half_width=float(np.quantile(np.abs(differences - truth), 0.95)),
        significance=significance,
        comparisons=comparisons,
        workers=workers,
        seed=seed,
    )


def assumptions_of_pilot(judgments: Judgments, *, first: int = 0, second: int = 1) -> Assumptions:
    """What a pilot suggests: its shares, how often judges of a pair and of a sentence agree.

    A pilot with one judge a pair, or one pair a sentence, cannot say the latter; it is refused.
    """
    chosen = judgments.between(first, second)
    counts = tally(chosen, first, second).astype(np.float64)
    items = item_counts(chosen)[0].astype(np.float64)
    in_item = _pairs(items)
    agree_item = _agreeing(items)
    in_sentence = _pairs(counts) - in_item
    agree_sentence = _agreeing(counts) - agree_item
    if not in_item or not in_sentence:
        raise InputError(
            "the pilot has no two judgments of one pair of outputs, or of two pairs of a sentence",
            hint="Type the agreement in, or let two judges judge two pairs of some sentences.",
        )
    total = counts.sum(axis=0)
    if not total[0] or not total[2]:
        raise InputError(
            "nobody in the pilot preferred one of the conditions",
            hint="Type the shares in that you expect, for 0 % cannot be planned with.",
        )
    shares = total / total.sum()
    return Assumptions(
        first=float(shares[0]),
        second=float(shares[2]),
        agreement=agree_item / in_item,
        likeness=agree_sentence / in_sentence,
    )


def _pairs(counts: FloatArray) -> float:
    size = counts.sum(axis=1)
    return float((size * (size - 1)).sum() / 2)


def _agreeing(counts: FloatArray) -> float:
    return float((counts * (counts - 1)).sum() / 2)
