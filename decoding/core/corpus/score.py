"""Probabilities of phrase pairs and of their orientations, from counts.

Four scores, in Moses's order: p(s|t), lex(s|t), p(t|s), lex(t|s) (Koehn, Och and Marcu 2003), with
the discounts of Foster, Kuhn and Johnson (2006) if wanted; and the msd-bidirectional-fe model of
lexicalised reordering (Koehn et al. 2005).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.lexical import LexicalTable, lexical_weight
from decoding.core.corpus.phrases import PhrasePairs

FloatArray = npt.NDArray[np.float64]
ScoreArray = npt.NDArray[np.float32]

_COUNTS_OF_COUNTS = 10


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How counts become probabilities."""

    discount: Literal["none", "good-turing", "kneser-ney"] = "none"
    reordering_smoothing: float = 0.5  # added to the count of every orientation


@dataclass(frozen=True, slots=True)
class Discounts:
    """What the discounts take from small counts, estimated on all pairs.

    As in Moses: ``good_turing[c]`` is the factor for pairs seen c times (never above 1, never
    falling as c grows); ``kneser_ney`` what is subtracted from counts of 1, 2, and 3 or more.
    """

    pairs: int  # distinct ones
    good_turing: tuple[float, ...]
    kneser_ney: tuple[float, float, float]


def estimate_discounts(shards: Iterable[PhrasePairs]) -> Discounts:
    """Discounts from how many pairs occur once, twice, and so on."""
    n = np.zeros(_COUNTS_OF_COUNTS + 1)
    pairs = 0
    for shard in shards:
        pairs += len(shard)
        n += np.bincount(
            np.minimum(shard.count, _COUNTS_OF_COUNTS + 1), minlength=_COUNTS_OF_COUNTS + 2
        )[: _COUNTS_OF_COUNTS + 1]
    good_turing = [0.01]
    for c in range(1, _COUNTS_OF_COUNTS - 1):  # Moses leaves counts of 9 and more as they are
        factor = (c + 1) / c * (n[c + 1] + 0.1) / (n[c] + 0.1)
        good_turing.append(max(min(factor, 1.0), good_turing[-1]))
    y = n[1] / (n[1] + 2 * n[2]) if n[1] else 0.0  # Chen and Goodman (1998), equation 26
    kneser_ney = tuple(
        min(max(c - (c + 1) * y * n[c + 1] / n[c], 0.0) if n[c] else c, c - 0.1) for c in (1, 2, 3)
    )
    return Discounts(pairs, tuple(good_turing), kneser_ney)  # type: ignore[arg-type]


def score_phrases(
    pairs: PhrasePairs,
    lexical: LexicalTable,
    options: ScoringOptions | None = None,
    discounts: Discounts | None = None,
) -> ScoreArray:
    """p(s|t), lex(s|t), p(t|s), lex(t|s) of every pair, (P, 4).

    In single precision, through which Moses's scores go too before they are written: in double
    precision some sixth digits would differ.
    """
    options = options or ScoringOptions()
    count = _adjusted_counts(pairs, options, discounts)
    scores = np.empty((len(pairs), 4), np.float32)
    scores[:, 0] = count / pairs.target_count
    scores[:, 2] = count / pairs.source_count
    _weigh_lexically(
        pairs.sources,
        pairs.targets,
        pairs.source,
        pairs.target,
        pairs.links,
        pairs.inverse_links,
        pairs.ends,
        lexical.keys,
        lexical.target_given_source,
        lexical.source_given_target,
        scores,
    )
    return scores


def score_reordering(pairs: PhrasePairs, options: ScoringOptions | None = None) -> FloatArray:
    """Backward and forward p(monotone), p(swap), p(discontinuous) of every pair, (P, 6)."""
    options = options or ScoringOptions()
    smoothing = options.reordering_smoothing
    smoothed = pairs.orientations + smoothing
    total = pairs.count[:, None] + 3 * smoothing
    return np.asarray(smoothed / total)


def _adjusted_counts(
    pairs: PhrasePairs, options: ScoringOptions, discounts: Discounts | None
) -> FloatArray:
    """The discounted c(s, t), the same in both directions."""
    count = pairs.count.astype(float)
    if options.discount == "none":
        return count
    if discounts is None:
        raise ValueError("discounting needs discounts: see estimate_discounts")
    if options.discount == "good-turing":
        factors = np.array([*discounts.good_turing, 1.0])
        return np.asarray(count * factors[np.minimum(pairs.count, len(factors) - 1)])
    taken = np.array(discounts.kneser_ney)[np.minimum(pairs.count, 3) - 1]
    taken = np.where(taken > count, count - 0.01, taken)
    # What is taken goes to the lower-order distribution, in which a phrase is the likelier the
    # more partners it has; c(s) and c(t) cancel out, which leaves one figure for both directions.
    given_back = taken * pairs.source_fanout * pairs.target_fanout / discounts.pairs
    return np.asarray(count - taken + given_back)


@njit(cache=True, nogil=True)
def _weigh_lexically(
    sources: Any, targets: Any, source: Any, target: Any, links: Any, inverse_links: Any,
    ends: Any, keys: Any, target_given_source: Any, source_given_target: Any, scores: Any,
) -> None:  # fmt: skip
    """Fill in the two lexical weights, each under the links that are best in its direction."""
    for p in range(len(source)):
        s = _trimmed(sources[source[p]], ends[0])
        t = _trimmed(targets[target[p]], ends[1])
        scores[p, 1] = lexical_weight(t, s, inverse_links[p], False, keys, source_given_target)
        scores[p, 3] = lexical_weight(s, t, links[p], True, keys, target_given_source)


@njit(cache=True, nogil=True)
def _trimmed(phrase: Any, end: int) -> Any:
    """The phrase without what pads it."""
    length = len(phrase)
    while length > 0 and phrase[length - 1] == end:
        length -= 1
    return phrase[:length]
