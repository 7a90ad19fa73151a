"""Several studies beside each other: the figures of their own reports, and what they say together.

Nothing is counted again: whoever has the reports has this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.core.errors import InputError
from evaluation.core.report.answer import whole
from evaluation.core.report.figures import Report
from evaluation.core.statistics.intervals import Interval
from evaluation.core.statistics.pooling import Pooled, pool
from evaluation.core.statistics.preferences import Preference


@dataclass(frozen=True, slots=True)
class PooledPreference:
    """Who was preferred in one group of sentences, over all studies."""

    first: Pooled
    same: Pooled
    second: Pooled
    difference: Pooled
    agreeing: int  # studies whose difference has the pooled one's sign


@dataclass(frozen=True, slots=True)
class Together:
    """Reports of the same slice of several studies."""

    answer: str
    first: str
    second: str
    level: float
    marks: tuple[str, ...]
    reports: tuple[Report, ...]
    names: tuple[str, ...]  # of the groups, such as quartile 1
    overall: PooledPreference
    groups: tuple[PooledPreference, ...]
    crossing: Pooled  # where the preference changes sides, of the studies that know it


def together(reports: Sequence[Report]) -> Together:
    """Pool reports that compare the same two conditions in as many groups."""
    if len(reports) < 2:
        raise InputError("one study is not several", hint="Choose two or more.")
    parts = [report.preferences for report in reports]
    first, second = parts[0].first, parts[0].second
    for report in reports:
        own = report.preferences
        if (own.first, own.second) != (first, second):
            raise InputError(
                f"{report.facts.title} compares {own.first} with {own.second}, and "
                f"{reports[0].facts.title} compares {first} with {second}",
                hint="Choose studies of the same conditions, or name both in the address: "
                "first=...&second=...",
            )
    level = reports[0].cut.level
    count = min(len(part.groups) for part in parts)
    if any(len(part.groups) != count for part in parts):
        raise InputError(
            "the studies are cut into different numbers of groups",
            hint="Choose studies whose sentences have the same covariate.",
        )
    grouping = reports[0].grouping
    names = tuple(f"{g.name} {g.number}" for g in grouping.groups) if grouping else ()
    overall = _pooled([part.overall for part in parts], level)
    groups = tuple(_pooled([part.groups[g] for part in parts], level) for g in range(count))
    crossings = [known_crossing(report) for report in reports]
    return Together(
        answer=_answer(first, second, names, overall, groups, len(reports), level),
        first=first,
        second=second,
        level=level,
        marks=tuple(dict.fromkeys(mark for report in reports for mark in report.marks)),
        reports=tuple(reports),
        names=names,
        overall=overall,
        groups=groups,
        crossing=pool([one for one in crossings if one is not None], level),
    )


def _pooled(found: Sequence[Preference], level: float) -> PooledPreference:
    def of(part: Callable[[Preference], Interval], least: float = 0.0) -> Pooled:
        return pool([part(one) for one in found], level, within=(least, 1.0))

    difference = of(lambda one: one.difference, least=-1.0)
    sign = (difference.value.estimate or 0.0) >= 0
    return PooledPreference(
        first=of(lambda one: one.first),
        same=of(lambda one: one.same),
        second=of(lambda one: one.second),
        difference=difference,
        agreeing=sum(
            (one.difference.estimate >= 0) == sign
            for one in found
            if one.difference.estimate is not None
        ),
    )


def known_crossing(report: Report) -> Interval | None:
    """Where a study's preference changes sides, if its data know, with both limits."""
    found = report.preferences.crossover
    if found is None or (found.logistic.certainty or 0.0) < report.cut.level:
        return None
    at = found.logistic.at
    return None if at.low is None or at.high is None else at


def _answer(
    first: str,
    second: str,
    names: Sequence[str],
    overall: PooledPreference,
    groups: Sequence[PooledPreference],
    count: int,
    level: float,
) -> str:
    if len(groups) < 2:
        return f"Over {count} studies {_said(first, second, overall, count, level)}."
    kind = names[0].rpartition(" ")[0]
    low, high = (_said(first, second, groups[g], count, level) for g in (0, -1))
    return f"Over {count} studies, in the lowest {kind} {low}. In the highest {kind} {high}."


def _said(first: str, second: str, found: PooledPreference, count: int, level: float) -> str:
    value = found.difference.value
    if value.estimate is None or value.low is None or value.high is None:
        return "too few studies have enough answers to say anything"
    ahead, behind = (first, second) if value.estimate >= 0 else (second, first)
    ends = (value.low, value.high) if value.estimate >= 0 else (-value.high, -value.low)
    limits = " to ".join(whole(100 * end) for end in ends)
    size = (
        f"by {abs(100 * value.estimate):.0f} points ({100 * level:g}% interval {limits}; "
        f"the same way in {found.agreeing} of {count})"
    )
    if value.low > 0 or value.high < 0:
        return f"{ahead} was preferred to {behind} {size}"
    return f"there is no clear difference: {ahead} was ahead of {behind} {size}"
