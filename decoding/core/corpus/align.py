"""Word alignment in both directions by expectation maximisation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus import diagonal, hmm
from decoding.core.corpus.bitext import Bitext, OffsetArray, Sentences
from decoding.core.corpus.lexicon import Lexicon, normalize, uniform_lexicon
from decoding.core.corpus.links import Links
from decoding.core.room import MEMORY, Room

Model = Literal["diagonal", "ibm1", "hmm"]
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class AlignmentOptions:
    """Which model aligns, and how it is estimated. The numbers are those of Dyer et al. (2013)."""

    model: Model = "hmm"  # see docs/decisions/training.md
    iterations: int = 5  # of the model itself; the last one only links
    ibm1_iterations: int = 5  # before the HMM
    null: float = 0.08  # p0: the probability of linking to nothing
    tension: float = 4.0  # of the diagonal model, where it starts
    optimize_tension: bool = True
    alpha: float | None = 0.01  # of the Dirichlet prior (variational Bayes); None: no prior


@dataclass(frozen=True, slots=True)
class DirectionReport:
    """How well a direction's model explains the words that it predicts."""

    perplexities: tuple[float, ...]  # per predicted word, one an iteration
    entropy: float  # of a word's link, in bits, mean over words, at the last iteration
    null_share: float  # of the words linked to nothing, expected
    tension: float  # of the diagonal model; 0 for the others


@dataclass(frozen=True, slots=True)
class DirectedAlignments:
    """What both directions linked, as (source, target) points, and how sure they were."""

    forward: Links  # each target word to one source word at most
    backward: Links  # each source word to one target word at most
    forward_report: DirectionReport
    backward_report: DirectionReport


def align(
    bitext: Bitext,
    options: AlignmentOptions | None = None,
    progress: Progress | None = None,
    *,
    room: Room = MEMORY,
) -> DirectedAlignments:
    """Align every sentence pair in both directions.

    The diagonal model is the reparametrised IBM model 2 of Dyer et al. (2013); "ibm1" leaves its
    diagonal out; "hmm" starts from IBM 1 (Vogel et al. 1996). Deterministic: no random numbers.
    What grows with the corpus is in ``room``.
    """
    options = options or AlignmentOptions()
    state = _State(bitext, options, room)
    stages = ["hmm"] * options.iterations
    if options.model == "hmm":
        stages = ["ibm1"] * options.ibm1_iterations + stages
    else:
        stages = [options.model] * options.iterations
    for number, stage in enumerate(stages, start=1):
        state.run(stage, last=number == len(stages))
        if progress:
            progress(number / len(stages))
    return state.result()


class _State:
    """What changes from one iteration to the next."""

    def __init__(self, bitext: Bitext, options: AlignmentOptions, room: Room) -> None:
        self.bitext, self.options, self.room = bitext, options, room
        self.lexicon: Lexicon = uniform_lexicon(bitext, room)
        source, target = bitext.source, bitext.target
        self.words = float(target.offsets[-1]), float(source.offsets[-1])  # predicted words
        self.sizes = _size_counts(source.offsets, target.offsets)
        self.tensions = np.array([options.tension, options.tension])
        self.jumps = np.ones((2, 2 * hmm.WIDEST + 1))
        self.best = (
            room.full(len(target.words), -1, np.int16),
            room.full(len(source.words), -1, np.int16),
        )
        self.sums = np.zeros((2, 4))
        self.perplexities: tuple[list[float], list[float]] = ([], [])

    def run(self, stage: str, *, last: bool) -> None:
        """One iteration: the E step, and unless it is the last, the M step."""
        self.sums = np.zeros((2, 4))
        jump_counts = np.zeros_like(self.jumps)
        shared = (
            np.asarray(self.bitext.source.words),
            self.bitext.source.offsets,
            np.asarray(self.bitext.target.words),
            self.bitext.target.offsets,
            self.lexicon.keys,
            self.lexicon.probability,
            self.lexicon.count,
            *self.lexicon.null_probability,
            *self.lexicon.null_count,
            self.options.null,
        )
        if stage == "hmm":
            hmm.hmm_pass(*shared, self.jumps, jump_counts, last, *self.best, self.sums)
        else:
            tensions = self.tensions if stage == "diagonal" else np.zeros(2)
            diagonal.diagonal_pass(*shared, tensions, last, *self.best, self.sums)
        for direction in (0, 1):
            log_likelihood = self.sums[direction, diagonal.LOG_LIKELIHOOD]
            self.perplexities[direction].append(
                float(np.exp(-log_likelihood / self.words[direction]))
            )
        if last:
            return
        normalize(self.lexicon, self.options.alpha)
        if stage == "hmm":
            self.jumps = jump_counts + 1e-3
        # From equal probabilities the first pass sees little but the prior: leave it as it is.
        elif (
            stage == "diagonal" and self.options.optimize_tension and len(self.perplexities[0]) > 1
        ):
            self._fit_tensions()

    def _fit_tensions(self) -> None:
        source_lengths, target_lengths, times = self.sizes
        for direction, (given, predicted) in enumerate(
            [(source_lengths, target_lengths), (target_lengths, source_lengths)]
        ):
            self.tensions[direction] = diagonal.fit_tension(
                given,
                predicted,
                times,
                self.sums[direction, diagonal.FEATURE],
                self.sums[direction, diagonal.NULL] / self.words[direction],
                self.tensions[direction],
            )

    def result(self) -> DirectedAlignments:
        """The links of the last iteration, and the reports."""
        source, target = self.bitext.source, self.bitext.target
        reports = [
            DirectionReport(
                perplexities=tuple(self.perplexities[direction]),
                entropy=float(
                    self.sums[direction, diagonal.ENTROPY] / self.words[direction] / np.log(2)
                ),
                null_share=float(self.sums[direction, diagonal.NULL] / self.words[direction]),
                tension=float(self.tensions[direction] if self.options.model == "diagonal" else 0),
            )
            for direction in (0, 1)
        ]
        return DirectedAlignments(
            forward=_links_of(self.best[0], target, self.room, given_first=True),
            backward=_links_of(self.best[1], source, self.room, given_first=False),
            forward_report=reports[0],
            backward_report=reports[1],
        )


def _size_counts(
    source_offsets: OffsetArray, target_offsets: OffsetArray
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct pairs of sentence lengths, and how often each occurs."""
    pairs = np.stack([np.diff(source_offsets), np.diff(target_offsets)], axis=1)
    distinct, times = np.unique(pairs, axis=0, return_counts=True)
    return distinct[:, 0].copy(), distinct[:, 1].copy(), times


def _links_of(
    best: npt.NDArray[np.int16], predicted: Sentences, room: Room, *, given_first: bool
) -> Links:
    """Links from the best given position of every predicted word (-1: none)."""
    points = room.empty((len(best), 2), np.int16)
    offsets = np.zeros(len(predicted) + 1, np.int64)
    filled = _fill_links(best, predicted.offsets, given_first, points, offsets)
    return Links(points[:filled], offsets)


@njit(cache=True, nogil=True)
def _fill_links(best: Any, starts: Any, given_first: bool, points: Any, offsets: Any) -> int:
    filled = 0
    for s in range(len(starts) - 1):
        for k in range(starts[s], starts[s + 1]):
            if best[k] >= 0:
                points[filled, 0 if given_first else 1] = best[k]
                points[filled, 1 if given_first else 0] = k - starts[s]
                filled += 1
        offsets[s + 1] = filled
    return filled
