"""Sentences in groups by a covariate: quartiles of BLEU+1, and the general form (ALGORITHMS B5).

A group is a set of sentences, never of judgments: all that was said about a sentence falls into
the sentence's group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Groups:
    """A partition of S sentences into G groups of rising covariate.

    A group may be empty (three sentences have no four quartiles); what would describe it is then
    None: undefined, not 0.
    """

    group: NDArray[np.int64]  # (S,) the group of each sentence, 0..G-1
    sizes: tuple[int, ...]  # (G,) sentences in each group
    cuts: tuple[float | None, ...]  # (G-1,) a sentence at a cut belongs to the group above it
    lowest: tuple[float | None, ...]  # (G,) smallest covariate in the group
    highest: tuple[float | None, ...]  # (G,) largest
    mean: tuple[float | None, ...]  # (G,)

    @property
    def count(self) -> int:
        """How many groups there are, empty ones included."""
        return len(self.sizes)

    def members(self, group: int) -> NDArray[np.int64]:
        """The sentences of one group, in input order."""
        return np.flatnonzero(self.group == group)

    def averages(self, values: ArrayLike) -> tuple[float | None, ...]:
        """The mean of a figure per sentence over each group's sentences (as Figure 1 needs it)."""
        values = _finite(values, "value")
        if len(values) != len(self.group):
            raise InputError(
                f"{len(values)} values for {len(self.group)} sentences",
                hint="Give one value for each sentence, in the sentences' order.",
            )
        return tuple(
            float(values[self.members(g)].mean()) if self.sizes[g] else None
            for g in range(self.count)
        )


def quartiles(covariate: ArrayLike) -> Groups:
    """Four equal groups by a covariate, the baseline's BLEU+1 in the paper (ALGORITHMS B5)."""
    return equal_groups(covariate, 4)


def equal_groups(covariate: ArrayLike, count: int) -> Groups:
    """``count`` groups of equal size, of sentences sorted by a covariate (ALGORITHMS B5).

    Ties keep their input order, so equal values may fall on both sides of a cut. Sizes differ by
    one at most, the earlier groups being the larger. A cut is the middle between the last
    sentence below it and the first above it; without ties across it, `groups_at` with these cuts
    gives the same groups.
    """
    values = _finite(covariate, "covariate")
    if count < 1:
        raise InputError(f"cannot make {count} groups", hint="Ask for 1 group or more.")
    order = np.argsort(values, kind="stable")
    group = np.empty(len(values), dtype=np.int64)
    cuts: list[float | None] = []
    last: float | None = None
    for g, members in enumerate(np.array_split(order, count)):
        group[members] = g
        if g:
            cuts.append(_between(last, values[members[0]]) if len(members) else None)
        if len(members):
            last = float(values[members[-1]])
    return _described(values, group, tuple(cuts))


def groups_at(covariate: ArrayLike, cuts: Sequence[float]) -> Groups:
    """``len(cuts) + 1`` groups, at cut points that somebody chose, such as BLEU+1 of 20 and 35.

    A sentence whose covariate equals a cut belongs to the group above it.
    """
    values = _finite(covariate, "covariate")
    edges = np.asarray(cuts, dtype=np.float64)
    if not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise InputError(
            f"the cut points {', '.join(f'{cut:g}' for cut in edges)} do not rise",
            hint="Give each cut point once, from low to high.",
        )
    group = np.searchsorted(edges, values, side="right").astype(np.int64)
    return _described(values, group, tuple(float(cut) for cut in edges))


def _between(below: float | None, above: float) -> float | None:
    """A number above ``below``, and not above ``above`` unless they are the same."""
    if below is None:
        return None
    middle = below + (float(above) - below) / 2
    return middle if middle > below else float(above)


def _described(
    values: NDArray[np.float64], group: NDArray[np.int64], cuts: tuple[float | None, ...]
) -> Groups:
    parts = [values[group == g] for g in range(len(cuts) + 1)]
    return Groups(
        group=group,
        sizes=tuple(len(part) for part in parts),
        cuts=cuts,
        lowest=tuple(float(part.min()) if len(part) else None for part in parts),
        highest=tuple(float(part.max()) if len(part) else None for part in parts),
        mean=tuple(float(part.mean()) if len(part) else None for part in parts),
    )


def _finite(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """The values as a vector; the first one that is no number is named by its sentence."""
    array: NDArray[Any] = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(
            f"the {name}s have {array.ndim} dimensions", hint="Give one number for each sentence."
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise InputError(
            f"the {name} of sentence {bad[0] + 1} is {array[bad[0]]}, which is no finite number",
            hint="Leave the sentence out, or find out why its score is missing.",
        )
    return array
