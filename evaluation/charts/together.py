"""Several studies in one figure: Figure 2 overlaid, and the studies below each other."""

from __future__ import annotations

import altair as alt

from evaluation.charts.drawing import Rows, finished, row_of, said, table, tooltip
from evaluation.core.report.together import Together, known_crossing
from evaluation.drawn import FIRST, INK, SAME, SECOND, Chart


def charts_together(found: Together) -> tuple[Chart, ...]:
    """The figures that these studies have data for."""
    made = (_overlaid(found), _studies(found), _crossings(found))
    return tuple(chart for chart in made if chart is not None)


def _overlaid(found: Together) -> Chart | None:
    """The difference by group: each study a line where its sentences lie, with intervals."""
    rows: Rows = []
    for report in found.reports:
        groups = report.grouping.groups if report.grouping else ()
        for group, one in zip(groups, report.preferences.groups, strict=False):
            if group.lowest is not None and group.highest is not None:
                middle = (group.lowest + group.highest) / 2
                rows.append(
                    row_of(
                        one.difference, scale=100, study=report.facts.title,
                        group=f"{group.name} {group.number}", x=middle,
                    )
                )  # fmt: skip
    rows = [row for row in rows if row["value"] is not None]
    if not rows or found.reports[0].grouping is None:
        return None
    label = found.reports[0].grouping.label
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", title=f"{label}, middle of the group", scale=alt.Scale(zero=False)),
        detail="study:N",
    )
    arrows = f"\N{LEFTWARDS ARROW} {found.second} | {found.first} \N{RIGHTWARDS ARROW}"
    layers = alt.layer(
        alt.Chart(alt.Data(values=[{"y": 0}])).mark_rule(color=SAME).encode(y="y:Q"),
        base.mark_line(color=SAME, strokeWidth=1).encode(y="value:Q"),
        base.mark_rule(color=INK, opacity=0.5).encode(
            y=alt.Y("low:Q", title=[arrows, "difference, points"]), y2="high:Q"
        ),
        base.mark_point(size=70, filled=True, opacity=1).encode(
            y="value:Q",
            color=alt.condition("datum.value < 0", alt.value(SECOND), alt.value(FIRST)),
            shape=alt.condition("datum.value < 0", alt.value("diamond"), alt.value("circle")),
            tooltip=tooltip("difference", "study:N", "group:N"),
        ),
    )
    return Chart(
        name="overlaid",
        title="Preference in all studies",
        summary="Each line is a study, each point one of its groups; upright lines are intervals.",
        alternative="; ".join(
            f"{row['study']}, {row['group']}: {row['value']:.0f} points" for row in rows
        ),
        columns=("study", "group", "difference, points", "low", "high", "judgments"),
        rows=table(rows, "study", "group"),
        spec=finished(layers, found.marks),
    )


def _studies(found: Together) -> Chart:
    """The lowest and the highest group of each study, and of all of them together."""
    ends = (0, len(found.groups) - 1) if len(found.groups) > 1 else ()
    rows: Rows = []
    for report in found.reports:
        part = report.preferences
        shown = [(found.names[g], part.groups[g]) for g in ends] or [("all", part.overall)]
        rows += [
            row_of(one.difference, scale=100, condition=report.facts.title, group=group)
            for group, one in shown
        ]
    shown_all = [(found.names[g], found.groups[g]) for g in ends] or [("all", found.overall)]
    rows += [
        row_of(one.difference.value, scale=100, condition="together", group=group)
        for group, one in shown_all
    ]
    names = [name for name, _ in shown_all]
    known = [row for row in rows if row["value"] is not None]
    hues = alt.Scale(domain=names, range=[SECOND, FIRST][: len(names)])
    base = alt.Chart(alt.Data(values=known)).encode(
        y=alt.Y("condition:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        yOffset=alt.YOffset("group:N", sort=names),
        color=alt.Color("group:N", scale=hues),
    )
    arrows = f"\N{LEFTWARDS ARROW} {found.second} | {found.first} \N{RIGHTWARDS ARROW}"
    layers = alt.layer(
        alt.Chart(alt.Data(values=[{"x": 0}]))
        .mark_rule(color=SAME, strokeDash=[4, 4])
        .encode(x="x:Q"),
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title=f"{arrows}   difference, points"), x2="high:Q"
        ),
        base.mark_point(size=80, filled=True, opacity=1).encode(
            x="value:Q",
            shape=alt.Shape(
                "group:N", scale=alt.Scale(domain=names, range=["diamond", "circle"][: len(names)])
            ),
            tooltip=tooltip("difference", "condition:N", "group:N"),
        ),
    )
    return Chart(
        name="studies",
        title="Study by study" + (f", {names[0]} and {names[-1]}" if len(names) > 1 else ""),
        summary="Points are differences of the shares, lines their intervals; the last row is "
        "what the studies say together.",
        alternative="; ".join(
            f"{row['condition']}, {row['group']}: {row['value']:.0f} points" for row in known
        ),
        columns=("study", "group", "difference, points", "low", "high", "judgments"),
        rows=table(rows, "condition", "group"),
        spec=finished(layers, found.marks, height=44 * (len(found.reports) + 1) + 20),
    )


def _crossings(found: Together) -> Chart | None:
    """Where each study's preference changes sides, if its data know."""
    if not found.crossing.value.clusters:
        return None
    known = [
        (report.facts.title, crossing)
        for report in found.reports
        if (crossing := known_crossing(report)) is not None
    ]
    rows = [row_of(at, condition=name) for name, at in known]
    rows.append(row_of(found.crossing.value, condition="together"))
    label = found.reports[0].grouping.label if found.reports[0].grouping else ""
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("condition:N", sort=None, title=None, axis=alt.Axis(labelLimit=220))
    )
    layers = alt.layer(
        base.mark_rule(color=INK, strokeWidth=2).encode(
            x=alt.X("low:Q", title=label, scale=alt.Scale(zero=False)), x2="high:Q"
        ),
        base.mark_point(size=80, filled=True, color=INK, opacity=1).encode(
            x="value:Q", tooltip=tooltip(label, "condition:N")
        ),
    )
    return Chart(
        name="crossings",
        title="Where the preference changes sides",
        summary="Studies whose data do not show it are left out. Lines are intervals.",
        alternative="; ".join(
            [f"{name}: {said(at)}" for name, at in known]
            + [f"together: {said(found.crossing.value)}"]
        ),
        columns=("study", label, "low", "high", "n"),
        rows=table(rows, "condition"),
        spec=finished(layers, found.marks, height=40 * len(rows) + 20),
    )
