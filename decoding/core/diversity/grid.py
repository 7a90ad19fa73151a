"""Which n and lambda: the grid over a tuning set (ALGORITHMS B6).

For each sentence the translation options and the decode without penalty are made once and serve
all cells; then each cell makes its own diverse list. Sentences go in parallel over threads, and
each is a piece of work that can be kept and not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from decoding.core.diversity.lists import DiversityOptions, diverse_list
from decoding.core.diversity.winners import Cell, Winners, winners_of
from decoding.core.search.decoder import Decoder, SearchOptions
from evaluation.core.errors import InputError
from evaluation.core.metrics.figures import (
    FigureBySentence,
    FigureOptions,
    coverage_by_sentence,
    oracle_by_sentence,
)
from evaluation.core.statistics.choosing import gains, may_be_best
from evaluation.core.statistics.intervals import (
    FEWEST_SENTENCES,
    Bootstrap,
    Interval,
    Score,
    ratio_of,
)
from evaluation.core.statistics.systems import bleu_of, differences


@dataclass(frozen=True, slots=True)
class Objective:
    """What is measured, and how the sums of what sentences add make the figure."""

    measure: Callable[..., FigureBySentence]
    score: Score


OBJECTIVES: Mapping[str, Objective] = {
    # of lists that people will see
    "coverage": Objective(coverage_by_sentence, ratio_of),
    # of lists that a reranker or a combination will use
    "oracle": Objective(oracle_by_sentence, bleu_of),
}


@dataclass(frozen=True, slots=True)
class GridOptions:
    """The cells, and what their lists are like. Defaults: the paper's for post-editing."""

    orders: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9)  # n
    strengths: tuple[float, ...] = (0.005, 0.01, 0.05, 0.1, 0.2)  # lambda
    size: int = 5  # translations in a list
    objective: str = "coverage"
    distinct: bool = False  # no translation twice in a list

    def __post_init__(self) -> None:
        """Refuse an empty grid and an objective that nobody knows."""
        if not self.orders or not self.strengths:
            raise InputError(
                "the grid has no cells", hint="Give one n and one lambda or more of each."
            )
        if self.objective not in OBJECTIVES:
            raise InputError(
                f"there is no objective {self.objective!r}",
                hint=f"Choose {' or '.join(OBJECTIVES)}.",
            )
        for cell in self.cells:
            self.diversity(cell)

    @property
    def cells(self) -> list[tuple[int, float]]:
        """All (n, lambda), in the order of the surface's rows."""
        return [(order, strength) for order in self.orders for strength in self.strengths]

    def diversity(self, cell: tuple[int, float]) -> DiversityOptions:
        """What a cell's lists are like."""
        return DiversityOptions(self.size, *cell, distinct=self.distinct)


@dataclass(frozen=True, slots=True)
class SentenceLists:
    """One tuning sentence's lists: the unique best, and each cell's diverse list."""

    best: tuple[str, ...]  # unique M-best of the decode without penalty
    diverse: tuple[tuple[str, ...], ...]  # in the order of `GridOptions.cells`


@dataclass(frozen=True, slots=True)
class Surface:
    """The objective over the grid."""

    options: GridOptions
    values: NDArray[np.float64]  # (orders, strengths), 0..100
    unique_best: float  # the objective of the unique best lists, for comparison
    signature: str
    # (cells + 1, sentences, K): what each sentence adds to each cell, and last to the unique best
    rows: NDArray[np.float64]

    @property
    def sentences(self) -> int:
        """How many it was measured on."""
        return int(self.rows.shape[1])


@dataclass(frozen=True, slots=True)
class ComparedCells:
    """A surface's cells beside the best one; without limits where sentences are too few."""

    cells: tuple[Cell, ...]
    gain: Interval  # of the best cell over the unique best lists
    bootstrap: Bootstrap

    @property
    def winners(self) -> Winners:
        """The best cell, and those that cannot be told apart from it."""
        return winners_of(self.cells)


def grid_lists(
    decoder: Decoder, source: str, options: GridOptions, search: SearchOptions | None = None
) -> SentenceLists:
    """One sentence's lists for all cells."""
    sentence = decoder.collect(source)
    first = decoder.search(sentence, search)
    best = tuple(first.best_derivations(options.size, unique=True).texts)
    diverse = []
    for cell in options.cells:
        rounds = diverse_list(decoder, sentence, options.diversity(cell), first=first, later=search)
        diverse.append(tuple(made.best.text for made in rounds))
    return SentenceLists(best, tuple(diverse))


def all_grid_lists(
    decoder: Decoder,
    sources: Mapping[int, str],
    options: GridOptions,
    search: SearchOptions | None = None,
    *,
    threads: int = 1,
) -> Iterator[tuple[int, SentenceLists]]:
    """The lists of numbered sentences, in whatever order they get done.

    Only a few sentences are under way at a time, so a consumer that stops stops the work.
    """
    waiting = iter(sources.items())
    running: dict[Future[SentenceLists], int] = {}
    with ThreadPoolExecutor(threads) as pool:
        while True:
            while len(running) < 2 * threads and (item := next(waiting, None)) is not None:
                number, source = item
                running[pool.submit(grid_lists, decoder, source, options, search)] = number
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()


def surface_of(
    lists: Sequence[SentenceLists],
    references: Sequence[Sequence[str]],
    options: GridOptions,
    figures: FigureOptions | None = None,
) -> Surface:
    """The objective of every cell over a tuning set's lists (ALGORITHMS B6)."""
    measure, choices = OBJECTIVES[options.objective].measure, figures or FigureOptions()
    shape = (len(options.orders), len(options.strengths))
    made = [
        measure([own.diverse[cell] for own in lists], references, choices)
        for cell in range(len(options.cells))
    ]
    best = measure([own.best for own in lists], references, choices)
    values = np.array([one.figure.score for one in made]).reshape(shape)
    rows = np.stack([one.rows for one in (*made, best)])
    return Surface(options, values, best.figure.score, best.figure.signature, rows)


def compare_cells(surface: Surface, bootstrap: Bootstrap) -> ComparedCells:
    """Each cell beside the best one, and that beside the unique best lists (ALGORITHMS C6).

    The best cell was chosen on this very sample. Which others may be the best, and what it has
    more than the unique best lists, is told of all cells together, so the choice does no harm;
    the interval of a single cell's difference is that of one comparison (docs/diversity.md).
    """
    cells = [
        Cell(*cell, value)
        for cell, value in zip(surface.options.cells, surface.values.ravel().tolist(), strict=True)
    ]
    best = cells.index(winners_of(cells).best)
    rows, unique_best = surface.rows[:-1], surface.rows[-1]
    score = OBJECTIVES[surface.options.objective].score
    gain = gains(rows, unique_best, score, bootstrap)[best]
    if surface.sentences < FEWEST_SENTENCES:
        return ComparedCells(tuple(cells), replace(gain, low=None, high=None), bootstrap)
    compared = (
        replace(cell, low=one.low, high=one.high, tied=tied)
        for cell, one, tied in zip(
            cells,
            differences(rows, [(cell, best) for cell in range(len(cells))], score, bootstrap),
            may_be_best(rows, score, bootstrap).tolist(),
            strict=True,
        )
    )
    return ComparedCells(tuple(compared), gain, bootstrap)
