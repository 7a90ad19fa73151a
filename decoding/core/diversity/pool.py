"""Diverse lists out of a given list: for systems that are not decoded here.

Any list of scored translations will do: the n-best list of a neural system, samples of a language
model. The selection is ALGORITHMS A3 with the list in the place of the search space: greedily the
translation with the best score plus dissimilarity to those already chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from decoding.core.diversity.lists import DiversityOptions, ngrams
from evaluation.core.errors import InputError


def select_best(texts: Sequence[str], scores: Sequence[float], size: int) -> list[int]:
    """The places of the best-scoring distinct translations, the best first (ALGORITHMS A4).

    Translations are the same when their words are. Of equal scores the earlier comes first. There
    may be fewer than ``size``.
    """
    values = _checked(texts, scores)
    return _distinct(texts, values)[:size]


def select_diverse(
    texts: Sequence[str], scores: Sequence[float], options: DiversityOptions
) -> list[int]:
    """The places of ``options.size`` translations chosen greedily by ALGORITHMS A3.

    The first is the best-scoring one. No translation is chosen twice, so there may be fewer than
    asked for. Ties go to the better score, then to the earlier place.
    """
    values = _checked(texts, scores)
    places = _distinct(texts, values)
    counts = _ngram_counts([texts[place] for place in places], options)
    totals = values[places]  # score minus penalty; `places` is sorted by score, so ties are right
    chosen: list[int] = []
    for entry in range(min(options.size, len(places))):
        best = int(np.argmax(totals))
        chosen.append(best)
        if entry + 1 < options.size:
            shared = counts @ counts[[best]].T.toarray()[:, 0]
            totals = totals - options.strength_of(entry) * shared
            totals[chosen] = -np.inf
    return [places[one] for one in chosen]


def _checked(texts: Sequence[str], scores: Sequence[float]) -> NDArray[np.float64]:
    values = np.asarray(scores, np.float64)
    if len(texts) != len(values):
        raise InputError(f"there are {len(texts)} translations and {len(values)} scores")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(
            f"translation {bad[0] + 1} has the score {values[bad[0]]}",
            hint="Give every translation a finite score, or leave it out.",
        )
    return values


def _distinct(texts: Sequence[str], values: NDArray[np.float64]) -> list[int]:
    """The places of distinct translations by falling score."""
    seen: dict[tuple[str, ...], int] = {}
    for place in np.argsort(-values, kind="stable").tolist():
        seen.setdefault(tuple(texts[place].split()), place)
    return list(seen.values())


def _ngram_counts(texts: Sequence[str], options: DiversityOptions) -> csr_array:
    """How often each translation holds each n-gram: (translations, n-grams), sparse.

    The dissimilarity of two translations (A2) is minus the product of their rows.
    """
    classes = options.classes or {}
    columns: dict[tuple[str, ...], int] = {}
    starts, indices, data = [0], [], []
    for text in texts:
        words = [classes.get(word, word) for word in text.split()]
        for gram, count in ngrams(words, options.order).items():
            indices.append(columns.setdefault(gram, len(columns)))
            data.append(count)
        starts.append(len(indices))
    shape = (len(texts), max(len(columns), 1))
    return csr_array((np.array(data, np.float64), indices, starts), shape=shape)
