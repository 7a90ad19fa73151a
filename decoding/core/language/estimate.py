"""Estimating n-gram models from text: interpolated modified Kneser-Ney, and Witten-Bell.

Both give an n-gram a share of its context's probability by its count, and pass what is left over
to the next shorter context, down to a uniform distribution over all words and the unknown word:

    p(w | h) = share(h w) + left(h) p(w | h without its first word)

(Chen & Goodman 1998; Heafield et al. 2013, whose lmplz makes the same models). ``left(h)`` is the
back-off of h, so the result is a back-off model like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.counting import NGramCounts, continuations, count_ngrams
from decoding.core.language.ngrams import MAX_ORDER, BackoffModel, NGrams
from decoding.core.language.vocabulary import BEGIN, END, SPECIAL_WORDS, Vocabulary, vocabulary_of
from decoding.core.room import MEMORY, Room
from evaluation.core.errors import InputError

Discounts = tuple[float, float, float]  # for n-grams that were counted once, twice, more often
Floats = NDArray[np.float64]
# From counts, which n-grams are kept, and each one's context: shares, and what contexts have left.
_Smoothing = Callable[
    [NDArray[np.int64], NDArray[np.bool_], NDArray[np.int32]], tuple[Floats, Floats]
]

# Those of lmplz, for counts that do not follow Zipf's law because the text is tiny or artificial.
FALLBACK: Discounts = (0.5, 1.0, 1.5)


@dataclass(frozen=True, slots=True)
class EstimationOptions:
    """How to estimate a model. The defaults are those of KenLM's lmplz, but for the fallback."""

    order: int = 5
    smoothing: str = "kneser-ney"  # or "witten-bell"
    # N-grams of order 1, 2, ... that occur at most so often are left out; the last number holds
    # for all longer ones. Words are never left out: give a vocabulary for that.
    prune: tuple[int, ...] = (0,)
    # Discounts for orders whose counts give none; None refuses such a text.
    fallback: Discounts | None = FALLBACK


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated model and what is worth telling of how it came about."""

    model: BackoffModel
    discounts: tuple[Discounts, ...]  # of each order; none for Witten-Bell
    fell_back: tuple[int, ...]  # the orders whose discounts are the fallback


def estimate(
    text: bytes,
    options: EstimationOptions = EstimationOptions(),
    *,
    vocabulary: Vocabulary | None = None,
    room: Room = MEMORY,
) -> Estimate:
    """Estimate a model from a text with a sentence a line and blanks between words.

    Words outside a given ``vocabulary`` are counted as the unknown word. Without one, all words
    are known, and the unknown word has its share of the uniform distribution. What grows with the
    text, the model too, is in ``room``.
    """
    thresholds = _checked(options)
    vocabulary = vocabulary_of(text) if vocabulary is None else vocabulary
    ids, offsets = vocabulary.encode(text)
    _refuse_boundaries(ids, offsets)
    counts = count_ngrams(ids, offsets, options.order, len(vocabulary), room=room)
    del ids, offsets
    kept = [
        (c.occurrences > t) | (n == 0)
        for n, (c, t) in enumerate(zip(counts, thresholds, strict=True))
    ]
    if options.smoothing == "witten-bell":
        occurrences = [c.occurrences for c in counts]
        smoothings: list[_Smoothing] = [_witten_bell] * options.order
        return Estimate(
            _interpolate(vocabulary, counts, occurrences, kept, smoothings, room), (), ()
        )
    adjusted = continuations(counts, room)
    discounts, fell_back = _discounts(adjusted, options.fallback)
    smoothings = [_kneser_ney(d) for d in discounts]
    model = _interpolate(vocabulary, counts, adjusted, kept, smoothings, room)
    return Estimate(model, discounts, fell_back)


def _checked(options: EstimationOptions) -> list[int]:
    """The pruning threshold of each order."""
    if not 1 <= options.order <= MAX_ORDER:
        raise InputError(f"the order is {options.order}, not 1 to {MAX_ORDER}")
    if options.smoothing not in ("kneser-ney", "witten-bell"):
        raise InputError(
            f"there is no smoothing {options.smoothing!r}",
            hint="Choose kneser-ney or witten-bell.",
        )
    thresholds = list(options.prune[: options.order]) or [0]
    thresholds += thresholds[-1:] * (options.order - len(thresholds))
    if thresholds[0] != 0 or thresholds != sorted(thresholds):
        raise InputError(
            f"the pruning thresholds are {' '.join(map(str, options.prune))}",
            hint="Start with 0, for words are not pruned, and do not let them fall.",
        )
    return thresholds


def _refuse_boundaries(ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    if len(offsets) < 2:
        raise InputError("there is no text to estimate a language model from")
    wrong = np.flatnonzero((ids == BEGIN) | (ids == END))
    if len(wrong):
        line = int(np.searchsorted(offsets, wrong[0], side="right"))
        raise InputError(
            f"a sentence has the word {SPECIAL_WORDS[ids[wrong[0]]]}, which marks its boundaries",
            line=line,
            hint="Remove it: boundaries are put in where lines begin and end.",
        )


def _discounts(
    adjusted: list[NDArray[np.int64]], fallback: Discounts | None
) -> tuple[tuple[Discounts, ...], tuple[int, ...]]:
    """The three discounts of each order (Chen & Goodman 1998, equation 26), and where they fail."""
    discounts, fell_back = [], []
    for order, counts in enumerate(adjusted, 1):
        n = np.array([np.count_nonzero(counts == k) for k in range(5)], float)  # the paper's n_k
        found = None
        if (n[1:4] > 0).all():
            y = n[1] / (n[1] + 2 * n[2])
            found = tuple(float(k - (k + 1) * y * n[k + 1] / n[k]) for k in (1, 2, 3))
        if found is None or not all(0 < d <= k for k, d in enumerate(found, 1)):
            if fallback is None:
                raise InputError(
                    f"the {order}-grams are too few or too regular for Kneser-Ney discounts",
                    hint="Give more text, or allow fixed discounts.",
                )
            found = fallback
            fell_back.append(order)
        discounts.append((found[0], found[1], found[2]))
    return tuple(discounts), tuple(fell_back)


def _kneser_ney(discounts: Discounts) -> _Smoothing:
    by_count = np.array([0.0, *discounts])

    def smooth(
        counts: NDArray[np.int64], kept: NDArray[np.bool_], context: NDArray[np.int32]
    ) -> tuple[Floats, Floats]:
        discount = by_count[np.minimum(counts, 3)]
        # What is pruned leaves its whole count to the shorter context.
        discount[~kept] = counts[~kept]
        total = _summed(context, counts)
        left = _summed(context, discount)
        return (counts - discount) / total[context], _divided(left, total)

    return smooth


def _witten_bell(
    counts: NDArray[np.int64], kept: NDArray[np.bool_], context: NDArray[np.int32]
) -> tuple[Floats, Floats]:
    """A context leaves as much as if each of its different words had occurred once more."""
    kinds = _summed(context, counts > 0)
    total = _summed(context, counts) + kinds
    pruned = _summed(context, np.where(kept, 0, counts))
    share = np.where(kept, counts, 0) / total[context]
    return share, _divided(kinds + pruned, total)


def _summed(context: NDArray[np.int32], values: NDArray[Any]) -> Floats:
    """The sum of each context's values."""
    return np.bincount(context, weights=values).astype(np.float64)


