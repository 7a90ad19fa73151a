"""A system with its weights, in the form that kernels take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.automaton import LN10
from decoding.core.system import (
    DISTORTION,
    LANGUAGE,
    PHRASES,
    REORDERING,
    TRANSLATION,
    UNKNOWN_WORDS,
    WORDS,
    LanguageFeature,
    System,
)
from decoding.core.translation.phrase_table import PhraseTable
from decoding.core.translation.reordering import ORIENTATIONS, parse_reordering_type


class Model(NamedTuple):
    """What scores a derivation: models, weights, and the settings that belong to them."""

    table: PhraseTable
    languages: tuple[LanguageFeature, ...]
    language_weights: NDArray[np.float64]  # (models,)  for log10 probabilities
    table_weights: NDArray[np.float64]  # (scores,)
    backward: NDArray[np.float64]  # (4, reordering values)  weights by orientation, M S DR DL
    forward: NDArray[np.float64]  # (4, reordering values)
    word_weight: float
    phrase_weight: float
    unknown_weight: float
    distortion_weight: float
    distortion_limit: int  # -1 is no limit
    table_limit: int
    early_distortion: bool


def model_of(system: System) -> Model:
    """The system's models and weights in the form that kernels take."""

    def weight(kind: str) -> float:
        return float(sum(system.weights[feature.first] for feature in system.of_kind(kind)))

    backward, forward = reordering_columns(system)
    for side in (backward, forward):
        side *= _reordering_weights(system)
    (table_feature,) = system.of_kind(TRANSLATION)
    limit = system.settings.distortion_limit
    return Model(
        system.table,
        system.language_features,
        np.array([system.weights[f.first] * LN10 for f in system.of_kind(LANGUAGE)]),
        np.array(system.weights[table_feature.columns]),
        backward,
        forward,
        weight(WORDS),
        weight(PHRASES),
        weight(UNKNOWN_WORDS),
        weight(DISTORTION),
        -1 if limit is None else limit,
        system.settings.table_limit,
        system.settings.early_distortion,
    )


def reordering_columns(system: System) -> NDArray[np.float64]:
    """Which values count backward and forward in each orientation: (2, 4, values) of 0 and 1."""
    chosen = np.zeros((2, ORIENTATIONS, system.table.reordering.shape[1]))
    at = 0
    for feature in system.of_kind(REORDERING):
        kind = parse_reordering_type(feature.reordering)
        for side, first in enumerate((kind.backward_at, kind.forward_at)):
            if first >= 0:
                for orientation, column in enumerate(kind.columns):
                    chosen[side, orientation, at + first + column] = 1.0
        at += kind.scores
    return chosen


def _reordering_weights(system: System) -> NDArray[np.float64]:
    parts = [system.weights[feature.columns] for feature in system.of_kind(REORDERING)]
    return np.concatenate(parts) if parts else np.zeros(0)
