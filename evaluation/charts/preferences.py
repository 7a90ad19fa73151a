"""Who was preferred: Figure 2 of the paper, its continuous form, all conditions."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from evaluation.charts.drawing import (
    colour,
    finished,
    level,
    name_of,
    row_of,
    said,
    table,
    tooltip,
)
from evaluation.core.report.figures import Grouping, Report
from evaluation.core.statistics.preferences import Preference
from evaluation.drawn import INK, SAME, Chart


def preferences(report: Report) -> Chart | None:
    """Figure 2 with intervals, "same", and the cut points on the axis."""
    part, grouping = report.preferences, report.grouping
    groups = part.groups if grouping else (part.overall,)
    return _shares(
        report,
        grouping,
        groups,
        name="preferences",
        title=f"Preference by {name_of(grouping)}" if grouping else "Preference",
    )


def guessed(report: Report) -> Chart | None:
    """The same where nobody knows a reference: by quartile of the guess."""
    found = report.confidence
    if found is None:
        return None
    return _shares(
        report,
        found.grouping,
        found.groups,
        name="guessed",
        title=f"Preference by {name_of(found.grouping)}",
    )


def _shares(
    report: Report,
    grouping: Grouping | None,
    groups: Sequence[Preference],
    *,
    name: str,
    title: str,
) -> Chart | None:
    part = report.preferences
    if not part.overall.judgments:
        return None
    names = (part.first, "same", part.second)
    labels = [f"{g.name} {g.number}" for g in grouping.groups] if grouping else ["all"]
    rows = []
    for g, found in enumerate(groups):
        for place, (who, value) in enumerate(
            zip(names, (found.first, found.same, found.second), strict=True)
        ):
            where = _places(grouping, g, place)
            rows.append(row_of(value, scale=100, condition=who, group=labels[g], **where))
    known = [row for row in rows if row["value"] is not None and row["x"] is not None]
    colours = colour((part.first, part.second), domain=names)
    base = alt.Chart(alt.Data(values=known)).encode(
        x=alt.X("x:Q", axis=_cut_axis(grouping), scale=_cut_scale(grouping)),
        color=colours["color"],
    )
    share = alt.Y("low:Q", title="% of judgments", scale=alt.Scale(zero=True))
    layers = alt.layer(
        base.mark_rule(opacity=0.45).encode(x="from:Q", x2="to:Q", y=alt.Y("value:Q")),
        base.mark_rule(strokeWidth=2).encode(y=share, y2="high:Q"),
        base.mark_point(size=90, filled=True, opacity=1).encode(
            y=alt.Y("value:Q"),
            shape=colours["shape"],
            tooltip=tooltip("%", "condition:N", "group:N"),
        ),
    )
    alternative = "; ".join(
        f"{label}: {part.first} {said(found.first, scale=100, unit='%')}, "
        f"{part.second} {said(found.second, scale=100, unit='%')}, "
        f"same {said(found.same, scale=100, unit='%')}"
        for label, found in zip(labels, groups, strict=True)
    )
    return Chart(
        name=name,
        title=title,
        summary="Points are shares of judgments; upright lines are their intervals, level lines "
        "the sentences that a group spans. The axis shows where the groups are cut."
        if grouping
        else "Points are shares of judgments, lines their intervals.",
        alternative=f"Shares of judgments, with intervals. {alternative}.",
        columns=("group", "condition", "% of judgments", "low", "high", "judgments"),
        rows=table(rows, "group", "condition"),
        spec=finished(layers, report.marks),
    )


def _places(grouping: Grouping | None, g: int, place: int) -> dict[str, float | None]:
    """Where a group's point lies on the axis of the covariate, three points side by side."""
    if grouping is None:
        return {"x": 0.5 + 0.1 * (place - 1), "from": 0.5, "to": 0.5}
    group = grouping.groups[g]
    known = [h for h in grouping.groups if h.lowest is not None and h.highest is not None]
    if group.lowest is None or group.highest is None:
        return {"x": None, "from": None, "to": None}
    whole = (known[-1].highest or 0.0) - (known[0].lowest or 0.0)
    middle = (group.lowest + group.highest) / 2 + 0.015 * whole * (place - 1)
    return {"x": middle, "from": group.lowest, "to": group.highest}


