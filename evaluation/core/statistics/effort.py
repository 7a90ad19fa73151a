"""What it costs to edit, and what the edit was made from (C4, C6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import (
    Bootstrap,
    Interval,
    median_interval,
    ratio_of,
    resample,
)
from evaluation.core.statistics.judgments import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Summary:
    """A figure of many edits, such as seconds per word or HTER. Times have long tails: the median
    and the trimmed mean stay where they are when somebody goes for lunch.
    """

    mean: Interval
    median: Interval
    trimmed_mean: float | None  # without the lowest and highest tenth
    lower_quartile: float | None
    upper_quartile: float | None

    @property
    def count(self) -> int:
        """How many edits have the figure."""
        return self.mean.count


@dataclass(frozen=True, slots=True)
class Origin:
    """Which of the shown translations the words of an edit were kept from.

    Shares of the edit's words; they add up to 1 with ``new``. None for an edit without words.
    """

    kept: tuple[float | None, ...]  # from each shown translation
    new: float | None  # from none of them
    spans: tuple[Span, ...]  # from left to right in the edit


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the edit, start to end, that stand like this in some shown translations."""

    start: int
    end: int
    shown: tuple[int, ...]


def summary(
    values: ArrayLike, bootstrap: Bootstrap, *, sentence: IntArray | None = None
) -> Summary:
    """Mean, median and quartiles of a figure per edit; unknown ones (NaN) are left out."""
    numbers, sentence = _known(values, sentence)
    rows = np.column_stack([np.ones(len(numbers)), numbers])
    if not len(numbers):
        nothing = Interval(None, None, None, 0, 0)
        return Summary(nothing, nothing, None, None, None)
    ordered = np.sort(numbers)
    tenth = len(ordered) // 10
    lower, upper = np.quantile(ordered, [0.25, 0.75])
    return Summary(
        mean=resample(rows, sentence, bootstrap).interval(ratio_of, len(numbers)),
        median=median_interval(numbers, sentence, bootstrap),
        trimmed_mean=float(ordered[tenth : len(ordered) - tenth].mean()),
        lower_quartile=float(lower),
        upper_quartile=float(upper),
    )


def ratio(
    amounts: ArrayLike, units: ArrayLike, bootstrap: Bootstrap, *, sentence: IntArray | None = None
) -> Interval:
    """All amounts by all units: keystrokes per character, seconds per word.

    A ratio of sums, so that long sentences count for more and a sentence of one word cannot
    spoil it. Edits of which either is unknown (NaN) are left out. Undefined without units.
    """
    above, below = np.asarray(amounts, dtype=np.float64), np.asarray(units, dtype=np.float64)
    if above.shape != below.shape or above.ndim != 1:
        raise InputError(
            f"{above.size} amounts for {below.size} units",
            hint="Give both for every edit, NaN where one is unknown.",
        )
    if sentence is None:
        sentence = np.arange(len(above))
    known = np.isfinite(above) & np.isfinite(below)
    rows = np.column_stack([below[known], above[known]])
    return resample(rows, sentence[known], bootstrap).interval(ratio_of, int(known.sum()))


def compare(
    values: ArrayLike,
    first: ArrayLike,
    bootstrap: Bootstrap,
    *,
    sentence: IntArray,
) -> Interval:
    """How many times as much the edits marked ``first`` take as the others, sentence by sentence.

    exp of the mean over sentences of the difference of mean logarithms: 1.1 is 10 % more. Only
    sentences with edits of both kinds count, so hard sentences on one side do not decide. Edits
    whose value is unknown or not above 0 have no logarithm and are left out.
    """
    numbers, marked = np.asarray(values, dtype=np.float64), np.asarray(first, dtype=np.bool_)
    usable = np.isfinite(numbers) & (numbers > 0)
    names, index = np.unique(sentence[usable], return_inverse=True)
    logs, marked = np.log(numbers[usable]), marked[usable]
    sums, sizes = (
        [
            np.bincount(index[side], weights=values[side], minlength=len(names))
            for side in (marked, ~marked)
        ]
        for values in (logs, np.ones(len(logs)))
    )
    both = (sizes[0] > 0) & (sizes[1] > 0)
    change = sums[0][both] / sizes[0][both] - sums[1][both] / sizes[1][both]
    rows = np.column_stack([np.ones(len(change)), change])
    count = int(sizes[0][both].sum() + sizes[1][both].sum())
    drawn = resample(rows, np.arange(len(change)), bootstrap)
    return drawn.interval(lambda totals: np.exp(ratio_of(totals)), count)


def origin(edit: Sequence[str], shown: Sequence[Sequence[str]], *, shortest: int = 1) -> Origin:
    """What an edit was made from: its longest spans of words that a shown translation has.

    The longest span of words not yet explained that stands in a shown translation is explained
    by all translations it stands in, in equal parts; then the next longest, the leftmost first,
    down to ``shortest`` words (greedy tiling, after Wise 1993). A shown translation may explain
    several spans by the same words: what is asked is where words come from, not what was moved.
    """
    places = [_places(text) for text in shown]
    owner = np.full(len(edit), -1)
    found: list[Span] = []
    while True:
        best = Span(0, 0, ())
        for start in range(len(edit)):
            if owner[start] < 0:
                reach = [
                    _reach(edit, start, owner, text, place)
                    for text, place in zip(shown, places, strict=True)
                ]
                length = max(reach, default=0)
                if length > best.end - best.start:
                    holders = tuple(i for i, size in enumerate(reach) if size == length)
                    best = Span(start, start + length, holders)
        if best.end - best.start < max(1, shortest):
            break
        owner[best.start : best.end] = len(found)
        found.append(best)
    kept = np.zeros(len(shown))
    for span in found:
        kept[list(span.shown)] += (span.end - span.start) / len(span.shown)
    words = len(edit)
    return Origin(
        kept=tuple(float(value) / words if words else None for value in kept),
        new=float((owner < 0).sum()) / words if words else None,
        spans=tuple(sorted(found, key=lambda span: span.start)),
    )


def _places(text: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text):
        places.setdefault(word, []).append(place)
    return places


def _reach(
    edit: Sequence[str],
    start: int,
    owner: IntArray,
    text: Sequence[str],
    places: dict[str, list[int]],
) -> int:
    """How many unexplained words of the edit from ``start`` on stand in the text in a row."""
    longest = 0
    for place in places.get(edit[start], ()):
        length = 1
        while (
            start + length < len(edit)
            and place + length < len(text)
            and owner[start + length] < 0
            and edit[start + length] == text[place + length]
        ):
            length += 1
        longest = max(longest, length)
    return longest


def _known(values: ArrayLike, sentence: IntArray | None) -> tuple[FloatArray, IntArray]:
    numbers = np.asarray(values, dtype=np.float64)
    if sentence is None:
        sentence = np.arange(len(numbers))
    known = np.isfinite(numbers)
    return numbers[known], sentence[known]
