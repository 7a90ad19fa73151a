"""Random k-best lists, with ties and duplicates in plenty or with none."""

import numpy as np

from evaluation.core.metrics.words import list_offsets
from evaluation.core.tuning.lists import KBestLists


def random_lists(seed, sentences=6, longest=12, features=4, *, ties=False):
    """Lists of 1 to ``longest`` hypotheses whose features say something about their quality.

    With ``ties`` features are small whole numbers and statistics take few values.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, sentences)
    hypotheses = int(lengths.sum())
    values = rng.standard_normal((hypotheses, features))
    quality = rng.integers(0, 3, hypotheses) / 2 if ties else rng.random(hypotheses)
    values[:, 0] += 2 * quality
    if ties:
        values = np.round(values)
    words = 12 if ties else rng.integers(8, 16, hypotheses)
    totals = np.maximum(
        np.outer(np.broadcast_to(words, hypotheses), np.ones(4, int)) - np.arange(4), 1
    )
    matches = np.floor(totals * quality[:, None] ** np.arange(1, 5)).astype(int)
    reference = np.repeat(rng.integers(8, 16, sentences), lengths)
    statistics = np.column_stack([matches, totals, totals[:, 0], reference]).astype(np.int32)
    return KBestLists(list_offsets(lengths), values, statistics)
