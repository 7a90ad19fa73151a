"""The figures of a report: each a Vega-Lite chart by Altair, its table, and what it shows in words.

Shapes differ as well as colours, so that a chart can be read on a black and white printer and by
colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from evaluation.core.report.figures import Grouping, Report
from evaluation.core.statistics.intervals import Interval
from evaluation.drawn import FIRST, INK, PAPER, RULE, SAME, SECOND, Chart

_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
_WIDTH, _HEIGHT = 560, 280

Rows = list[dict[str, Any]]


def charts(report: Report) -> tuple[Chart, ...]:
    """The figures that this report has data for, in the order of its sections."""
    makers: tuple[Callable[[Report], Chart | None], ...] = (
        _preferences,
        _crossover,
        _standings,
        _lists,
        _coverage,
        _bleu1,
        _hter,
        _seconds,
        _origin,
        _agreement,
    )
    return tuple(chart for maker in makers if (chart := maker(report)) is not None)


def finished(chart: Any, marks: Sequence[str] = (), *, height: int = _HEIGHT) -> dict[str, Any]:
    """The chart's specification in our looks; simulated and interim data say so on the chart."""
    spec = chart.properties(width=_WIDTH, height=height, background=PAPER, padding=8)
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


def _said(value: Interval, *, scale: float = 1.0, unit: str = "") -> str:
    if value.estimate is None:
        return "undefined"
    text = f"{value.estimate * scale:.0f}{unit}"
    if value.low is None or value.high is None:
        return text
    return f"{text} ({value.low * scale:.0f} to {value.high * scale:.0f})"


def _row(value: Interval, *, scale: float = 1.0, **more: Any) -> dict[str, Any]:
    """One point with its limits; Vega-Lite leaves out what is null."""
    limits = {
        name: None if part is None else part * scale
        for name, part in (("value", value.estimate), ("low", value.low), ("high", value.high))
    }
    return {**more, **limits, "n": value.count}


def _colour(names: Sequence[str], *, domain: Sequence[str] | None = None) -> dict[str, Any]:
    """Colour and shape of the conditions: the first two in their own hues, others in ink."""
    colours = [FIRST, SECOND, *[INK] * max(0, len(names) - 2)]
    own = dict(zip(names, zip(colours, _SHAPES, strict=False), strict=False)) | {
        "same": (SAME, "square")
    }
    shown = list(domain or names)
    return {
        "color": alt.Color(
            "condition:N", scale=alt.Scale(domain=shown, range=[own[name][0] for name in shown])
        ),
        "shape": alt.Shape(
            "condition:N", scale=alt.Scale(domain=shown, range=[own[name][1] for name in shown])
        ),
    }


def _tooltip(value: str, *more: str) -> list[alt.Tooltip]:
    return [
        *(alt.Tooltip(name) for name in more),
        alt.Tooltip("value:Q", format=".1f", title=value),
        alt.Tooltip("low:Q", format=".1f", title="from"),
        alt.Tooltip("high:Q", format=".1f", title="to"),
        alt.Tooltip("n:Q", format=",", title="n"),
    ]


def _group_labels(grouping: Grouping) -> list[str]:
    return [
        f"{group.number}" if group.lowest is None else
        f"{group.number} ({group.lowest:.0f}\N{EN DASH}{group.highest:.0f})"
        for group in grouping.groups
    ]  # fmt: skip


def _name(grouping: Grouping) -> str:
    """What the groups are of, as in: quartile of BLEU+1."""
    return f"{grouping.groups[0].name} of {grouping.label}"


# --- Preferences ------------------------------------------------------------------------------


