from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from decoding.actions.jobs import submit_job
from decoding.actions.recipes import add_recipe
from decoding.languages import language_problem
from decoding.models import RecipeVersion, TuningCell, TuningRun
from decoding.models.ownership import User
from evaluation.core.errors import VariorumError

MOST_CELLS = 100


@transaction.atomic
def ask_for_tuning(*, owner: User, **settings: Any) -> TuningRun:
    """A run over a grid of n and lambda, with its job (ALGORITHMS B6)."""
    run = TuningRun(owner=owner, **settings)
    if problem := language_problem(run.system, run.corpus):
        raise VariorumError(problem)
    run.save()
    run.job = submit_job(
        "tune-diversity",
        owner=owner,
        parameters={"run": run.pk},
        title=f"Tune n and λ of {run.system} on {run.corpus}"[:200],
    )
    run.save(update_fields=["job"])
    return run


def save_surface(
    run: TuningRun, cells: Mapping[tuple[int, float], float], *, baseline: float, signature: str
) -> None:
    """Keep what was measured. To be called within a transaction."""
    run.cells.all().delete()
    TuningCell.objects.bulk_create(
        TuningCell(run=run, order=order, penalty=penalty, value=value)
        for (order, penalty), value in cells.items()
    )
    TuningRun.objects.filter(pk=run.pk).update(baseline=baseline, signature=signature[:200])


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
        reason=f"tuned: {run}, {cell.value:.1f} against {run.baseline or 0:.1f}",
    )
    run.recipe = version.recipe
    run.save(update_fields=["recipe"])
    return version


def sample_of(run: TuningRun, numbers: Sequence[int]) -> list[int]:
    """The segments' numbers that the run draws from those with references, in order."""
    from random import Random

    drawn = Random(run.seed).sample(sorted(numbers), min(run.sample_size, len(numbers)))
    return sorted(drawn)
