"""The chart of a tuning run: the objective over n and lambda."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from decoding.models import TuningCell, TuningRun


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """The surface as a table: a row for each n, a column for each lambda."""

    penalties: list[float]
    rows: list[tuple[int, list[TuningCell | None]]]
    best: TuningCell

    @property
    def may_rise(self) -> bool:
        """Whether the best lies at the end of the penalties that were tried, so that more may win.

        The right ones depend on the scale of a system's weights, which tuning leaves open.
        """
        return len(self.penalties) > 1 and self.best.penalty == self.penalties[-1]


def surface_table(cells: Sequence[TuningCell]) -> SurfaceTable:
    """The cells in rows and columns. Of equal ones the best has the smaller n, then lambda."""
    orders = sorted({cell.order for cell in cells})
    penalties = sorted({cell.penalty for cell in cells})
    known = {(cell.order, cell.penalty): cell for cell in cells}
    return SurfaceTable(
        penalties,
        [(order, [known.get((order, penalty)) for penalty in penalties]) for order in orders],
        max(cells, key=lambda cell: (cell.value, -cell.order, -cell.penalty)),
    )


def surface_spec(run: TuningRun, cells: Sequence[TuningCell]) -> dict[str, Any]:
    """The surface as a Vega-Lite specification: a field of cells, the best one framed."""
    import altair as alt

    best = surface_table(cells).best
    title = "coverage" if run.objective == run.Objective.COVERAGE else "oracle BLEU"
    data = alt.Data(
        values=[
            {
                "n": cell.order,
                "lambda": cell.penalty,
                "value": round(cell.value, 3),
                "gain": round(cell.value - (run.baseline or 0), 3),
                "best": cell == best,
            }
            for cell in cells
        ]
    )
    field = alt.Chart(data).encode(
        x=alt.X("lambda:O", title="λ", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("n:O", title="n"),
        tooltip=[
            alt.Tooltip("n:O", title="n"),
            alt.Tooltip("lambda:O", title="λ"),
            alt.Tooltip("value:Q", title=title, format=".2f"),
            alt.Tooltip("gain:Q", title="against unique best", format="+.2f"),
        ],
    )
    cells_ = field.mark_rect().encode(
        color=alt.Color("value:Q", title=title, scale=alt.Scale(scheme="cividis", zero=False))
    )
    frame = (
        field.mark_rect(fill=None, stroke="black", strokeWidth=3)
        .transform_filter("datum.best")
        .encode()
    )
    # Black or white, whichever can be read on the cell.
    middle = (min(cell.value for cell in cells) + max(cell.value for cell in cells)) / 2
    text = field.mark_text(fontSize=12).encode(
        text=alt.Text("value:Q", format=".1f"),
        color=alt.condition(f"datum.value > {middle}", alt.value("black"), alt.value("white")),
    )
    chart = alt.layer(cells_, frame, text).properties(
        width={"step": 68}, height={"step": 30}, background="white"
    )
    return chart.to_dict()
