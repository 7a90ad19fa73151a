"""One loop for all methods: decode, merge, optimise, stop (ALGORITHMS E).

Lists say nothing of weights far from those that made them: what looks best there may decode to
rubbish. So every step starts from the best weights so far, and is half as long after a round that
was no better, and up to twice as long after one that was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.core.errors import InputError
from evaluation.core.tuning.lists import FloatArray, KBestLists, merge
from evaluation.core.tuning.metric import BLEU, Metric
from evaluation.core.tuning.result import TuningResult

Decode = Callable[[FloatArray], KBestLists]
"""From weights to k-best lists of the tuning set, each list best first."""

Optimise = Callable[[KBestLists, FloatArray, np.random.Generator], TuningResult]
"""A tuning method with its options and metric: from lists and weights to better weights."""


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """When to stop, and how far to follow a method."""

    rounds: int = 15  # decodings at most
    patience: int = 5  # rounds in a row without a better score
    least_change: float = 1e-5  # of weights whose absolute values sum to 1; Moses' value
    # How much of the new weights to take, the rest being the best ones so far; PRO's paper takes
    # 0.1 of the new and the rest of the last ones (ALGORITHMS E5).
    interpolation: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what would not tune."""
        if self.rounds < 1 or self.patience < 1:
            raise InputError("tuning needs at least one round, and patience for one")
        if not 0 < self.interpolation <= 1:
            raise InputError("the share of new weights must be above 0 and at most 1")


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What one decoding showed."""

    weights: FloatArray  # (D,)  decoded with
    score: float  # of the first hypotheses: the metric on the tuning set
    hypotheses: int  # in the merged lists after it
    new: int  # of these, not seen in earlier rounds
    forecast: float  # the score that the next weights reach on the merged lists


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """How far a loop has come; all that it needs to go on."""

    rounds: tuple[Round, ...]
    weights: FloatArray  # (D,)  to decode with next
    lists: KBestLists | None = None  # of all rounds, merged; None before the first
    stopped: str = ""  # why, in words; empty while there is more to do

    @property
    def best(self) -> Round:
        """The first round with the best score on the tuning set."""
        return max(self.rounds, key=lambda done: done.score)


def tune(
    decode: Decode,
    optimise: Optimise,
    begin: FloatArray | Progress,
    seed: int,
    options: LoopOptions = LoopOptions(),
    metric: Metric = BLEU,
    after_round: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Decode, merge, optimise until there is nothing to gain; ``progress.best`` is the result.

    ``begin`` is the first weights or the `Progress` of an interrupted loop, which goes on to the
    very result that it would have had. ``after_round`` may keep the progress or raise to stop.
    """
    progress = begin if isinstance(begin, Progress) else Progress((), np.asarray(begin, np.float64))
    while not progress.stopped:
        rng = np.random.default_rng([seed, len(progress.rounds)])
        progress = _next_round(progress, decode, optimise, rng, options, metric)
        after_round(progress)
    return progress


def _next_round(
    progress: Progress,
    decode: Decode,
    optimise: Optimise,
    rng: np.random.Generator,
    options: LoopOptions,
    metric: Metric,
) -> Progress:
    """Decode with the weights, and find the next."""
    lists = decode(progress.weights)
    merged = merge(lists) if progress.lists is None else merge(progress.lists, lists)
    before = 0 if progress.lists is None else len(progress.lists.features)
    done = Round(
        weights=progress.weights,
        score=metric.of_corpus(lists.statistics[lists.offsets[:-1]]),
        hypotheses=len(merged.features),
        new=len(merged.features) - before,
        forecast=metric.under(merged, progress.weights),
    )
    decoded = Progress((*progress.rounds, done), progress.weights, merged)
    # On the way from old weights to new ones, there may be nothing new yet.
    if done.new == 0 and options.interpolation * _share(progress.rounds) == 1.0:
        return replace(decoded, stopped="no new translations")
    rounds, best = len(decoded.rounds), decoded.best
    if rounds - 1 - decoded.rounds.index(best) >= options.patience:
        return replace(decoded, stopped=f"no better score for {options.patience} rounds")
    if rounds >= options.rounds:
        return replace(decoded, stopped=f"{options.rounds} rounds done")
    share = _share(decoded.rounds)
    optimal = optimise(merged, best.weights, rng).weights
    found = options.interpolation * optimal + (1 - options.interpolation) * best.weights
    change = share * np.abs(_scaled(found) - _scaled(best.weights)).max()
    weights = found if share == 1.0 else _between(best.weights, found, share)
    return Progress(
        (*progress.rounds, replace(done, forecast=metric.under(merged, weights))),
        weights,
        merged,
        stopped="the weights stay as they are" if change < options.least_change else "",
    )


def _share(rounds: Sequence[Round]) -> float:
    """How far to go towards new weights after these rounds."""
    share = 1.0
    for number, done in enumerate(rounds[1:], start=1):
        best = max(before.score for before in rounds[:number])
        share = min(1.0, 2 * share) if done.score > best else share / 2
    return share


def _between(old: FloatArray, new: FloatArray, share: float) -> FloatArray:
    """Weights on the way from old to new, as long as the new ones.

    Both count by what they select, so their lengths do not matter.
    """
    way = share * _scaled(new) + (1 - share) * _scaled(old)
    length = np.abs(new).sum()
    return way * length if length > 0 else way


def _scaled(weights: FloatArray) -> FloatArray:
    """The weights with absolute values of sum 1: what selection depends on."""
    length = np.abs(weights).sum()
    return weights / length if length > 0 else weights
