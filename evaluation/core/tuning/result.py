"""What every tuning method returns."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.core.tuning.lists import FloatArray


@dataclass(frozen=True, slots=True)
class TuningResult:
    """Tuned weights, and how well they and the start select from the lists tuned on."""

    weights: FloatArray  # (D,)
    score: float  # the metric's corpus score under the weights
    start_score: float  # and under those that tuning started from
    objective: float | None = None  # what the method minimised, at the weights, if it is one number
