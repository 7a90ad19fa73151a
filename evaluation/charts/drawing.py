"""How every figure of a report is drawn: looks, colours, and the two kinds that recur.

Shapes differ as well as colours, so that a chart can be read on a black and white printer and by
colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from evaluation.core.report.figures import Grouping, Report
from evaluation.core.statistics.intervals import Interval
from evaluation.drawn import FIRST, INK, PAPER, RULE, SAME, SECOND, Chart

SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
_WIDTH, _HEIGHT = 560, 280
# More on the right, where the last label of an axis reaches beyond it.
_PADDING = {"left": 8, "top": 8, "right": 20, "bottom": 8}

Rows = list[dict[str, Any]]


def finished(chart: Any, marks: Sequence[str] = (), *, height: int = _HEIGHT) -> dict[str, Any]:
    """The chart's specification in our looks; simulated and interim data say so on the chart."""
    spec = chart.properties(width=_WIDTH, height=height, background=PAPER, padding=_PADDING)
    if marks:
        words = " and ".join(marks)
        spec = spec.properties(
            title=alt.TitleParams(f"{words} data", anchor="end", fontSize=12, color=INK)
        )
    text = {"labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13}
    spec = (
        spec.configure(font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            **text, gridColor=RULE, domainColor=SAME, tickColor=SAME, titleFontWeight="normal"
        )
        .configure_legend(**text, orient="bottom", title=None, symbolSize=90, symbolOpacity=1)
    )
    return dict(spec.to_dict())


def said(value: Interval, *, scale: float = 1.0, unit: str = "") -> str:
    if value.estimate is None:
        return "undefined"
    text = f"{value.estimate * scale:.0f}{unit}"
    if value.low is None or value.high is None:
        return text
    return f"{text} ({value.low * scale:.0f} to {value.high * scale:.0f})"


def row_of(value: Interval, *, scale: float = 1.0, **more: Any) -> dict[str, Any]:
    """One point with its limits; Vega-Lite leaves out what is null."""
    limits = {
        name: None if part is None else part * scale
        for name, part in (("value", value.estimate), ("low", value.low), ("high", value.high))
    }
    return {**more, **limits, "n": value.count}


def colour(names: Sequence[str], *, domain: Sequence[str] | None = None) -> dict[str, Any]:
    """Colour and shape of the conditions: the first two in their own hues, others in ink."""
    colours = [FIRST, SECOND, *[INK] * max(0, len(names) - 2)]
    own = dict(zip(names, zip(colours, SHAPES, strict=False), strict=False)) | {
        "same": (SAME, "square")
    }
    shown = list(domain or names)
    hues = alt.Scale(domain=shown, range=[own[name][0] for name in shown])
    shapes = alt.Scale(domain=shown, range=[own[name][1] for name in shown])
    return {
        "color": alt.Color("condition:N", scale=hues),
        "stroke": alt.Stroke("condition:N", scale=hues),
        "shape": alt.Shape("condition:N", scale=shapes),
    }


def tooltip(value: str, *more: str) -> list[alt.Tooltip]:
    return [
        *(alt.Tooltip(name) for name in more),
        alt.Tooltip("value:Q", format=".1f", title=value),
        alt.Tooltip("low:Q", format=".1f", title="from"),
        alt.Tooltip("high:Q", format=".1f", title="to"),
        alt.Tooltip("n:Q", format=",", title="n"),
    ]


def group_labels(grouping: Grouping) -> list[str]:
    return [
        f"{group.number}" if group.lowest is None else
        f"{group.number} ({group.lowest:.0f}\N{EN DASH}{group.highest:.0f})"
        for group in grouping.groups
    ]  # fmt: skip


def name_of(grouping: Grouping) -> str:
    """What the groups are of, as in: quartile of BLEU+1."""
    return f"{grouping.groups[0].name} of {grouping.label}"


def group_axis(grouping: Grouping) -> alt.X:
    """The groups beside each other, with the range of each."""
    level_labels = alt.Axis(labelAngle=0)
    return alt.X("group:N", sort=group_labels(grouping), title=name_of(grouping), axis=level_labels)


def by_group(rows: Sequence[Any]) -> list[Any]:
    """The rows that are of one group each, not of all sentences."""
    return [row for row in rows if row.group is not None]


def points(
    report: Report,
    found: Sequence[tuple[str, int | None, Interval]],
    *,
    name: str,
    title: str,
    unit: str,
    summary: str,
) -> Chart | None:
    """A figure with its interval for each group, the conditions side by side."""
    if report.grouping is None or not any(value.defined for _, _, value in found):
        return None
    labels = group_labels(report.grouping)
    names = list(dict.fromkeys(condition for condition, _, _ in found))
    rows = [
        row_of(value, condition=condition, group=labels[group or 0])
        for condition, group, value in found
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=group_axis(report.grouping),
        xOffset=alt.XOffset("condition:N", sort=names),
        color=colour(names)["color"],
    )
    axis = alt.Y("low:Q", title=unit, scale=alt.Scale(zero=False))
    layers = alt.layer(
        base.mark_rule(strokeWidth=2).encode(y=axis, y2="high:Q"),
        base.mark_point(size=90, filled=True, opacity=1).encode(
            y="value:Q",
            shape=colour(names)["shape"],
            tooltip=tooltip(unit, "condition:N", "group:N"),
        ),
    )
    return Chart(
        name=name,
        title=title,
        summary=f"{summary} Lines are intervals.",
        alternative="; ".join(
            f"{labels[group or 0]}, {condition}: {said(value)}" for condition, group, value in found
        ),
        columns=("group", "condition", unit, "low", "high", "n"),
        rows=table(rows, "group", "condition"),
        spec=finished(layers, report.marks),
    )


def level(
    report: Report,
    rows: Rows,
    *,
    name: str,
    title: str,
    summary: str,
    unit: str,
    middle: float | None = None,
    digits: int = 0,
) -> Chart:
    """Figures below each other, each with its interval on a level line."""
    shown = [row for row in rows if row["value"] is not None]
    base = alt.Chart(alt.Data(values=shown)).encode(
        y=alt.Y("condition:N", sort=None, title=None, axis=alt.Axis(labelLimit=220))
    )
    axis = alt.X("low:Q", title=unit, scale=alt.Scale(zero=middle == 0.0))
    layers = [
        base.mark_rule(color=INK, strokeWidth=2).encode(x=axis, x2="high:Q"),
        base.mark_point(size=80, filled=True, color=INK, opacity=1).encode(
            x="value:Q", tooltip=tooltip(unit, "condition:N")
        ),
    ]
    if middle is not None:
        line = alt.Chart(alt.Data(values=[{"x": middle}])).mark_rule(color=SAME, strokeDash=[4, 4])
        layers.insert(0, line.encode(x="x:Q"))
    return Chart(
        name=name,
        title=title,
        summary=summary,
        alternative="; ".join(f"{row['condition']}: {row['value']:.{digits}f}" for row in shown),
        columns=("", unit, "low", "high", "n"),
        rows=table(rows, "condition"),
        spec=finished(alt.layer(*layers), report.marks, height=40 * len(shown) + 20),
    )


def table(rows: Rows, *names: str) -> tuple[tuple[str | float | int | None, ...], ...]:
    return tuple(tuple(row[name] for name in (*names, "value", "low", "high", "n")) for row in rows)


def whole(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.0f}"
