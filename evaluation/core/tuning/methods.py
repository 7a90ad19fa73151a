"""The tuning methods by name. A new one is a module, an entry here and a line in docs/tuning.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evaluation.core.tuning.apro import AproOptions, tune_apro
from evaluation.core.tuning.mert import MertOptions, tune_mert
from evaluation.core.tuning.mira import (
    BatchMiraOptions,
    MiraOptions,
    tune_batch_mira,
    tune_mira,
)
from evaluation.core.tuning.pro import ProOptions, tune_pro
from evaluation.core.tuning.result import TuningResult


@dataclass(frozen=True, slots=True)
class Method:
    """A way to tune: ``tune(lists, start, rng, options, metric)`` and the options' class."""

    tune: Callable[..., TuningResult]
    options: type[Any]
    interpolation: float = 1.0  # of new weights with old ones between decodings


METHODS = {
    "mert": Method(tune_mert, MertOptions),
    "pro": Method(tune_pro, ProOptions, interpolation=0.1),
    "apro": Method(tune_apro, AproOptions),
    "mira": Method(tune_mira, MiraOptions),
    "batch-mira": Method(tune_batch_mira, BatchMiraOptions),
}
