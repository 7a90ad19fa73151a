"""How far judges agree: raw, the kappa of the WMT ranking tasks, Fleiss and Krippendorff (C6).

All of them are functions of sums over sentences, so all have intervals that resample sentences.
A coefficient whose chance agreement is 1, for everybody always says the same, is undefined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import Bootstrap, Interval, resample
from evaluation.core.statistics.judgments import BoolArray, FloatArray, IntArray, Judgments

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement over pairs of judgments, as the WMT findings report it."""

    agree: int  # pairs of judgments that say the same
    comparable: int  # pairs there are
    ties: int  # judgments that say "same", of those that chance agreement is taken from
    total: int  # those judgments
    observed: Interval  # P(A)
    expected: float | None  # P(E)
    kappa: Interval  # (P(A) - P(E)) / (1 - P(E))


@dataclass(frozen=True, slots=True)
class Agreement:
    """All that is said about how far the judges of a study agree."""

    inter: PairAgreement  # as WMT publishes it
    intra: PairAgreement
    strict: PairAgreement
    fleiss: Interval
    alpha_nominal: Interval
    alpha_ordinal: Interval  # of "left" < "same" < "right", seen from one condition
    bootstrap: Bootstrap


def agreement(judgments: Judgments, bootstrap: Bootstrap) -> Agreement:
    """Every coefficient for one study."""
    counts, sentence = item_counts(judgments)
    return Agreement(
        inter=inter_agreement(judgments, bootstrap),
        intra=intra_agreement(judgments, bootstrap),
        strict=strict_agreement(judgments, bootstrap),
        fleiss=fleiss_kappa(counts, bootstrap, sentence=sentence),
        alpha_nominal=krippendorff_alpha(counts, bootstrap, sentence=sentence),
        alpha_ordinal=krippendorff_alpha(counts, bootstrap, sentence=sentence, level="ordinal"),
        bootstrap=bootstrap,
    )


def inter_agreement(judgments: Judgments, bootstrap: Bootstrap) -> PairAgreement:
    """Inter-annotator agreement as the WMT findings compute it.

    Two oddities, kept so that published figures can be compared with: A left of B and B left of
    A are different items and never compared; and two judgments of one item count even if one
    person made both.
    """
    pairs = _pairs(judgments, _displayed(judgments), judgments.outcome)
    return _pair_agreement(judgments, pairs, np.ones(len(judgments), dtype=bool), bootstrap)


def intra_agreement(judgments: Judgments, bootstrap: Bootstrap) -> PairAgreement:
    """Agreement of judges with themselves as the WMT findings compute it.

    Chance agreement is that of all judgments that a judge made of a sentence of which he saw at
    least one item twice.
    """
    item = _joined(_displayed(judgments), judgments.worker)
    pairs = _pairs(judgments, item, judgments.outcome)
    task = _joined(judgments.sentence, judgments.worker)
    again = np.bincount(item, minlength=1)[item] > 1
    return _pair_agreement(judgments, pairs, np.isin(task, task[again]), bootstrap)


def strict_agreement(judgments: Judgments, bootstrap: Bootstrap) -> PairAgreement:
    """Inter-annotator agreement without the oddities: any order, different judges only."""
    outcome = canonical_outcome(judgments)
    pairs = _pairs(judgments, judgments.item, outcome)
    pairs -= _pairs(judgments, _joined(judgments.item, judgments.worker), outcome)
    return _pair_agreement(judgments, pairs, np.ones(len(judgments), dtype=bool), bootstrap)


def item_counts(judgments: Judgments) -> tuple[IntArray, IntArray]:
    """(I, 3) how often each item was judged -1, 0, 1 in one fixed order; (I,) its sentence."""
    names, index = np.unique(judgments.item, return_inverse=True)
    flat = index * 3 + canonical_outcome(judgments) + 1
    counts = np.bincount(flat, minlength=3 * len(names)).reshape(-1, 3)
    sentence = np.zeros(len(names), dtype=np.int64)
    sentence[index] = judgments.sentence
    return counts.astype(np.int64), sentence


def fleiss_kappa(
    counts: ArrayLike, bootstrap: Bootstrap, *, sentence: IntArray | None = None
) -> Interval:
    """Fleiss' kappa (1971) from counts (I, K) of each category for each item.

    Items may have different numbers of judgments: each counts once, by the share of its pairs
    that agree. Items with fewer than two judgments have no pair and are left out.
    """
    table, sentence = _comparable(counts, sentence)
    size = table.sum(axis=1)
    agreeing = (table * (table - 1)).sum(axis=1) / (size * (size - 1))
    rows = np.column_stack([agreeing, np.ones(len(table)), table])

    def kappa(sums: FloatArray) -> FloatArray:
        shares = sums[..., 2:] / sums[..., 2:].sum(axis=-1, keepdims=True)
        return _beyond_chance(sums[..., 0] / sums[..., 1], (shares**2).sum(axis=-1))

    return resample(rows, sentence, bootstrap).interval(kappa, int(size.sum()))


