"""A diverse list's penalty as an ARPA language model, for decoders that are not ours (A3).

The penalty of a round is one more n-gram model: an n-gram that earlier translations hold has the
log-probability -(what each occurrence costs), everything else 0, and every back-off is 0. Added to
a decoder as a language model feature of weight 1 it gives the same list; the price is that the
decoder has to be started again for every round of every sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log

import numpy as np

from decoding.core.language.ngrams import BackoffModel, NGrams
from decoding.core.language.vocabulary import Vocabulary
from decoding.core.search.guide import Penalty
from evaluation.core.errors import InputError

Gram = tuple[str, ...]


def penalty_model(penalty: Penalty) -> BackoffModel:
    """The penalty as a back-off model, to be written by `formats.arpa.write_arpa`.

    ARPA files hold log10, and decoders such as Moses turn it into natural logarithms; so costs are
    divided by ln 10 here, and weight 1 means that an occurrence costs what the penalty says. (Who
    writes the bare count as log10, as is often done, gets a lambda that is 2.3 times larger.)
    """
    if penalty.classes:
        raise InputError(
            "a penalty over classes of words cannot be written as a model over words",
            hint="Use it with Variorum's own decoder, or map the text to classes first.",
        )
    order = max((len(gram) for gram in penalty.costs), default=1)
    vocabulary = Vocabulary.of(sorted({word for gram in penalty.costs for word in gram}))
    costs = {**dict.fromkeys(_contexts(penalty.costs), 0.0), **penalty.costs}
    single = np.zeros(len(vocabulary), np.float32)
    for gram in [gram for gram in costs if len(gram) == 1]:
        single[vocabulary.numbers[gram[0]]] = -costs[gram] / log(10)
    orders = [_ngrams(np.arange(len(vocabulary), dtype=np.int32)[:, None], single)]
    for n in range(2, order + 1):
        grams = sorted(gram for gram in costs if len(gram) == n)
        words = np.array([vocabulary.ids(gram) for gram in grams], np.int32).reshape(-1, n)
        scores = np.array([-costs[gram] / log(10) for gram in grams], np.float32)
        orders.append(_ngrams(words, scores))
    return BackoffModel(vocabulary, tuple(orders))


def _contexts(grams: Iterable[Gram]) -> set[Gram]:
    """What has to be listed too: an n-gram's beginnings, and what is left without its first words.

    The latter because readers such as KenLM look an n-gram up from its last word backwards.
    """
    found = set()
    for gram in grams:
        for first in range(len(gram)):
            for stop in range(first + 1, len(gram) + 1):
                found.add(gram[first:stop])
    return found


def _ngrams(words: np.ndarray, scores: np.ndarray) -> NGrams:
    return NGrams(words, scores, np.zeros(len(words), np.float32))
