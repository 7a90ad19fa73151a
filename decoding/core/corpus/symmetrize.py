"""Makes one alignment of two, one from each direction (Och and Ney 2003; Koehn et al. 2003).

Each direction links a word to one word at most, so each misses what only the other can say. Their
intersection is precise, their union complete; the growing heuristics lie between. Two well-known
tools grow in different orders, and so sometimes add different points: ``atools`` (of fast_align)
goes through the candidates, source word by source word; ``symal`` (of Moses) goes through the
points there are, target word by target word, and looks at their neighbours. Both are here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.links import LinkArray, Links
from decoding.core.room import MEMORY, Room

Heuristic = Literal[
    "intersect",
    "union",
    "grow",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
    "forward",
    "backward",
]
Order = Literal["atools", "symal"]


@dataclass(frozen=True, slots=True)
class SymmetryOptions:
    """How the two directions become one."""

    heuristic: Heuristic = "grow-diag-final-and"
    order: Order = "atools"  # in which order points are added when growing


def symmetrize(
    forward: Links,
    backward: Links,
    options: SymmetryOptions | None = None,
    *,
    room: Room = MEMORY,
) -> Links:
    """The alignment of both directions; ``forward`` links each target word to a source word.

    Both hold points as (source, target); so does the result, sorted by source, then target.
    """
    options = options or SymmetryOptions()
    growing = options.heuristic.startswith("grow")
    final = ("final" in options.heuristic) + options.heuristic.endswith("-and")
    mode = {"intersect": 0, "union": 1, "forward": 2, "backward": 3}.get(options.heuristic, 4)
    points = room.empty((len(forward.points) + len(backward.points), 2), np.int16)
    filled, offsets = _symmetrize_all(
        forward.points,
        forward.offsets,
        backward.points,
        backward.offsets,
        mode,
        8 if growing and "diag" in options.heuristic else 4,
        final,
        options.order == "symal",
        points,
    )
    return Links(points[:filled], offsets)


# Neighbours in symal's order, as (target, source) steps; the last four are the diagonal ones.
_STEPS = np.array(
    [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)], dtype=np.int64
)
_FORWARD, _BACKWARD, _CHOSEN = np.uint8(1), np.uint8(2), np.uint8(4)


@njit(cache=True, nogil=True)
def _symmetrize_all(
    forward: LinkArray,
    forward_offsets: Any,
    backward: LinkArray,
    backward_offsets: Any,
    mode: int,
    neighbours: int,
    final: int,
    symal: bool,
    points: LinkArray,
) -> tuple[int, npt.NDArray[np.int64]]:
    """Symmetrise pair by pair on a grid of marks: forward, backward, chosen; fill ``points``."""
    n = len(forward_offsets) - 1
    offsets = np.zeros(n + 1, np.int64)
    filled = 0
    for s in range(n):
        f = forward[forward_offsets[s] : forward_offsets[s + 1]]
        b = backward[backward_offsets[s] : backward_offsets[s + 1]]
        rows = cols = 0
        for k in range(len(f)):
            rows, cols = max(rows, f[k, 0] + 1), max(cols, f[k, 1] + 1)
        for k in range(len(b)):
            rows, cols = max(rows, b[k, 0] + 1), max(cols, b[k, 1] + 1)
        grid = np.zeros((rows, cols), np.uint8)
        for k in range(len(f)):
            grid[f[k, 0], f[k, 1]] |= _FORWARD
        for k in range(len(b)):
            grid[b[k, 0], b[k, 1]] |= _BACKWARD
        if mode == 4:
            _grow(grid, neighbours, final, symal)
        for i in range(rows):
            for j in range(cols):
                mark = grid[i, j]
                if (
                    (mode == 0 and mark == _FORWARD | _BACKWARD)
                    or (mode == 1 and mark != 0)
                    or (mode == 2 and mark & _FORWARD)
                    or (mode == 3 and mark & _BACKWARD)
                    or (mode == 4 and mark & _CHOSEN)
                ):
                    points[filled, 0] = i
                    points[filled, 1] = j
                    filled += 1
        offsets[s + 1] = filled
    return filled, offsets


@njit(cache=True, nogil=True)
def _grow(grid: Any, neighbours: int, final: int, symal: bool) -> None:
    """Start from the intersection, add neighbours of what is chosen, then the final points."""
    rows, cols = grid.shape
    source_linked = np.zeros(rows, np.bool_)
    target_linked = np.zeros(cols, np.bool_)
    for i in range(rows):
        for j in range(cols):
            if grid[i, j] == _FORWARD | _BACKWARD:
                grid[i, j] |= _CHOSEN
                source_linked[i] = target_linked[j] = True
    if symal:
        _grow_from_points(grid, neighbours, source_linked, target_linked)
    else:
        _grow_from_candidates(grid, neighbours, source_linked, target_linked)
    if not final:
        return
    # atools adds what only the forward direction has first, symal too, but target by target.
    for mark in (_FORWARD, _BACKWARD):
        for outer in range(cols if symal else rows):
            for inner in range(rows if symal else cols):
                i, j = (inner, outer) if symal else (outer, inner)
                if not grid[i, j] & mark or grid[i, j] & _CHOSEN:
                    continue
                if final == 2:
                    wanted = not source_linked[i] and not target_linked[j]
                else:
                    wanted = not source_linked[i] or not target_linked[j]
                if wanted:
                    grid[i, j] |= _CHOSEN
                    source_linked[i] = target_linked[j] = True


@njit(cache=True, nogil=True)
def _grow_from_candidates(
    grid: Any, neighbours: int, source_linked: Any, target_linked: Any
) -> None:
    """The order of atools: every point of the union in turn, until a round adds none."""
    rows, cols = grid.shape
    added = True
    while added:
        added = False
        for i in range(rows):
            for j in range(cols):
                if grid[i, j] == 0 or grid[i, j] & _CHOSEN:
                    continue
                if source_linked[i] and target_linked[j]:
                    continue
                for step in range(neighbours):
                    ni, nj = i + _STEPS[step, 1], j + _STEPS[step, 0]
                    if 0 <= ni < rows and 0 <= nj < cols and grid[ni, nj] & _CHOSEN:
                        grid[i, j] |= _CHOSEN
                        source_linked[i] = target_linked[j] = True
                        added = True
                        break


@njit(cache=True, nogil=True)
def _grow_from_points(grid: Any, neighbours: int, source_linked: Any, target_linked: Any) -> None:
    """The order of symal: the neighbours of every chosen point, until a round adds none.

    A point added behind the one at hand is visited in the same round, one before it in the next.
    """
    rows, cols = grid.shape
    added = True
    while added:
        added = False
        for j in range(cols):
            for i in range(rows):
                if not grid[i, j] & _CHOSEN:
                    continue
                for step in range(neighbours):
                    ni, nj = i + _STEPS[step, 1], j + _STEPS[step, 0]
                    if not (0 <= ni < rows and 0 <= nj < cols) or grid[ni, nj] == 0:
                        continue
                    if not (source_linked[ni] and target_linked[nj]):
                        grid[ni, nj] |= _CHOSEN
                        source_linked[ni] = target_linked[nj] = True
                        added = True
