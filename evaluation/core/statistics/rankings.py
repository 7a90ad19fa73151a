"""More than two conditions: who beats whom, and strengths from the Davidson model (C6).

Davidson (1970) extends Bradley & Terry by ties. With log-strengths theta and the
propensity to tie nu = exp(delta), of a comparison of i and j

    P(i wins) : P(j wins) : P(tie)  =  exp(theta_i) : exp(theta_j) : nu exp((theta_i + theta_j) / 2)

which is a multinomial logit: the log-likelihood is concave.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp, stdtrit

from evaluation.core.statistics.intervals import Bootstrap, Interval, resample
from evaluation.core.statistics.judgments import FloatArray, IntArray, Judgments


@dataclass(frozen=True, slots=True, eq=False)
class WinTable:
    """How often each condition won against, and tied with, each other."""

    conditions: tuple[str, ...]
    wins: IntArray  # (C, C) [i, j]: i was better than j
    ties: IntArray  # (C, C) symmetric

    @property
    def connected(self) -> bool:
        """Whether the conditions can be ranked on one scale (Ford 1957).

        They can if, however they are split in two, somebody of each part beat, or tied with,
        somebody of the other. Otherwise a strength would have to be infinite, or could be
        anything.
        """
        components = connected_components(self.wins + self.ties, connection="strong")[0]
        return bool(components == 1)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Strengths of all conditions, in the conditions' order; all undefined if not connected."""

    table: WinTable
    strength: tuple[Interval, ...]  # theta; their mean is 0
    tie: Interval  # nu: 0 never, 1 as likely as either win between equals; undefined without ties
    covariance: FloatArray | None  # (C, C) of the strengths
    level: float

    @property
    def order(self) -> tuple[int, ...]:
        """The conditions from best to worst; () where the strengths are undefined."""
        known = [value.estimate for value in self.strength if value.estimate is not None]
        return tuple(int(i) for i in np.argsort(-np.array(known), kind="stable"))

    def difference(self, one: int, other: int) -> Interval:
        """How much stronger one condition is than another, on the log scale."""
        a, b = self.strength[one], self.strength[other]
        if a.estimate is None or b.estimate is None or self.covariance is None:
            return Interval(None, None, None, a.count, a.clusters)
        contrast = np.zeros(len(self.strength))
        contrast[one] += 1
        contrast[other] -= 1
        variance = float(contrast @ self.covariance @ contrast)
        return _interval(a.estimate - b.estimate, variance, a.count, a.clusters, self.level)


def win_table(judgments: Judgments) -> WinTable:
    """The counts of wins and ties between all conditions."""
    C = len(judgments.conditions)
    table = np.zeros((3, C, C), dtype=np.int64)
    np.add.at(table, (judgments.outcome + 1, judgments.left, judgments.right), 1)
    return WinTable(judgments.conditions, table[2] + table[0].T, table[1] + table[1].T)


def win_ratios(judgments: Judgments, bootstrap: Bootstrap) -> tuple[Interval, ...]:
    """Wins / (wins + losses) of each condition, ties left out, as WMT reports them."""
    ratios = []
    for condition in range(len(judgments.conditions)):
        own = (judgments.left == condition) | (judgments.right == condition)
        mine = judgments.where(own & (judgments.outcome != 0))
        won = (mine.favour(condition)[:, None] == np.array([1, -1])).astype(np.int64)
        ratios.append(resample(won, mine.sentence, bootstrap).share(0))
    return tuple(ratios)


def ranking(judgments: Judgments, *, level: float = 0.95) -> Ranking:
    """Strengths and the propensity to tie by maximum likelihood, with intervals (Davidson 1970).

    The intervals take the judgments of a sentence as one observation: the covariance is the
    cluster-robust sandwich (Liang & Zeger 1986), its quantiles are Student's with a degree of
    freedom less than there are sentences.
    """
    table = win_table(judgments)
    C, S = len(table.conditions), len(np.unique(judgments.sentence))
    nowhere = Interval(None, None, None, len(judgments), S)
    if C < 2 or not table.connected or not table.wins.any():
        return Ranking(table, (nowhere,) * C, nowhere, None, level)
    theta, delta = fit_davidson(table.wins, table.ties)
    strength = [float(value) for value in theta]
    covariance = _sandwich(judgments, theta, delta)
    variances = [float(value) for value in np.diag(covariance)]
    tie = nowhere
    if delta is not None:
        log = _interval(delta, variances[C], len(judgments), S, level)
        low, high = (None if end is None else float(np.exp(end)) for end in (log.low, log.high))
        tie = Interval(float(np.exp(delta)), low, high, len(judgments), S)
    return Ranking(
        table=table,
        strength=tuple(
            _interval(value, variance, len(judgments), S, level)
            for value, variance in zip(strength, variances, strict=False)
        ),
        tie=tie,
        covariance=covariance[:C, :C] if S > 1 else None,
        level=level,
    )


