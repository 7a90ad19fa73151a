"""Back-off models and their arithmetic with dictionaries: slow and plainly right."""

import numpy as np

from decoding.core.language.ngrams import BackoffModel, NGrams
from decoding.core.language.vocabulary import Vocabulary


class NaiveModel:
    """P(w | h) is the n-gram's, if it is there; else back-off(h) + P(w | h without its first)."""

    def __init__(self, model: BackoffModel):
        self.order = model.order
        self.probability, self.backoff = {}, {}
        for ngrams in model.orders:
            for words, p, b in zip(
                ngrams.words.tolist(), ngrams.log10_probability, ngrams.log10_backoff, strict=True
            ):
                self.probability[tuple(words)] = float(p)
                self.backoff[tuple(words)] = float(b)

    def score(self, history, word):
        """The log10 probability and how many words the n-gram has that gave it."""
        history = tuple(history)[max(0, len(history) - self.order + 1) :]
        ngram = (*history, word)
        if ngram in self.probability:
            return self.probability[ngram], len(ngram)
        score, length = self.score(history[1:], word)
        return self.backoff.get(history, 0.0) + score, length


def random_model(rng, *, words=4, order=3, density=0.5, closed=True):
    """A model with random numbers, not normalised: scoring does not care.

    If ``closed``, the contexts and suffixes of n-grams are there, as KenLM wants it; otherwise
    any may be missing, as after pruning by SRILM.
    """
    vocabulary = Vocabulary.of("abcdefghij"[:words])
    size = len(vocabulary)
    orders, shorter = [], None
    for n in range(1, order + 1):
        rows = np.indices((size,) * n).reshape(n, -1).T
        if n > 1:
            inner = (rows[:, 1:] != 1).all(axis=1) & (rows[:, :-1] != 2).all(axis=1)
            keep = inner & (rng.random(len(rows)) < density)
            if closed:
                known = {tuple(row) for row in shorter.tolist()}
                keep &= [tuple(r[:-1]) in known and tuple(r[1:]) in known for r in rows.tolist()]
            rows = rows[keep]
        backoff = np.round(rng.normal(-0.3, 0.3, len(rows)), 3) * (rng.random(len(rows)) < 0.6)
        if n == order:
            backoff[:] = 0
        orders.append(
            NGrams(
                rows.astype(np.int32),
                np.round(-rng.random(len(rows)) * 3, 3).astype(np.float32),
                backoff.astype(np.float32),
            )
        )
        shorter = rows
    return BackoffModel(vocabulary, tuple(orders))
