"""A system as a tuner sees it: the decoding step of evaluation.core.tuning's loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np

from decoding.core.search.bulk import map_sentences
from decoding.core.search.decoder import Decoder, SearchOptions, SentenceOptions
from decoding.core.search.graph import DerivationList
from decoding.core.system import System
from evaluation.core.errors import InputError
from evaluation.core.metrics.words import list_offsets
from evaluation.core.tuning.lists import FloatArray, KBestLists
from evaluation.core.tuning.referee import Referee


class TunableSystem:
    """A system as a tuner sees it: from weights to the k-best lists of a tuning set.

    The unknown-word penalty keeps its weight, as in Moses: how many words are unknown is the
    source's doing.
    """

    def __init__(
        self,
        system: System,
        sources: Sequence[str],
        referee: Referee,
        *,
        k: int = 100,
        unique: bool = False,
        search: SearchOptions | None = None,
        threads: int = 1,
        progress: Callable[[], None] = lambda: None,  # heard after each sentence
    ) -> None:
        if len(sources) != referee.references.sentences:
            raise InputError(
                f"there are {len(sources)} sources and references for "
                f"{referee.references.sentences} sentences",
                hint="Line i of each reference belongs to line i of the source.",
            )
        self.system = system
        self.sources = sources
        self.referee = referee
        self.k = k
        self.unique = unique
        self.search = search
        self.threads = threads
        self.progress = progress
        tuned = [feature for feature in system.features if feature.printed]
        self.features: Mapping[str, int] = {feature.name: feature.count for feature in tuned}
        self.columns = np.concatenate([np.r_[feature.columns] for feature in tuned])

    @property
    def weights(self) -> FloatArray:
        """The system's own weights of what is tuned."""
        own: FloatArray = self.system.weights[self.columns]
        return own

    @property
    def uniform_weights(self) -> FloatArray:
        """Equal weights of sum 1."""
        return np.full(len(self.columns), 1.0 / len(self.columns))

    def with_weights(self, weights: FloatArray) -> System:
        """The system with other weights of what is tuned."""
        every = self.system.weights.copy()
        every[self.columns] = weights
        return self.system.with_weights(every)

    def decode(self, weights: FloatArray) -> KBestLists:
        """The k best derivations of each sentence under the weights."""
        decoder = Decoder(self.with_weights(weights))

        def work(sentence: SentenceOptions) -> DerivationList:
            graph = decoder.search(sentence, self.search)
            return graph.best_derivations(self.k, unique=self.unique)

        features: list[FloatArray] = []
        texts: list[list[str]] = []
        for number, found in enumerate(
            map_sentences(decoder, self.sources, work, threads=self.threads), start=1
        ):
            if not len(found):
                raise InputError(
                    "the sentence has no translation",
                    line=number,
                    hint="Raise the distortion limit.",
                )
            features.append(found.features[:, self.columns])
            texts.append(found.texts)
            self.progress()
        return KBestLists(
            list_offsets(map(len, texts)),
            np.concatenate(features),
            self.referee.statistics(list(chain.from_iterable(texts)), list(map(len, texts))),
        )