def fit_davidson(wins: IntArray, ties: IntArray) -> tuple[FloatArray, float | None]:
    """The strengths theta (C,), mean 0, and delta = log nu, or None where nobody ever tied."""
    one, other = np.triu_indices(len(wins), 1)
    counts = np.column_stack([wins[one, other], wins[other, one], ties[one, other]])
    tied = bool(counts[:, 2].any())
    C = len(wins)
    features = _features(one, other, C, tied)  # (P, 3, C + 1)
    seen = counts.sum(axis=1)

    def cost(parameters: FloatArray) -> tuple[float, FloatArray]:
        log_chance = _log_chances(features, parameters, tied)
        rest = counts - seen[:, None] * np.exp(log_chance)
        # Likelihoods do not know where 0 is. This term, itself 0 at the optimum, says it.
        level = parameters[:C].sum()
        likelihood = (counts * np.where(counts > 0, log_chance, 0.0)).sum()
        slope = -np.einsum("po,pod->d", rest, features)
        slope[:C] += level
        return float(-likelihood + level**2 / 2), slope

    def curvature(parameters: FloatArray) -> FloatArray:
        return _information(features, seen, parameters, tied)

    start = np.zeros(C + 1 if tied else C)
    found = minimize(
        cost, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-9}
    )
    theta = found.x[:C] - found.x[:C].mean()
    return theta, float(found.x[C]) if tied else None


def _features(one: IntArray, other: IntArray, conditions: int, tied: bool) -> FloatArray:
    """(P, 3, C + 1) what `one` winning, `other` winning and a tie are the exponents' sums of."""
    rows = np.arange(len(one))
    features = np.zeros((len(one), 3, conditions + 1))
    features[rows, 0, one] = 1.0
    features[rows, 1, other] = 1.0
    features[rows, 2, one] = features[rows, 2, other] = 0.5
    features[rows, 2, conditions] = 1.0
    return features if tied else features[:, :, :conditions]


def _log_chances(features: FloatArray, parameters: FloatArray, tied: bool) -> FloatArray:
    """(P, 3) log-probabilities of the outcomes; a tie is impossible where nobody ever tied."""
    exponent = features @ parameters
    if not tied:
        exponent[:, 2] = -np.inf
    return np.asarray(exponent - logsumexp(exponent, axis=1, keepdims=True))


def _information(
    features: FloatArray, seen: FloatArray | IntArray, parameters: FloatArray, tied: bool
) -> FloatArray:
    """(D, D) minus the second derivative of the log-likelihood, and of the term for the level."""
    chance = np.exp(_log_chances(features, parameters, tied))
    mean = np.einsum("po,pod->pd", chance, features)
    second = np.einsum("p,po,pod,poe->de", seen, chance, features, features, optimize=True)
    information = second - np.einsum("p,pd,pe->de", seen, mean, mean, optimize=True)
    strengths = features.shape[2] - tied
    information[:strengths, :strengths] += 1.0
    return np.asarray(information)


def _sandwich(judgments: Judgments, theta: FloatArray, delta: float | None) -> FloatArray:
    """(D, D) covariance of strengths and delta, judgments of a sentence taken together."""
    tied = delta is not None
    parameters = np.append(theta, delta) if delta is not None else theta
    features = _features(judgments.left, judgments.right, len(theta), tied)
    chance = np.exp(_log_chances(features, parameters, tied))
    said = (judgments.outcome[:, None] == np.array([1, -1, 0])).astype(np.float64)
    scores = np.einsum("jo,jod->jd", said - chance, features)
    names, sentence = np.unique(judgments.sentence, return_inverse=True)
    per_sentence = np.zeros((len(names), len(parameters)))
    np.add.at(per_sentence, sentence, scores)
    bread = np.linalg.inv(_information(features, np.ones(len(judgments)), parameters, tied))
    meat = per_sentence.T @ per_sentence * len(names) / max(1, len(names) - 1)
    return np.asarray(bread @ meat @ bread)


def _interval(
    estimate: float, variance: float, count: int, clusters: int, level: float
) -> Interval:
    if clusters < 2:
        return Interval(estimate, None, None, count, clusters)
    half = float(-stdtrit(clusters - 1, (1 - level) / 2) * np.sqrt(max(0.0, variance)))
    return Interval(estimate, estimate - half, estimate + half, count, clusters)
