from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.db import transaction

from decoding.actions.jobs import submit_job, wait_for_others
from decoding.actions.recipes import add_recipe
from decoding.languages import language_problem
from decoding.models import Job, RecipeVersion, TuningCell, TuningRun
from decoding.models.ownership import User
from evaluation.core.errors import VariorumError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from decoding.core.diversity.grid import ComparedCells, Surface

MOST_CELLS = 100


@transaction.atomic
def ask_for_tuning(*, owner: User, **settings: Any) -> TuningRun:
    """A run over a grid of n and lambda, with its job (ALGORITHMS B6).

    Whoever asks for the same while it is being measured gets the same run.
    """
    run = TuningRun(owner=owner, **settings)
    if problem := language_problem(run.system, run.corpus):
        raise VariorumError(problem)
    wait_for_others(owner)
    asked = TuningRun.objects.filter(owner=owner, job__state__in=Job.OPEN, **settings).first()
    if asked is not None:
        return asked
    run.save()
    run.job = submit_job(
        "tune-diversity",
        owner=owner,
        parameters={"run": run.pk},
        title=f"Tune n and λ of {run.system} on {run.corpus}",
    )
    run.save(update_fields=["job"])
    return run


def save_surface(run: TuningRun, surface: Surface, compared: ComparedCells) -> None:
    """Keep what was measured. To be called within a transaction."""
    *by_segment, baseline_by_segment = map(_kept, surface.rows)
    run.cells.all().delete()
    TuningCell.objects.bulk_create(
        TuningCell(run=run, by_segment=rows, **asdict(cell))
        for cell, rows in zip(compared.cells, by_segment, strict=True)
    )
    TuningRun.objects.filter(pk=run.pk).update(
        drawn=surface.sentences,
        baseline=surface.unique_best,
        baseline_by_segment=baseline_by_segment,
        gain_low=compared.gain.low,
        gain_high=compared.gain.high,
        bootstrap=asdict(compared.bootstrap),
        signature=surface.signature[:200],
    )


def _kept(rows: NDArray[np.float64]) -> list[Any]:
    """Of a mean the values, without the 1 of each; of BLEU's statistics whole numbers."""
    if rows.shape[1] == 2:
        return rows[:, 1].tolist()
    return rows.astype(int).tolist()


@transaction.atomic
def use_cell(run: TuningRun, cell: TuningCell, name: str, *, author: User) -> RecipeVersion:
    """Make a recipe of a cell."""
    if cell.run_id != run.pk:
        raise VariorumError("The cell is of another run.")
    version = add_recipe(
        name,
        {
            "kind": RecipeVersion.Kind.DIVERSE,
            "length": run.length,
            "order": cell.order,
            "penalty": cell.penalty,
        },
        author=author,
        # Recipes are everybody's, so the names of a corpus and a system do not belong here.
        reason=f"tuned, run {run.pk}: {cell.value:.1f} against {run.baseline or 0:.1f}",
    )
    run.recipe = version.recipe
    run.save(update_fields=["recipe"])
    return version


def sample_of(run: TuningRun, numbers: Sequence[int]) -> list[int]:
    """The segments' numbers that the run draws from those with references, in order."""
    from random import Random

    drawn = Random(run.seed).sample(sorted(numbers), min(run.sample_size, len(numbers)))
    return sorted(drawn)