def _preferences(report: Report) -> Chart | None:
    """Figure 2 with intervals, "same", and the cut points on the axis."""
    part, grouping = report.preferences, report.grouping
    if not part.overall.judgments:
        return None
    names = (part.first, "same", part.second)
    groups = part.groups if grouping else (part.overall,)
    labels = [f"{g.name} {g.number}" for g in grouping.groups] if grouping else ["all"]
    rows = []
    for g, found in enumerate(groups):
        for place, (name, value) in enumerate(
            zip(names, (found.first, found.same, found.second), strict=True)
        ):
            where = _places(grouping, g, place)
            rows.append(_row(value, scale=100, condition=name, group=labels[g], **where))
    known = [row for row in rows if row["value"] is not None and row["x"] is not None]
    data = alt.Data(values=known)
    base = alt.Chart(data).encode(
        x=alt.X("x:Q", axis=_cut_axis(grouping), scale=_cut_scale(grouping)),
        color=_colour((part.first, part.second), domain=names)["color"],
    )
    share = alt.Y("low:Q", title="% of judgments", scale=alt.Scale(zero=True))
    layers = alt.layer(
        base.mark_rule(opacity=0.45).encode(x="from:Q", x2="to:Q", y=alt.Y("value:Q")),
        base.mark_rule(strokeWidth=2).encode(y=share, y2="high:Q"),
        base.mark_point(size=90, filled=True, opacity=1).encode(
            y=alt.Y("value:Q"),
            shape=_colour((part.first, part.second), domain=names)["shape"],
            tooltip=_tooltip("%", "condition:N", "group:N"),
        ),
    )
    alternative = "; ".join(
        f"{label}: {part.first} {_said(found.first, scale=100, unit='%')}, "
        f"{part.second} {_said(found.second, scale=100, unit='%')}, "
        f"same {_said(found.same, scale=100, unit='%')}"
        for label, found in zip(labels, groups, strict=True)
    )
    return Chart(
        name="preferences",
        title=f"Preference by {_name(grouping)}" if grouping else "Preference",
        summary="Points are shares of judgments; upright lines are their intervals, level lines "
        "the sentences that a group spans. The axis shows where the groups are cut."
        if grouping
        else "Points are shares of judgments, lines their intervals.",
        alternative=f"Shares of judgments, with intervals. {alternative}.",
        columns=("group", "condition", "% of judgments", "low", "high", "judgments"),
        rows=_table(rows, "group", "condition"),
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


def _crossover(report: Report) -> Chart | None:
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
        f"It changes sides at {_said(at)}."
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


def _standings(report: Report) -> Chart | None:
    if not report.standings:
        return None
    rows = [_row(row.win_ratio, scale=100, condition=row.condition) for row in report.standings]
    return _level(
        report,
        rows,
        name="standings",
        title="Win ratios",
        summary="Wins by wins and losses, ties left out; lines are intervals.",
        unit="% of decided judgments won",
        middle=50.0,
    )


# --- Lists and edits ----------------------------------------------------------------------------


def _lists(report: Report) -> Chart | None:
    """Figure 1: bars are medians, lines reach from least to greatest."""
    own = _by_group(report.lists)
    if not own or report.grouping is None:
        return None
    labels = _group_labels(report.grouping)
    names = list(dict.fromkeys(row.condition for row in own))
    rows = [
        {
            "condition": row.condition,
            "group": labels[row.group or 0],
            "value": row.median.estimate,
            "low": row.minimum.estimate,
            "high": row.maximum.estimate,
            "n": row.lists,
        }
        for row in own
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("group:N", sort=labels, title=_name(report.grouping), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("condition:N", sort=names),
    )
    layers = alt.layer(
        base.mark_bar(opacity=0.8).encode(
            y=alt.Y("value:Q", title="BLEU+1"),
            color=_colour(names)["color"],
            tooltip=[
                alt.Tooltip("condition:N"), alt.Tooltip("group:N"),
                alt.Tooltip("value:Q", format=".1f", title="median"),
                alt.Tooltip("low:Q", format=".1f", title="least"),
                alt.Tooltip("high:Q", format=".1f", title="greatest"),
            ],
        ),
        base.mark_rule(color=INK, strokeWidth=2).encode(y="low:Q", y2="high:Q"),
    )  # fmt: skip
    return Chart(
        name="lists",
        title="BLEU+1 within the lists",
        summary="Heights of the bars are medians, lines reach from the least to the greatest; all "
        "averaged over the sentences of a group.",
        alternative="; ".join(
            f"{row['group']}, {row['condition']}: median {_whole(row['value'])}, "
            f"{_whole(row['low'])} to {_whole(row['high'])}"
            for row in rows
        ),
        columns=("group", "condition", "median", "least", "greatest", "lists"),
        rows=_table(rows, "group", "condition"),
        spec=finished(layers, report.marks),
    )


def _coverage(report: Report) -> Chart | None:
    return _points(
        report,
        [(row.condition, row.group, row.coverage) for row in _by_group(report.lists)],
        name="coverage",
        title="Coverage of the lists",
        unit="coverage",
        summary="How much of the references' n-grams a whole list holds.",
    )


def _bleu1(report: Report) -> Chart | None:
    return _points(
        report,
        [(row.condition, row.group, row.bleu1) for row in _by_group(report.edits)],
        name="edits-bleu1",
        title="BLEU+1 of the edits",
        unit="BLEU+1",
        summary="What people wrote, against the references: to be compared with their preference.",
    )


def _hter(report: Report) -> Chart | None:
    return _points(
        report,
        [(row.condition, row.group, row.hter) for row in _by_group(report.edits)],
        name="edits-hter",
        title="HTER of the edits",
        unit="HTER",
        summary="How much people changed of the closest translation that they were shown.",
    )


def _by_group(rows: Sequence[Any]) -> list[Any]:
    """The rows that are of one group each, not of all sentences."""
    return [row for row in rows if row.group is not None]


def _points(
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
    labels = _group_labels(report.grouping)
    names = list(dict.fromkeys(condition for condition, _, _ in found))
    rows = [
        _row(value, condition=condition, group=labels[group or 0])
        for condition, group, value in found
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("group:N", sort=labels, title=_name(report.grouping), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("condition:N", sort=names),
        color=_colour(names)["color"],
    )
    axis = alt.Y("low:Q", title=unit, scale=alt.Scale(zero=False))
    layers = alt.layer(
        base.mark_rule(strokeWidth=2).encode(y=axis, y2="high:Q"),
        base.mark_point(size=90, filled=True, opacity=1).encode(
            y="value:Q",
            shape=_colour(names)["shape"],
            tooltip=_tooltip(unit, "condition:N", "group:N"),
        ),
    )
    return Chart(
        name=name,
        title=title,
        summary=f"{summary} Lines are intervals.",
        alternative="; ".join(
            f"{labels[group or 0]}, {condition}: {_said(value)}"
            for condition, group, value in found
        ),
        columns=("group", "condition", unit, "low", "high", "n"),
        rows=_table(rows, "group", "condition"),
        spec=finished(layers, report.marks),
    )


# --- Effort and agreement -------------------------------------------------------------------------


def _seconds(report: Report) -> Chart | None:
    if report.effort is None:
        return None
    rows = [_row(row.seconds.median, condition=row.condition) for row in report.effort.conditions]
    return _level(
        report,
        rows,
        name="seconds",
        title="Time for an edit",
        summary="Medians, for times have long tails; lines are their intervals.",
        unit="seconds, median",
    )


def _origin(report: Report) -> Chart | None:
    """Stacked shares of an edit's words: from the first, from the others, new."""
    if report.effort is None:
        return None
    kinds = ("the first translation", "the others shown", "nobody: new")
    rows = [
        _row(value, scale=100, condition=row.condition, origin=kind, order=place)
        for row in report.effort.conditions
        for place, (kind, value) in enumerate(
            zip(kinds, (row.kept_first, row.kept_others, row.new), strict=True)
        )
        if value.defined
    ]
    if not rows:
        return None
    chart = alt.Chart(alt.Data(values=rows)).mark_bar(stroke=PAPER).encode(
        y=alt.Y("condition:N", title=None, sort=None),
        x=alt.X("value:Q", title="% of an edit's words", stack="zero"),
        color=alt.Color(
            "origin:N", scale=alt.Scale(domain=list(kinds), range=[INK, SAME, RULE])
        ),
        order="order:Q",
        tooltip=_tooltip("%", "condition:N", "origin:N"),
    )  # fmt: skip
    return Chart(
        name="origin",
        title="What edits were made from",
        summary="Spans of words that stand in a shown translation count as kept from it.",
        alternative="; ".join(
            f"{row['condition']}, from {row['origin']}: {_whole(row['value'])}%" for row in rows
        ),
        columns=("condition", "from", "% of words", "low", "high", "edits"),
        rows=_table(rows, "condition", "origin"),
        spec=finished(chart, report.marks, height=56 * len(report.effort.conditions)),
    )


def _agreement(report: Report) -> Chart | None:
    found = report.quality.agreement
    values = (
        ("kappa between judges", found.strict.kappa),
        ("kappa as WMT counts", found.inter.kappa),
        ("kappa with oneself", found.intra.kappa),
        ("Fleiss' kappa", found.fleiss),
        ("Krippendorff's alpha", found.alpha_nominal),
        ("ordinal alpha", found.alpha_ordinal),
    )
    rows = [_row(value, condition=name) for name, value in values if value.defined]
    if not rows:
        return None
    return _level(
        report,
        rows,
        name="agreement",
        title="Agreement of judges",
        summary="Beyond chance: 0 is chance, 1 is perfect. Lines are intervals.",
        unit="agreement beyond chance",
        middle=0.0,
        digits=2,
    )


def _level(
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
            x="value:Q", tooltip=_tooltip(unit, "condition:N")
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
        rows=_table(rows, "condition"),
        spec=finished(alt.layer(*layers), report.marks, height=40 * len(shown) + 20),
    )


def _table(rows: Rows, *names: str) -> tuple[tuple[str | float | int | None, ...], ...]:
    return tuple(tuple(row[name] for name in (*names, "value", "low", "high", "n")) for row in rows)


def _whole(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.0f}"