def krippendorff_alpha(
    counts: ArrayLike,
    bootstrap: Bootstrap,
    *,
    level: Level = "nominal",
    values: ArrayLike | None = None,
    sentence: IntArray | None = None,
) -> Interval:
    """Krippendorff's alpha (2011) from counts (I, K) of each value for each item.

    What is missing is simply not counted. ``values`` (K,) are the numbers behind the columns,
    0, 1, 2... by default; only the interval level looks at them. Ordinal columns must rise.
    """
    table, sentence = _comparable(counts, sentence)
    K = table.shape[1]
    numbers = np.arange(K) if values is None else np.asarray(values, dtype=np.float64)
    size = table.sum(axis=1)
    # Coincidences (Krippendorff 2011): o_ck = sum over items of n_c (n_k - [c = k]) / (n - 1).
    both = table[:, :, None] * table[:, None, :]  # (I, K, K)
    both[:, np.arange(K), np.arange(K)] -= table
    rows = (both / (size - 1)[:, None, None]).reshape(-1, K * K)

    def alpha(sums: FloatArray) -> FloatArray:
        o = sums.reshape(*sums.shape[:-1], K, K)
        n_c = o.sum(axis=-1)
        distance = _distances(n_c, level, numbers)
        n = n_c.sum(axis=-1)
        expected = (n_c[..., :, None] * n_c[..., None, :] * distance).sum(axis=(-2, -1))
        # Less than half a pair of different values is rounding: then there is nothing to explain.
        expected = np.where(expected > 1e-9, expected, np.nan)
        return np.asarray(1 - (n - 1) * (o * distance).sum(axis=(-2, -1)) / expected)

    return resample(rows, sentence, bootstrap).interval(alpha, int(size.sum()))


def _distances(n_c: FloatArray, level: Level, numbers: FloatArray | IntArray) -> FloatArray:
    """(..., K, K) the squared differences of values; ordinal ones depend on the margins."""
    K = n_c.shape[-1]
    if level == "nominal":
        return 1.0 - np.eye(K)
    if level == "interval":
        return np.asarray((numbers[:, None] - numbers[None, :]) ** 2, dtype=np.float64)
    # Sum of the margins from c to k, less half of both ends: the middles of their ranks, apart.
    middle = np.cumsum(n_c, axis=-1) - n_c / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def _pairs(judgments: Judgments, item: IntArray, outcome: IntArray) -> FloatArray:
    """(S, 2) pairs of judgments on the same item that agree, and that there are."""
    first = np.unique(item, return_index=True)[1]
    sentence_of = judgments.sentence[first]  # of each item that occurs
    index = np.unique(item, return_inverse=True)[1]
    table = np.bincount(index * 3 + outcome + 1, minlength=3 * len(first)).reshape(-1, 3)
    size = table.sum(axis=1)
    agree = (table * (table - 1)).sum(axis=1) // 2
    per_item = (agree, size * (size - 1) // 2)
    return np.column_stack(
        [np.bincount(sentence_of, weights=n, minlength=judgments.sentences) for n in per_item]
    )


def _pair_agreement(
    judgments: Judgments, pairs: FloatArray, counted: BoolArray, bootstrap: Bootstrap
) -> PairAgreement:
    """P(A) from pairs (S, 2), P(E) from the ties among the judgments that are ``counted``."""
    made = [
        np.bincount(judgments.sentence[rows], minlength=judgments.sentences)
        for rows in (counted & (judgments.outcome == 0), counted)
    ]
    rows = np.column_stack([pairs, *made])
    rows = rows[rows[:, 3] > 0]
    drawn = resample(rows, np.arange(len(rows)), bootstrap)
    agree, comparable, ties, total = (round(value) for value in drawn.total)
    tie_rate = ties / total if total else None
    return PairAgreement(
        agree=agree,
        comparable=comparable,
        ties=ties,
        total=total,
        observed=drawn.interval(lambda sums: sums[..., 0] / sums[..., 1], comparable),
        expected=None if tie_rate is None else tie_rate**2 + (1 - tie_rate) ** 2 / 2,
        kappa=drawn.interval(_wmt_kappa, comparable),
    )


def _wmt_kappa(sums: FloatArray) -> FloatArray:
    """Kappa from agreeing pairs, pairs, ties and judgments; wins of either side are as likely."""
    tie_rate = sums[..., 2] / sums[..., 3]
    expected = tie_rate**2 + 2 * ((1 - tie_rate) / 2) ** 2
    return _beyond_chance(sums[..., 0] / sums[..., 1], expected)


def _beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    room = 1 - expected
    return np.asarray((observed - expected) / np.where(room > 1e-12, room, np.nan))


def _comparable(counts: ArrayLike, sentence: IntArray | None) -> tuple[FloatArray, IntArray]:
    """The items that have a pair of judgments, and their sentences (default: one each)."""
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or (table < 0).any():
        raise InputError(
            "agreement needs a table of counts, items by categories",
            hint="Count for each item how many judges chose each category.",
        )
    if sentence is None:
        sentence = np.arange(len(table))
    enough = table.sum(axis=1) > 1
    return table[enough], sentence[enough]


def _displayed(judgments: Judgments) -> IntArray:
    """Items in displayed order: A left of B is another than B left of A."""
    return judgments.item * 2 + (judgments.left > judgments.right)


def canonical_outcome(judgments: Judgments) -> IntArray:
    """The outcome as if the condition with the lower number had stood left."""
    return np.where(judgments.left < judgments.right, judgments.outcome, -judgments.outcome)


def _joined(one: IntArray, other: IntArray) -> IntArray:
    """A number 0..N-1 for each distinct pair."""
    width = int(other.max(initial=0)) + 1
    return np.asarray(np.unique(one * width + other, return_inverse=True)[1], dtype=np.int64)
