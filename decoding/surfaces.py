"""A tuning run's surface, the objective over n and lambda: as a table, a chart and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from decoding.core.diversity.winners import Cell, Winners, answer, missing, winners_of
from decoding.models import TuningRun
from evaluation.core.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell beside the best one."""

    cell: Cell
    difference: str  # to the best one, with its interval
    is_best: bool
    is_tied: bool  # it cannot be told apart from the best


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """The surface as a table: a row for each n, a column for each lambda."""

    penalties: list[float]
    rows: list[tuple[int, list[ShownCell | None]]]
    winners: Winners

    @property
    def best(self) -> Cell:
        """The best cell; of equals the one with the smaller n, then lambda."""
        return self.winners.best

    @property
    def may_rise(self) -> bool:
        """Whether the best lies at the end of the penalties that were tried, so that more may win.

        The right ones depend on the scale of a system's weights, which tuning leaves open.
        """
        return len(self.penalties) > 1 and self.best.penalty == self.penalties[-1]


def cells_of(run: TuningRun) -> list[Cell]:
    """A run's cells, without what each segment adds, which may be megabytes."""
    rows = run.cells.values_list("order", "penalty", "value", "low", "high", "tied")
    return [Cell(*row) for row in rows]


def surface_table(cells: Sequence[Cell]) -> SurfaceTable:
    """The cells in rows and columns."""
    winners = winners_of(cells)
    orders = sorted({cell.order for cell in cells})
    penalties = sorted({cell.penalty for cell in cells})
    tied = set(winners.tied)
    known = {
        (cell.order, cell.penalty): ShownCell(
            cell, winners.difference_of(cell), cell == winners.best, cell in tied
        )
        for cell in cells
    }
    return SurfaceTable(
        penalties,
        [(order, [known.get((order, penalty)) for penalty in penalties]) for order in orders],
        winners,
    )


def gain_of(run: TuningRun, best: Cell) -> Interval:
    """What the best cell's lists have more than unique best ones."""
    count = run.drawn or 0
    return Interval(best.value - (run.baseline or 0), run.gain_low, run.gain_high, count, count)


def surface_answer(run: TuningRun, table: SurfaceTable) -> str:
    """What the surface says, in sentences."""
    gain = gain_of(run, table.best)
    return answer(table.winners, run.objective, run.baseline or 0, gain)


def missing_segments(run: TuningRun) -> int:
    """How many more it takes for intervals; 0 for a run from before there were any."""
    return missing(run.drawn or 0) if run.bootstrap else 0


def surface_rows(run: TuningRun, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """A row for each cell, with all that is known of it and of the run."""
    winners = winners_of(cells)
    gain = gain_of(run, winners.best)
    of_run = {
        "unique_best": run.baseline,
        "gain_of_best": gain.estimate,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "segments": run.drawn,
        "seed": run.seed,
        "signature": run.signature,
    }
    rows = (winners.row_of(cell) | of_run for cell in cells)
    return [
        {run.objective if name == "value" else name: said for name, said in row.items()}
        for row in rows
    ]


def surface_spec(run: TuningRun, cells: Sequence[Cell]) -> dict[str, Any]:
    """The surface as a Vega-Lite specification: a field of cells, the best ones framed."""
    import altair as alt

    winners = winners_of(cells)
    title = "coverage" if run.objective == run.Objective.COVERAGE else "oracle BLEU"
    values = [_drawn(run, winners, cell) for cell in cells]
    field = alt.Chart(alt.Data(values=values)).encode(
        # Room between the cells, so that a frame can be seen beside any colour.
        x=alt.X("lambda:O", title="λ", axis=alt.Axis(labelAngle=0)).scale(paddingInner=0.06),
        y=alt.Y("n:O", title="n").scale(paddingInner=0.14),
        tooltip=[
            alt.Tooltip("n:O", title="n"),
            alt.Tooltip("lambda:O", title="λ"),
            alt.Tooltip("value:Q", title=title, format=".2f"),
            alt.Tooltip("gain:Q", title="against unique best", format="+.2f"),
            alt.Tooltip("difference:Q", title="against the best cell", format="+.2f"),
            *([alt.Tooltip("interval:N", title="95% interval")] if winners.compared else []),
        ],
    )
    cells_ = field.mark_rect().encode(
        color=alt.Color("value:Q", title=title, scale=alt.Scale(scheme="cividis", zero=False))
    )
    frames = [
        field.mark_rect(fill=None, stroke="black", **stroke).transform_filter(f"datum.{which}")
        for which, stroke in (
            ("best", {"strokeWidth": 3.5}),
            ("tied", {"strokeWidth": 2, "strokeDash": [4, 3]}),
        )
    ]
    # Black or white, whichever can be read on the cell.
    middle = (min(cell.value for cell in cells) + max(cell.value for cell in cells)) / 2
    text = field.mark_text(fontSize=12).encode(
        text=alt.Text("value:Q", format=".1f"),
        color=alt.condition(f"datum.value > {middle}", alt.value("black"), alt.value("white")),
    )
    chart = alt.layer(cells_, *frames, text).properties(
        width={"step": 68},
        height={"step": 30},
        background="white",
        title=alt.TitleParams(
            _legend(winners), anchor="start", fontSize=12, fontWeight="normal", offset=12
        ),
    )
    return chart.to_dict()


def _drawn(run: TuningRun, winners: Winners, cell: Cell) -> dict[str, Any]:
    """What the chart shows of a cell."""
    best = cell == winners.best
    return {
        "n": cell.order,
        "lambda": cell.penalty,
        "value": round(cell.value, 3),
        "gain": round(cell.value - (run.baseline or 0), 3),
        "difference": round(cell.value - winners.best.value, 3),
        "low": cell.low,
        "high": cell.high,
        "interval": "" if best else cell.interval,
        "best": best,
        "tied": cell in winners.tied,
    }


def _legend(winners: Winners) -> list[str]:
    """What the frames mean, a line each."""
    if not winners.compared:
        return ["Frame: the highest value"]
    return ["Thick frame: the best cell", "Dashed frame: cannot be told apart from it"]
