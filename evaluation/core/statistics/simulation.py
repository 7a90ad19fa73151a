"""Studies that never took place, with judgments as alike as people's are (ALGORITHMS C3, C5).

Behind each judgment stands a leaning z, normal with mean mu and variance 1. The first condition
wins where z > tau, the second where z < -tau, and otherwise the two are the same, so mu and tau
follow from the assumed shares. The variance is shared out:

    z = mu + u(sentence) + a(first output) - b(second output) + side * s(worker) + t(worker) + e

Judgments of one sentence share u, of one pair of outputs a and b as well. How large these parts
are follows from how often two judgments agree, which a pilot or a published study can tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from evaluation.core.errors import InputError
from evaluation.core.statistics.judgments import FloatArray, Judgments

_NODES, _WEIGHTS = hermegauss(61)  # integrates over a standard normal
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Design:
    """The size of a study; the paper's is the default (ALGORITHMS C1, C3, C5)."""

    sentences: int = 200
    draws: int = 3  # edits from each condition, so draws * draws pairs a sentence
    judges: int = 3  # different workers for each pair
    pairs: int | None = None  # of a sentence that are judged, drawn from all; None: all

    def __post_init__(self) -> None:
        """Refuse a study without tasks."""
        if min(self.sentences, self.draws, self.judges) < 1:
            raise InputError(
                "a design needs at least one sentence, one draw and one judge",
                hint="Raise the number that is below 1.",
            )
        if self.pairs is not None and not 1 <= self.pairs <= self.draws**2:
            raise InputError(
                f"a sentence has {self.draws**2} pairs, not {self.pairs}",
                hint="Judge fewer pairs, or make more draws.",
            )

    @property
    def edits(self) -> int:
        """EDITING tasks: an edit from each draw of each of the two conditions."""
        return self.sentences * 2 * self.draws

    @property
    def judgments(self) -> int:
        """EVAL judgments: every pair of edits, or those drawn, by every judge."""
        return self.sentences * (self.pairs or self.draws**2) * self.judges


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is believed of the judgments before they are made. All are shares from 0 to 1."""

    first: float  # of judgments that prefer the first condition
    second: float  # that prefer the second; the others say "same"
    agreement: float  # of two judges of one pair: how often they say the same
    likeness: float  # of two judgments of different pairs of one sentence: the same question
    taste: float = 0.0  # of the variance: workers who like one condition, whatever the sentence
    side: float = 0.0  # of the variance: workers who like one side of the screen

    def __post_init__(self) -> None:
        """Refuse what no study could show."""
        shares = (self.first, self.second, self.agreement, self.likeness, self.taste, self.side)
        if not all(0 <= share <= 1 for share in shares):
            raise InputError("a share is not between 0 and 1", hint="Give 40 % as 0.4.")
        if not 0 < self.first < 1 or not 0 < self.second < 1 or self.first + self.second > 1:
            raise InputError(
                f"the shares {self.first:g} and {self.second:g} leave nothing to choose from",
                hint="Both must be above 0, and together at most 1.",
            )

    @property
    def same(self) -> float:
        """The share of judgments that see no difference."""
        return max(0.0, 1 - self.first - self.second)

    @property
    def chance_agreement(self) -> float:
        """How often two judgments that have nothing to do with each other agree."""
        return self.first**2 + self.same**2 + self.second**2


@dataclass(frozen=True, slots=True)
class Leanings:
    """The model's parameters: the mean, the threshold, and the parts of the variance 1."""

    mean: float
    threshold: float
    sentence: float
    output: float  # of each of the two outputs of a pair
    taste: float
    side: float
    noise: float


