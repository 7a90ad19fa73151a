"""How well a language model predicts a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from decoding.core.language.automaton import score_events
from decoding.core.language.model import LanguageModel
from decoding.core.language.vocabulary import END, UNKNOWN
from evaluation.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Perplexity:
    """10 to the mean negative log10 probability of an event: a word or the end of a sentence."""

    with_unknown: float  # over all events
    without_unknown: float  # over all but the unknown words; models are compared by this
    sentences: int
    words: int  # without the sentences' ends
    unknown: int  # words that the model does not know

    @property
    def unknown_rate(self) -> float:
        """The share of words that are unknown."""
        return self.unknown / self.words if self.words else 0.0


def perplexity(lm: LanguageModel, text: bytes) -> Perplexity:
    """The perplexity of a text with a sentence a line, as KenLM's ``query`` prints it."""
    ids, offsets = lm.vocabulary.encode(text)
    sentences = len(offsets) - 1
    if sentences == 0:
        raise InputError("there is no text to measure perplexity on")
    scores = np.empty(len(ids) + sentences)
    score_events(lm.automaton, ids, offsets, scores)
    known = np.insert(ids, offsets[1:], END) != UNKNOWN
    return Perplexity(
        with_unknown=float(10 ** -scores.mean()),
        without_unknown=float(10 ** -scores[known].mean()),
        sentences=sentences,
        words=len(ids),
        unknown=int((~known).sum()),
    )