def _ends(grouping: Grouping) -> list[float]:
    known = [group for group in grouping.groups if group.lowest is not None]
    inner = [cut for cut in grouping.cuts if cut is not None]
    return [known[0].lowest or 0.0, *inner, known[-1].highest or 0.0]


def _cut_axis(grouping: Grouping | None) -> alt.Axis | None:
    if grouping is None:
        return None
    return alt.Axis(
        values=_ends(grouping),
        title=f"{grouping.label}, with cut points",
        format=".1f",
        labelOverlap=True,
    )


def _cut_scale(grouping: Grouping | None) -> alt.Scale:
    if grouping is None:
        return alt.Scale(domain=[0, 1])
    ends = _ends(grouping)
    room = 0.03 * (ends[-1] - ends[0]) or 1.0
    return alt.Scale(domain=[ends[0] - room, ends[-1] + room], nice=False, zero=False)


def crossover(report: Report) -> Chart | None:
    """Figure 2 without groups: the difference along the covariate, and where it is 0."""
    found, grouping = report.preferences.crossover, report.grouping
    if found is None or found.curve is None or grouping is None:
        return None
    part, curve, at = report.preferences, found.curve, found.logistic.at
    rows = [
        {"x": x, "value": 100 * value, "low": 100 * low, "high": 100 * high}
        for x, value, low, high in list(
            zip(curve.x, curve.difference, curve.low, curve.high, strict=True)
        )[::2]
    ]
    x = alt.X("x:Q", title=grouping.label, scale=alt.Scale(nice=False, zero=False))
    arrows = f"\N{LEFTWARDS ARROW} {part.second} | {part.first} \N{RIGHTWARDS ARROW}"
    title = [arrows, "difference, points"]
    base = alt.Chart(alt.Data(values=rows)).encode(x=x)
    layers = [
        base.mark_area(opacity=0.2, color=SAME).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(color=INK, strokeWidth=2).encode(
            y="value:Q",
            tooltip=[
                alt.Tooltip("x:Q", format=".1f", title=grouping.label),
                alt.Tooltip("value:Q", format=".1f", title="difference"),
                alt.Tooltip("low:Q", format=".1f", title="from"),
                alt.Tooltip("high:Q", format=".1f", title="to"),
            ],
        ),
        alt.Chart(alt.Data(values=[{"y": 0}])).mark_rule(color=SAME).encode(y="y:Q"),
    ]
    shown = found.logistic.certainty is not None and found.logistic.certainty >= report.cut.level
    if at.estimate is not None and shown:
        mark = [{
            "x": at.estimate,
            "low": curve.x[0] if at.low is None else at.low,
            "high": curve.x[-1] if at.high is None else at.high,
            "label": f"{at.estimate:.0f}",
        }]  # fmt: skip
        crossing = alt.Chart(alt.Data(values=mark))
        layers += [
            crossing.mark_rect(opacity=0.12, color=INK).encode(x="low:Q", x2="high:Q"),
            crossing.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=2).encode(x="x:Q"),
            crossing.mark_text(color=INK, align="left", dx=5, baseline="top", fontSize=13).encode(
                x="x:Q", y=alt.value(4), text="label:N"
            ),
        ]
    where = (
        f"It changes sides at {said(at)}."
        if at.estimate is not None and shown
        else "The data do not show where it changes sides."
    )
    ends = (rows[0], rows[-1])
    return Chart(
        name="crossover",
        title=f"Preference along {grouping.label}",
        summary="The difference of the shares of judgments, smoothed; the band holds its pointwise "
        "intervals. The dashed line is where the logistic curve changes sides, with its interval.",
        alternative=f"Share of {part.first} less share of {part.second}: "
        + ", ".join(f"{row['value']:.0f} points at {row['x']:.0f}" for row in ends)
        + f". {where}",
        columns=(grouping.label, "difference, points", "low", "high"),
        rows=tuple((row["x"], row["value"], row["low"], row["high"]) for row in rows),
        spec=finished(alt.layer(*layers), report.marks),
    )


def standings(report: Report) -> Chart | None:
    if not report.standings:
        return None
    rows = [row_of(row.win_ratio, scale=100, condition=row.condition) for row in report.standings]
    return level(
        report,
        rows,
        name="standings",
        title="Win ratios",
        summary="Wins by wins and losses, ties left out; lines are intervals.",
        unit="% of decided judgments won",
        middle=50.0,
    )
