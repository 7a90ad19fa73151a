"""Linear interpolation of n-gram models: weights for a kind of text, and one model of several.

    p(w | h) = sum over models m of weight_m p_m(w | h)

The words of all models together are the vocabulary. A model that does not know a word gives it an
equal share of what it has for unknown words, so that the mixture is a distribution again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.automaton import build, score_events, score_last_words
from decoding.core.language.model import LanguageModel
from decoding.core.language.ngrams import BackoffModel, NGrams
from decoding.core.language.vocabulary import BEGIN, END, UNKNOWN, Vocabulary
from evaluation.core.errors import InputError

Floats = NDArray[np.float64]

# What a context leaves to shorter ones at the least, against rounding of sums that are near 1.
_LEAST_LEFT = 1e-9


@dataclass(frozen=True, slots=True)
class InterpolationFit:
    """Weights that maximise the likelihood of a text, and the perplexity after each step."""

    weights: tuple[float, ...]
    perplexities: tuple[float, ...]  # falling; the first is that of equal weights


def fit_weights(
    models: Sequence[LanguageModel],
    text: bytes,
    *,
    tolerance: float = 1e-6,
    max_steps: int = 1000,
) -> InterpolationFit:
    """The weights under which a held-out text is most probable, by EM (Jelinek & Mercer 1980).

    The likelihood is concave in the weights, so where one starts does not matter. Ends when no
    weight changes by more than ``tolerance``.
    """
    vocabulary, mappings = _joined([model.vocabulary for model in models])
    ids, offsets = vocabulary.encode(text)
    if len(offsets) < 2:
        raise InputError("there is no text to fit interpolation weights to")
    events = np.insert(ids, offsets[1:], END)
    probability = np.empty((len(models), len(events)))
    for row, model, mapping in zip(probability, models, mappings, strict=True):
        score_events(model.automaton, mapping[ids], offsets, row)
        row += _unknown_shares(mapping)[events]
    probability = 10**probability
    weights = np.full(len(models), 1 / len(models))
    perplexities = []
    for _ in range(max_steps):
        mixed = weights @ probability
        perplexities.append(float(np.exp(-np.log(mixed).mean())))
        # The expected share of events that each model accounts for is its next weight.
        following = weights * (probability / mixed).mean(axis=1)
        moved = np.abs(following - weights).max()
        weights = following / following.sum()
        if moved <= tolerance:
            break
    return InterpolationFit(tuple(weights.tolist()), tuple(perplexities))


def interpolate(models: Sequence[BackoffModel], weights: Sequence[float]) -> BackoffModel:
    """One back-off model that has the n-grams of all, with their mixed probabilities.

    The back-offs make it sum to 1 again (SRILM's static interpolation; Stolcke 2002): what no
    model has an n-gram for is approximate, everything else is exactly the mixture.
    """
    if len(models) != len(weights) or min(weights) < 0 or abs(sum(weights) - 1) > 1e-6:
        raise InputError("expected a weight for each model, none negative, with the sum 1")
    vocabulary, mappings = _joined([model.vocabulary for model in models])
    automata = [build(model) for model in models]
    orders: list[NGrams] = []
    keys: list[NDArray[np.int64]] = []
    for order in range(1, max(model.order for model in models) + 1):
        keys.append(_all_keys(models, vocabulary, keys))
        context, rows = _unpacked(keys[-1], orders)
        mixed = np.zeros(len(rows))
        for lm, mapping, weight in zip(automata, mappings, weights, strict=True):
            scores = np.empty(len(rows))
            score_last_words(lm, mapping[rows], 0, scores)
            mixed += weight * 10 ** (scores + _unknown_shares(mapping)[rows[:, -1]])
        if order == 1:
            mixed[BEGIN] = 1.0  # what it is does not matter; <s> is never predicted
        else:
            backoff = _backoffs(BackoffModel(vocabulary, tuple(orders)), context, rows, mixed)
            orders[-1] = NGrams(orders[-1].words, orders[-1].log10_probability, backoff)
        orders.append(
            NGrams(rows, np.log10(mixed).astype(np.float32), np.zeros(len(rows), np.float32))
        )
    return BackoffModel(vocabulary, tuple(orders))


def _joined(vocabularies: Sequence[Vocabulary]) -> tuple[Vocabulary, list[NDArray[np.int32]]]:
    """All words together, and for each model the map from their numbers to its own."""
    vocabulary = Vocabulary.of(word for one in vocabularies for word in one.words)
    return vocabulary, [one.ids(vocabulary.words) for one in vocabularies]


def _unknown_shares(mapping: NDArray[np.int32]) -> Floats:
    """What to add to a model's log10 probability of each word, for it may not know the word."""
    unknown = mapping == UNKNOWN
    return np.where(unknown, -np.log10(unknown.sum()), 0.0)


def _all_keys(
    models: Sequence[BackoffModel], vocabulary: Vocabulary, shorter: list[NDArray[np.int64]]
) -> NDArray[np.int64]:
    """The next longer n-grams that any model has, as sorted keys.

    A key is the place of the context among the ``shorter`` keys, and the last word.
    """
    if not shorter:
        return np.arange(len(vocabulary), dtype=np.int64)
    parts = []
    for model in models:
        if model.order > len(shorter):
            rows = vocabulary.ids(model.vocabulary.words)[model.orders[len(shorter)].words]
            rows = rows.astype(np.int64)
            place = rows[:, 0]
            for known, word in zip(shorter[1:], rows.T[1:], strict=False):
                key = place << 32 | word
                place = np.searchsorted(known, key)
                if not np.isin(key, known).all():
                    raise InputError(
                        f"there are {len(shorter) + 1}-grams whose context is no n-gram",
                        hint="Such models cannot be interpolated into one.",
                    )
            parts.append(place << 32 | rows[:, -1])
    return np.unique(np.concatenate(parts))


def _unpacked(
    keys: NDArray[np.int64], orders: list[NGrams]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The places of the contexts of keys, and all their words."""
    context, word = keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32)
    if not orders:
        return context, word[:, np.newaxis]
    return context, np.column_stack([orders[-1].words[context], word])


def _backoffs(
    shorter: BackoffModel, context: NDArray[np.int64], rows: NDArray[np.int32], mixed: Floats
) -> NDArray[np.float32]:
    """The back-offs of the longest n-grams so far, given the mixed n-grams that continue them."""
    count = len(shorter.orders[-1])
    lower = np.empty(len(rows))
    score_last_words(build(shorter), rows, 1, lower)
    predicted = rows[:, -1] != BEGIN
    left = 1 - np.bincount(context, np.where(predicted, mixed, 0), count)
    left_lower = 1 - np.bincount(context, np.where(predicted, 10**lower, 0), count)
    share = np.maximum(left, _LEAST_LEFT) / np.maximum(left_lower, _LEAST_LEFT)
    continued = np.bincount(context, minlength=count) > 0
    return np.where(continued, np.log10(share), 0).astype(np.float32)
