"""The record of a tuning loop: what it did, round by round, for charts and people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.core.tuning.lists import FloatArray
from evaluation.core.tuning.loop import Progress

RECORD = "tuning.json"  # in the system's directory


def by_name(weights: FloatArray, features: Mapping[str, int]) -> dict[str, tuple[float, ...]]:
    """The weights of each feature."""
    ends = np.cumsum(list(features.values()))
    return {
        name: tuple(float(w) for w in part)
        for name, part in zip(features, np.split(weights, ends[:-1]), strict=True)
    }


def record(progress: Progress, features: Mapping[str, int], **settings: Any) -> dict[str, Any]:
    """The loop's history in plain types: scores and weights by round, for charts and people."""
    best = progress.best
    return {
        **settings,
        "stopped": progress.stopped,
        "best": next(i for i, done in enumerate(progress.rounds) if done is best),
        "rounds": [
            {
                "score": done.score,
                "forecast": done.forecast,
                "hypotheses": done.hypotheses,
                "new": done.new,
                "weights": by_name(done.weights, features),
            }
            for done in progress.rounds
        ],
    }


def write_record(path: Path, facts: Mapping[str, Any]) -> None:
    """Keep a history as JSON."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)
