"""Some segments of a corpus, by number: 1, 2, 3 and 7 are kept as [[1, 3], [7, 7]].

For a job may be of a million segments, and its parameters are read whenever it is looked at.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from operator import itemgetter

Numbers = int | Sequence[int]  # a segment's, or the first and the last one's of some in a row


def stretches_of(segments: Iterable[Numbers]) -> list[list[int]]:
    """The fewest stretches that hold these segments, in order."""
    if isinstance(segments, range) and segments.step == 1:  # at once, however long it is
        return [[segments[0], segments[-1]]] if segments else []
    stretches: list[list[int]] = []
    for first, last in sorted(
        (one, one) if isinstance(one, int) else tuple(one) for one in segments
    ):
        if stretches and first <= stretches[-1][1] + 1:
            stretches[-1][1] = max(last, stretches[-1][1])
        else:
            stretches.append([first, last])
    return stretches


def holds(stretches: Sequence[Sequence[int]], segment: int) -> bool:
    """Whether a segment is in one of the stretches."""
    place = bisect(stretches, segment, key=itemgetter(0)) - 1
    return place >= 0 and segment <= stretches[place][1]
