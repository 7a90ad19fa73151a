"""Pairwise judgments as arrays: what every analysis of preferences starts from (ALGORITHMS C5).

A judgment says of two outputs of one sentence, shown left and right, which matches the
reference better, or that they are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import InputError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

LEFT, SAME, RIGHT = 1, 0, -1  # an outcome is positive where the left output is better


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judgment by names, as a database or a CSV file holds it."""

    sentence: Hashable
    item: Hashable  # the two outputs compared, whichever stood left
    worker: str
    left: str  # the condition whose output stood left
    right: str
    outcome: int  # LEFT, SAME or RIGHT
    seconds: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """J judgments by W workers on outputs of C conditions for S sentences."""

    sentence: IntArray  # (J,) 0..S-1
    item: IntArray  # (J,) the same number for the same two outputs, whichever stood left
    worker: IntArray  # (J,) 0..W-1
    left: IntArray  # (J,) condition whose output stood left, 0..C-1
    right: IntArray  # (J,)
    outcome: IntArray  # (J,) LEFT, SAME or RIGHT
    sentences: int  # S, those without a judgment included
    workers: tuple[str, ...]
    conditions: tuple[str, ...]
    seconds: FloatArray | None = None  # (J,) NaN where unknown

    def __post_init__(self) -> None:
        """Refuse what no analysis could use, naming the first judgment at fault."""
        limits = {
            "sentence": self.sentences,
            "worker": len(self.workers),
            "left": len(self.conditions),
            "right": len(self.conditions),
        }
        for name, limit in limits.items():
            self._check(name, (getattr(self, name) < 0) | (getattr(self, name) >= limit))
        self._check("right", self.left == self.right)  # a condition against itself says nothing
        self._check("item", self.item < 0)
        self._check("outcome", np.abs(self.outcome) > 1)
        if self.seconds is not None:
            self._check("seconds", np.isinf(self.seconds) | (self.seconds < 0))

    def _check(self, name: str, wrong: BoolArray) -> None:
        if wrong.shape != self.sentence.shape or wrong.ndim != 1:
            raise InputError(
                f"{len(self.sentence)} judgments, but {wrong.size} values of {name}",
                hint="Every judgment needs one.",
            )
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"judgment {row + 1} has {name} {getattr(self, name)[row]}, which cannot be",
                hint="Check how the judgments were numbered.",
            )

    def __len__(self) -> int:
        return len(self.sentence)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Judgment],
        *,
        sentences: Sequence[Hashable],
        conditions: Sequence[str],
    ) -> Judgments:
        """Number the names of ``rows``; sentences and conditions are numbered as given."""
        judged = list(rows)
        sentence_of = {name: index for index, name in enumerate(sentences)}
        condition_of = {name: index for index, name in enumerate(conditions)}
        workers = sorted({row.worker for row in judged})
        worker_of = {name: index for index, name in enumerate(workers)}
        item_of: dict[Hashable, int] = {}
        table = np.empty((len(judged), 6), dtype=np.int64)
        for index, row in enumerate(judged):
            for known, name in (
                (sentence_of, row.sentence),
                (condition_of, row.left),
                (condition_of, row.right),
            ):
                if name not in known:
                    raise InputError(
                        f"judgment {index + 1} speaks of {name!r}, which the study does not have",
                        hint="Name every sentence and condition, or leave the judgment out.",
                    )
            table[index] = (
                sentence_of[row.sentence],
                item_of.setdefault((row.sentence, row.item), len(item_of)),
                worker_of[row.worker],
                condition_of[row.left],
                condition_of[row.right],
                row.outcome,
            )
        seconds = [np.nan if row.seconds is None else row.seconds for row in judged]
        return cls(
            sentence=table[:, 0].copy(),
            item=table[:, 1].copy(),
            worker=table[:, 2].copy(),
            left=table[:, 3].copy(),
            right=table[:, 4].copy(),
            outcome=table[:, 5].copy(),
            sentences=len(sentence_of),
            workers=tuple(workers),
            conditions=tuple(conditions),
            seconds=None if np.isnan(seconds).all() else np.array(seconds),
        )

    def where(self, rows: BoolArray | IntArray) -> Judgments:
        """Some of the judgments; sentences, workers and conditions keep their numbers."""
        return replace(
            self,
            sentence=self.sentence[rows],
            item=self.item[rows],
            worker=self.worker[rows],
            left=self.left[rows],
            right=self.right[rows],
            outcome=self.outcome[rows],
            seconds=None if self.seconds is None else self.seconds[rows],
        )

    def between(self, first: int, second: int) -> Judgments:
        """The judgments that compare two conditions, in either order."""
        forward = (self.left == first) & (self.right == second)
        backward = (self.left == second) & (self.right == first)
        return self.where(forward | backward)

    def favour(self, condition: int) -> IntArray:
        """(J,) 1 where ``condition`` won, 0 where the two are the same, -1 where it lost."""
        return np.where(self.left == condition, self.outcome, -self.outcome)


def tally(judgments: Judgments, first: int = 0, second: int = 1) -> IntArray:
    """(S, 3) how often, for each sentence, ``first`` won, neither, ``second`` (ALGORITHMS C6)."""
    chosen = judgments.between(first, second)
    column = 1 - chosen.favour(first)  # first, same, second
    flat = np.bincount(chosen.sentence * 3 + column, minlength=3 * judgments.sentences)
    return flat.reshape(judgments.sentences, 3).astype(np.int64)
