"""What a list's translations are worth against the references, by evaluation.core's metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListFigures:
    """Figures of one list, 0..100."""

    bleu1: tuple[float, ...]  # BLEU+1 of each translation
    coverage: float
    # BLEU's sufficient statistics of each translation, of which corpus BLEU is made
    statistics: tuple[tuple[int, ...], ...]

    @property
    def first(self) -> float:
        """BLEU+1 of the first translation."""
        return self.bleu1[0]

    @property
    def oracle(self) -> float:
        """BLEU+1 of the best translation."""
        return max(self.bleu1)

    @property
    def kept_statistics(self) -> dict[str, list[int]]:
        """The statistics of the first translation and of the best, the first of equals."""
        best = self.bleu1.index(self.oracle)
        return {"first": list(self.statistics[0]), "oracle": list(self.statistics[best])}


def list_figures(
    lists: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> list[ListFigures | None]:
    """The figures of each list; None for one without references or translations."""
    # numba comes with these, and pages must not wait for it.
    from evaluation.core.metrics.bleu import sentence_bleu1, sentence_statistics
    from evaluation.core.metrics.coverage import coverage_statistics, list_coverage
    from evaluation.core.metrics.references import index_references
    from evaluation.core.metrics.words import Vocabulary

    known = [i for i, (one, of) in enumerate(zip(lists, references, strict=True)) if one and of]
    figures: list[ListFigures | None] = [None] * len(lists)
    if not known:
        return figures
    vocabulary = Vocabulary()
    indexed = index_references(vocabulary.encode_lists([list(references[i]) for i in known]))
    encoded = vocabulary.encode_lists([list(lists[i]) for i in known])
    statistics = sentence_statistics(encoded, indexed)
    bleu1 = sentence_bleu1(statistics).tolist()
    coverage = list_coverage(coverage_statistics(encoded, indexed)).tolist()
    for row, i in enumerate(known):
        start, stop = encoded.offsets[row], encoded.offsets[row + 1]
        counts = tuple(tuple(one) for one in statistics[start:stop].tolist())
        figures[i] = ListFigures(tuple(bleu1[start:stop]), coverage[row], counts)
    return figures
