"""Which n and lambda: the grid over a tuning set (ALGORITHMS B6).

For each sentence the translation options and the decode without penalty are made once and serve
all cells; then each cell makes its own diverse list. Sentences go in parallel over threads, and
each is a piece of work that can be kept and not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoding.core.diversity.lists import DiversityOptions, diverse_list
from decoding.core.search.decoder import Decoder, SearchOptions
from evaluation.core.errors import InputError
from evaluation.core.metrics.figures import Figure, FigureOptions, coverage_figure, oracle_figure

OBJECTIVES: Mapping[str, Callable[..., Figure]] = {
    "coverage": coverage_figure,  # of lists that people will see
    "oracle": oracle_figure,  # of lists that a reranker or a combination will use
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
    sentences: int

    @property
    def best(self) -> tuple[int, float]:
        """The best cell; of equals the one with the smaller n, then the smaller lambda."""
        row, column = np.unravel_index(int(np.argmax(self.values)), self.values.shape)
        return self.options.orders[row], self.options.strengths[column]


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
    objective, choices = OBJECTIVES[options.objective], figures or FigureOptions()
    shape = (len(options.orders), len(options.strengths))
    made = [
        objective([own.diverse[cell] for own in lists], references, choices)
        for cell in range(len(options.cells))
    ]
    best = objective([own.best for own in lists], references, choices)
    values = np.array([figure.score for figure in made]).reshape(shape)
    return Surface(options, values, best.score, best.signature, len(lists))
