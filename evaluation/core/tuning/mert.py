"""MERT: minimum error rate training by exact line searches (ALGORITHMS E1; Och 2003)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.core.tuning.lines import search_line
from evaluation.core.tuning.lists import FloatArray, KBestLists, model_scores
from evaluation.core.tuning.metric import BLEU, Metric
from evaluation.core.tuning.result import TuningResult

Directions = Literal["coordinate", "random", "powell"]


@dataclass(frozen=True, slots=True)
class MertOptions:
    """How MERT walks. The defaults are those of Moses' mert where it has any, but for `spread`."""

    directions: Directions = "powell"
    # coordinate  the best of all single features, until none helps
    # random      one after the other, and ``random_directions`` more, drawn anew at each step
    # powell      one after the other, the most helpful replaced by the whole way (Powell 1964)
    restarts: int = 20  # more starts, around the given one
    random_directions: int = 20
    # Of the starts: 1, as in Moses, perturbs each feature by as much as features weigh. Starts as
    # far away find higher hills in given lists, of which new lists may know nothing: in the loop
    # nearer ones are better.
    spread: float = 0.1
    least_gain: float = 1e-6  # of the metric: a smaller one ends the walk


def tune_mert(
    lists: KBestLists,
    start: FloatArray,
    rng: np.random.Generator,
    options: MertOptions = MertOptions(),
    metric: Metric = BLEU,
) -> TuningResult:
    """Weights of the best corpus score that line searches from many starts find (ALGORITHMS E1).

    The result is never worse on the lists than ``start``. Selection ignores the length of a
    weight vector, so it is scaled: absolute values sum to 1.
    """
    scale = _unit_steps(lists)
    step = _STEPS[options.directions]
    start_score = metric.under(lists, start)
    best, best_score = start, start_score
    for begin in _starts(start, scale, rng, options):
        walk = _Walk(lists, begin, metric)
        directions = np.diag(scale)
        gained = np.inf
        while gained > options.least_gain:
            before = walk.score
            directions = step(walk, directions, scale, rng, options)
            gained = walk.score - before
        if walk.score > best_score:
            best, best_score = walk.weights, walk.score
    length = np.abs(best).sum()
    weights = best / length if length > 0 else best
    return TuningResult(weights, metric.under(lists, weights), start_score)


def _unit_steps(lists: KBestLists) -> FloatArray:
    """For each feature, how far its weight must move to move model scores by about 1."""
    mean = np.add.reduceat(lists.features, lists.offsets[:-1]) / np.diff(lists.offsets)[:, None]
    within = lists.features - np.repeat(mean, np.diff(lists.offsets), axis=0)
    deviation = np.sqrt((within**2).mean(axis=0))
    # A feature that never differs within a list, but for rounding, may do as it likes.
    rounding = 1e-12 * np.abs(lists.features).max(axis=0)
    return 1.0 / np.where(deviation > rounding, deviation, 1.0)


def _starts(
    start: FloatArray, scale: FloatArray, rng: np.random.Generator, options: MertOptions
) -> Iterator[FloatArray]:
    """The start, and others around it: each feature perturbed by what features weigh there."""
    yield start
    influence = np.abs(start / scale).mean() or 1.0
    for _ in range(options.restarts):
        yield start + options.spread * influence * scale * rng.standard_normal(len(start))


class _Walk:
    """A point on its way up; its score is always what its weights select, never a forecast."""

    def __init__(self, lists: KBestLists, start: FloatArray, metric: Metric) -> None:
        self.lists = lists
        self.metric = metric
        self.weights = start
        self.scores = model_scores(lists, start)
        self.score = metric.under(lists, start)

    def look(self, direction: FloatArray) -> tuple[FloatArray, float]:
        """The best point on the line, and its score."""
        slopes = model_scores(self.lists, direction)
        peak = search_line(self.lists, self.scores, slopes, self.metric.corpus)
        return self.weights + peak.gamma * direction, peak.score

    def move(self, weights: FloatArray) -> bool:
        """Go there, unless rounding made it no better than here."""
        score = self.metric.under(self.lists, weights)
        better = score > self.score
        if better:
            self.weights, self.score = weights, score
            self.scores = model_scores(self.lists, weights)
        return better

    def follow(self, direction: FloatArray) -> bool:
        """Go to the best point on the line; whether that was any better than here."""
        weights, score = self.look(direction)
        return score > self.score and self.move(weights)


def _best_of(walk: _Walk, directions: FloatArray) -> None:
    """Move along the direction whose line has the best point."""
    points = [walk.look(direction) for direction in directions]
    weights, score = max(points, key=lambda point: point[1])
    if score > walk.score:
        walk.move(weights)


def _coordinate(
    walk: _Walk,
    directions: FloatArray,
    scale: FloatArray,
    rng: np.random.Generator,
    options: MertOptions,
) -> FloatArray:
    _best_of(walk, directions)
    return directions


def _random(
    walk: _Walk,
    directions: FloatArray,
    scale: FloatArray,
    rng: np.random.Generator,
    options: MertOptions,
) -> FloatArray:
    drawn = rng.standard_normal((options.random_directions, len(scale))) * scale
    for direction in np.concatenate([directions, drawn]):
        walk.follow(direction)
    return directions


def _powell(
    walk: _Walk,
    directions: FloatArray,
    scale: FloatArray,
    rng: np.random.Generator,
    options: MertOptions,
) -> FloatArray:
    begin = walk.weights
    gains = np.empty(len(directions))
    for d, direction in enumerate(directions):
        before = walk.score
        walk.follow(direction)
        gains[d] = walk.score - before
    whole = walk.weights - begin
    if not whole.any():
        return directions
    if walk.follow(whole):
        # The most helpful direction is the one the whole way makes least independent of the rest.
        directions = np.delete(directions, gains.argmax(), axis=0)
        directions = np.concatenate([directions, [whole]])
    return directions


_Step = Callable[[_Walk, FloatArray, FloatArray, np.random.Generator, MertOptions], FloatArray]
_STEPS: dict[Directions, _Step] = {
    "coordinate": _coordinate,
    "random": _random,
    "powell": _powell,
}
