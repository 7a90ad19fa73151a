"""A back-off model as lists of n-grams: what an ARPA file says, and what estimation makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.vocabulary import Vocabulary

MAX_ORDER = 7


@dataclass(frozen=True, slots=True)
class NGrams:
    """All n-grams of one order with their log10 probabilities and back-offs."""

    words: NDArray[np.int32]  # (count, order)
    log10_probability: NDArray[np.float32]  # (count,)
    log10_backoff: NDArray[np.float32]  # (count,)  0 where there is none

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class BackoffModel:
    """The n-grams of order 1, 2, ... of one model, over one vocabulary.

    ``orders[0]`` has every word of the vocabulary, in the order of its number; ``<s>``, which is
    never predicted, has whatever probability the file gives it.
    """

    vocabulary: Vocabulary
    orders: tuple[NGrams, ...]

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.orders)
