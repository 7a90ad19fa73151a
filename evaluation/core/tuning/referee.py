"""References of a tuning set, against which lists are scored as they come."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.metrics.bleu import StatisticsArray, sentence_statistics
from evaluation.core.metrics.references import References, index_references
from evaluation.core.metrics.words import SentenceLists, Vocabulary, list_offsets


class Referee:
    """References of a data set, against which lists are scored as they come."""

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        self._vocabulary = Vocabulary()
        self.references: References = index_references(self._vocabulary.encode_lists(references))

    def statistics(self, texts: Sequence[str], lengths: Sequence[int]) -> StatisticsArray:
        """BLEU's statistics of the texts of lists of these lengths."""
        lists = SentenceLists(self._vocabulary.encode(texts), list_offsets(lengths))
        return sentence_statistics(lists, self.references)