def _divided(left: Floats, total: Floats) -> Floats:
    """What contexts have left as a share; contexts that never had anything leave everything."""
    return np.divide(left, total, out=np.ones_like(left), where=total > 0)


def _interpolate(
    vocabulary: Vocabulary,
    counts: list[NGramCounts],
    adjusted: list[NDArray[np.int64]],
    kept: list[NDArray[np.bool_]],
    smoothings: list[_Smoothing],
    room: Room,
) -> BackoffModel:
    """Add up the orders from the shortest, and drop what is pruned."""
    lower = np.array([1.0 / (len(vocabulary) - 1)])  # <s> is never predicted
    words = np.zeros((1, 0), np.int32)
    orders: list[NGrams] = []
    for n, (level, own, keep, smooth) in enumerate(
        zip(counts, adjusted, kept, smoothings, strict=True)
    ):
        probability = room.empty(len(level), np.float64)
        lefts = room.full(len(lower), 1.0, np.float64)  # of contexts
        for block in _blocks(level.context):
            first = int(level.context[block.start])
            context = level.context[block] - first
            share, left = smooth(own[block], keep[block], context)
            below = lower[level.suffix[block]]
            probability[block] = share + left[context] * below
            lefts[first : first + len(left)] = left
        if n > 0:
            orders[-1].log10_backoff[...] = _log10(lefts[kept[n - 1]], room)
        else:
            probability[BEGIN] = 1.0  # it does not matter; log10 gives 0, as lmplz does
        words = _longer_words(words, level, room)
        size = int(np.count_nonzero(keep))
        chosen = words if size == len(keep) else words[keep]
        logs = _log10(probability if size == len(keep) else probability[keep], room)
        orders.append(NGrams(chosen, logs, room.full(size, 0.0, np.float32)))
        lower = probability
    return BackoffModel(vocabulary, tuple(orders))


def _blocks(context: NDArray[np.int32], size: int = 1 << 19) -> Iterator[slice]:
    """Parts of a level that cut no context in two."""
    start = 0
    while start < len(context):
        stop = min(start + size, len(context))
        if stop < len(context):
            stop = int(np.searchsorted(context, context[stop - 1], side="right"))
        yield slice(start, stop)
        start = stop


def _log10(values: Floats, room: Room, size: int = 1 << 19) -> NDArray[np.float32]:
    logs = room.empty(len(values), np.float32)
    for start in range(0, len(values), size):
        logs[start : start + size] = np.log10(values[start : start + size])
    return logs


def _longer_words(
    shorter: NDArray[np.int32], level: NGramCounts, room: Room, size: int = 1 << 19
) -> NDArray[np.int32]:
    """The words of n-grams, (count, n), from those of their contexts."""
    length = shorter.shape[1]
    words = room.empty((len(level), length + 1), np.int32)
    for start in range(0, len(level), size):
        part = slice(start, start + size)
        words[part, :length] = shorter[level.context[part]]
        words[part, length] = level.word[part]
    return words
