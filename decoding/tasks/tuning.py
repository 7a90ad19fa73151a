from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from decoding.actions.tuning import sample_of, save_surface
from decoding.jobs import JobRun, job
from decoding.makers import decoder_for_jobs
from decoding.models import TuningRun
from decoding.parts import forget_parts, share_out
from decoding.preparing import texts_of
from decoding.surfaces import cells_of, surface_table
from evaluation.core.errors import VariorumError

# So that several workers have something to do, and none repeats much after a crash.
_SEGMENTS_IN_A_PART = 4


@job("tune-diversity", title="Tune n and λ")
def tune_diversity(run: JobRun) -> dict[str, Any]:
    """The objective for every n and lambda over a sample of the corpus, in parts."""
    tuned = _run(run)
    if tuned.baseline is None:  # else a crash came between the last piece and the end
        _measure(run, tuned)
        tuned.refresh_from_db(fields=["drawn"])
    best = surface_table(cells_of(tuned)).best
    return {"best n": best.order, "best λ": best.penalty, "segments": tuned.drawn}


def _measure(run: JobRun, tuned: TuningRun) -> None:
    """Have the lists made, compare them with the references and the cells with each other."""
    from decoding.core.diversity.grid import SentenceLists, compare_cells, surface_of
    from evaluation.core.statistics.intervals import Bootstrap

    with_references = tuned.corpus.segments.filter(references__isnull=False).distinct()
    numbers = sample_of(tuned, list(with_references.values_list("number", flat=True)))
    if not numbers:
        raise VariorumError("The corpus has no references, so nothing can be measured on it.")
    made = _lists(run, tuned, numbers)
    sample = tuned.corpus.segments.filter(number__in=numbers).prefetch_related("references")
    words = texts_of(tuned.system).to_compare
    surface = surface_of(
        [
            SentenceLists(
                tuple(made[segment.number]["best"]),
                tuple(tuple(one) for one in made[segment.number]["diverse"]),
            )
            for segment in sample
        ],
        [[words(reference.text) for reference in segment.references.all()] for segment in sample],
        _options(tuned),
    )
    run.say("finding intervals")
    compared = compare_cells(surface, Bootstrap(tuned.seed))
    with run.piece(0, message="measured"):
        save_surface(tuned, surface, compared)
        forget_parts(run)


def _lists(run: JobRun, tuned: TuningRun, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """All cells' lists of the segments with these numbers."""
    step = _SEGMENTS_IN_A_PART
    parts = [numbers[start : start + step] for start in range(0, len(numbers), step)]
    results = share_out(
        run,
        "tune-diversity-part",
        [{"run": tuned.pk, "segments": part} for part in parts],
        [len(part) for part in parts],
    )
    return {int(number): own for result in results for number, own in result["lists"].items()}


@job("tune-diversity-part", title="Tune n and λ, a part")
def tune_diversity_part(run: JobRun) -> dict[str, Any]:
    """All cells' lists of some segments."""
    from decoding.core.diversity.grid import grid_lists

    tuned = _run(run)
    options = _options(tuned)
    decoder = decoder_for_jobs(tuned.system.checksum, tuned.system.storage_key)
    texts = texts_of(tuned.system)
    lists = run.result.setdefault("lists", {})
    numbers = run.parameters["segments"][run.done :]
    sources = dict(tuned.corpus.segments.filter(number__in=numbers).values_list("number", "source"))
    for number in numbers:
        run.check()
        made = grid_lists(decoder, texts.to_decode(sources[number]), options)
        with run.piece(message=f"segment {number}"):
            lists[str(number)] = {"best": made.best, "diverse": made.diverse}
    return run.result


def _run(run: JobRun) -> TuningRun:
    found = TuningRun.objects.select_related("corpus", "system")
    tuned = found.filter(pk=run.parameters["run"]).first()
    if tuned is None:
        raise VariorumError("The corpus or the system has been deleted meanwhile.")
    return tuned


def _options(tuned: TuningRun):
    from decoding.core.diversity.grid import GridOptions

    return GridOptions(
        orders=tuple(tuned.orders),
        strengths=tuple(tuned.penalties),
        size=tuned.length,
        objective=tuned.objective,
    )
