"""One estimate from several studies, such as the same study in ten languages.

Random effects: the studies' truths differ, by a variance that is found from the estimates
themselves (DerSimonian and Laird 1986). The interval is that of Hartung and Knapp (2001) and Sidik
and Jonkman (2002), which holds with few studies too, and never narrower than if the studies
did not differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from evaluation.core.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Pooled:
    """What several studies say together."""

    value: Interval  # clusters: how many studies
    between: float | None  # standard deviation of the studies' truths, in the estimates' unit
    inconsistency: float | None  # I^2: the share of the variance that is not chance, 0 to 1


def pool(
    found: Sequence[Interval],
    level: float = 0.95,
    *,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> Pooled:
    """The mean of the studies' truths, from estimates with closed intervals at ``level``.

    ``within``: between which values the truth must lie, such as 0 and 1 for a share.

    A standard error is taken from an interval's width, as reviews of published results do. What has
    no interval tells nothing; one study alone is its own pool.
    """
    known = [
        one
        for one in found
        if one.estimate is not None
        and one.low is not None
        and one.high is not None
        and one.high > one.low
    ]
    count = sum(one.count for one in known)
    if len(known) < 2:
        one = known[0] if known else Interval(None, None, None, 0, 0)
        return Pooled(Interval(one.estimate, one.low, one.high, count, len(known)), None, None)
    estimates = np.array([one.estimate for one in known], dtype=np.float64)
    limits = np.array([(one.low, one.high) for one in known], dtype=np.float64)
    variances = ((limits[:, 1] - limits[:, 0]) / (2 * ndtri((1 + level) / 2))) ** 2
    K = len(known)
    weights = 1 / variances
    mean = (weights * estimates).sum() / weights.sum()
    Q = (weights * (estimates - mean) ** 2).sum()  # Cochran's
    scale = weights.sum() - (weights**2).sum() / weights.sum()
    between = max(0.0, (Q - (K - 1)) / scale)
    weights = 1 / (variances + between)
    mean = (weights * estimates).sum() / weights.sum()
    spread = (weights * (estimates - mean) ** 2).sum() / (K - 1)
    error = np.sqrt(max(1.0, spread) / weights.sum())
    reach = stdtrit(K - 1, (1 + level) / 2) * error
    low, high = np.clip([mean - reach, mean + reach], *within).tolist()
    return Pooled(
        value=Interval(float(mean), low, high, count, K),
        between=float(np.sqrt(between)),
        inconsistency=float(max(0.0, 1 - (K - 1) / Q)) if Q > 0 else 0.0,
    )