def leanings(assumptions: Assumptions, draws: int) -> Leanings:
    """The parameters under which studies show, on average, what is assumed.

    Of two different pairs of a sentence, 2 in (draws + 1) have an output in common: that is how
    the likeness of different pairs is split between the sentence and the outputs. An agreement
    below chance counts as chance; one too high for the other parts is refused.
    """
    above, below = -ndtri(assumptions.first), -ndtri(assumptions.second)
    mean, threshold = (below - above) / 2, (above + below) / 2
    item = correlation_of_agreement(assumptions.agreement, mean, threshold)
    other = min(item, correlation_of_agreement(assumptions.likeness, mean, threshold))
    sentence = max(0.0, ((draws + 1) * other - item) / draws) if draws > 1 else other
    noise = 1 - item - assumptions.taste - assumptions.side
    if noise < 0:
        raise InputError(
            "agreement, taste and side bias together leave no room for chance",
            hint="Lower one of them.",
        )
    return Leanings(
        mean=float(mean),
        threshold=float(max(0.0, threshold)),
        sentence=sentence,
        output=(item - sentence) / 2,
        taste=assumptions.taste,
        side=assumptions.side,
        noise=noise,
    )


def agreement_of_correlation(correlation: float, mean: float, threshold: float) -> float:
    """How often two judgments agree whose leanings correlate this much."""
    shared = mean + np.sqrt(correlation) * _NODES
    spread = np.sqrt(max(1e-12, 1 - correlation))
    first = ndtr((shared - threshold) / spread)
    second = ndtr((-threshold - shared) / spread)
    same = 1 - first - second
    return float(_WEIGHTS @ (first**2 + second**2 + same**2))


def correlation_of_agreement(agreement: float, mean: float, threshold: float) -> float:
    """The correlation, 0 to 0.99, at which two judgments agree so often."""
    highest = 0.99
    if agreement <= agreement_of_correlation(0.0, mean, threshold):
        return 0.0
    if agreement >= agreement_of_correlation(highest, mean, threshold):
        return highest
    return float(
        brentq(lambda rho: agreement_of_correlation(rho, mean, threshold) - agreement, 0.0, highest)
    )


def simulate(
    design: Design,
    parameters: Leanings,
    rng: np.random.Generator,
    *,
    workers: int = 50,
    shift: FloatArray | None = None,
) -> Judgments:
    """One simulated study of two conditions, judged by ``workers`` who each take what comes.

    ``shift`` (S,) is added to the mean of each sentence: a preference that depends on it.
    """
    if workers < design.judges:
        raise InputError(
            f"{workers} workers cannot be {design.judges} different judges of a pair",
            hint="Assume more workers or fewer judges.",
        )
    S, D, K = design.sentences, design.draws, design.judges
    shape = (S, D, D, K)

    def part(variance: float, *size: int) -> FloatArray:
        return rng.normal(scale=variance**0.5, size=size)

    # One worker after the other from a random start: different judges for each pair.
    start = rng.integers(workers, size=(S, D, D, 1))
    step = rng.integers(1, max(2, (workers - 1) // K + 1), size=(S, D, D, 1))
    worker = (start + step * np.arange(K)) % workers
    side = 1 - 2 * rng.integers(2, size=shape)  # 1: the first condition stands left
    leaning = (
        parameters.mean
        + part(parameters.sentence, S, 1, 1, 1)
        + part(parameters.output, S, D, 1, 1)
        - part(parameters.output, S, 1, D, 1)
        + part(parameters.taste, workers)[worker]
        + part(parameters.side, workers)[worker] * side
        + part(parameters.noise, *shape)
    )
    if shift is not None:
        leaning += shift[:, None, None, None]
    favour = (leaning > parameters.threshold).astype(np.int64)
    favour -= leaning < -parameters.threshold
    pairs = np.arange(S * D * D)
    made = Judgments(
        sentence=np.repeat(pairs // (D * D), K),
        item=np.repeat(pairs, K),
        worker=worker.ravel(),
        left=((1 - side) // 2).ravel(),
        right=((1 + side) // 2).ravel(),
        outcome=(favour * side).ravel(),
        sentences=S,
        workers=tuple(f"worker {w + 1}" for w in range(workers)),
        conditions=("first", "second"),
    )
    if design.pairs is None:
        return made
    drawn = rng.random((S, D * D)).argsort(axis=1) < design.pairs
    return made.where(np.repeat(drawn.ravel(), K))
