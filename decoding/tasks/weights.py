from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from decoding.actions.measurements import measure_if_possible
from decoding.actions.systems import keep_made
from decoding.actions.training import forget_old_trainings, forget_training
from decoding.actions.weights import keep_history, keep_tuned
from decoding.cards import card_of
from decoding.jobs import JobRun, job
from decoding.models import Segment, WeightTuning
from decoding.preparing import texts_of
from decoding.storage import fetch_folder
from decoding.training import folder_of
from evaluation.core.errors import VariorumError

if TYPE_CHECKING:
    from decoding.core.tuning import TunableSystem
    from evaluation.core.tuning.loop import Progress

# As manage.py tune_system has it.
_POP_LIMIT = 200
_TELL_SECONDS = 1.0


class Enough(Exception):
    """Somebody wants the best weights so far."""


@job("tune-weights", title="Tune weights", heavy=True)
def tune_weights(run: JobRun) -> dict[str, Any]:
    """Decode, merge, find better weights, again; then keep the system with the best ones.

    Each round is a piece. The lists of all rounds are a file in the job's folder, from which a
    worker goes on that takes the job over; on another disk it begins anew.
    """
    tuning = _tuning(run)
    run.expect(tuning.rounds)
    if tuning.made is not None:  # a worker died right after the last piece
        forget_training(run.job)
        return {"system": tuning.made.pk}
    forget_old_trainings()
    folder = folder_of(run.job.pk)
    folder.mkdir(parents=True, exist_ok=True)
    tunable, progress, signature = _search(run, tuning, folder)
    run.say("keeping the system")
    history = _record(progress, tunable, tuning, signature)
    tuned = tunable.with_weights(progress.best.weights)
    made = folder / "system"
    _like(fetch_folder(tuning.system.checksum, tuning.system.storage_key), made)
    tuned.save_weights(made)
    kept = keep_made(made)
    run.expect(max(run.done, len(progress.rounds)))
    with run.piece(0, message="kept"):
        system = keep_tuned(tuning, kept, card_of(tuned), history)
        measure_if_possible(system, tuning.corpus, owner=tuning.owner)
    forget_training(run.job)
    return {
        "system": system.pk,
        "BLEU": round(progress.best.score, 2),
        "stopped": progress.stopped,
    }


def _search(run: JobRun, tuning: WeightTuning, folder: Path) -> tuple[TunableSystem, Progress, str]:
    """The loop, from where it was; its end, and the signature of its BLEU."""
    from decoding.core.search.decoder import SearchOptions
    from decoding.core.system import System as CoreSystem
    from decoding.core.tuning import TunableSystem
    from evaluation.core.metrics.figures import FigureOptions, signature
    from evaluation.core.tuning.keeping import load_progress, save_progress
    from evaluation.core.tuning.loop import LoopOptions, tune
    from evaluation.core.tuning.loop import Progress as LoopProgress
    from evaluation.core.tuning.methods import METHODS
    from evaluation.core.tuning.referee import Referee

    sources, references = _texts(tuning)
    core = CoreSystem.open(fetch_folder(tuning.system.checksum, tuning.system.storage_key))
    referee = Referee(references)
    tunable = TunableSystem(
        core, sources, referee, k=tuning.kbest, search=SearchOptions(pop_limit=_POP_LIMIT)
    )
    signed = signature(referee.references, FigureOptions(), "smooth:exp")
    path, settings = folder / "progress.npz", f"tuning {tuning.pk}"
    latest: LoopProgress | None = load_progress(path, settings) if path.exists() else None
    tunable.progress = _heard(run, tuning, len(sources), lambda: latest)

    def after_round(progress: LoopProgress) -> None:
        nonlocal latest
        save_progress(path, progress, settings)
        latest = progress
        number, done = len(progress.rounds), progress.rounds[-1]
        with run.piece(max(0, number - run.done), message=f"round {number}: BLEU {done.score:.2f}"):
            keep_history(tuning, _record(progress, tunable, tuning, signed))

    method = METHODS[tuning.method]
    loop = LoopOptions(tuning.rounds, tuning.patience, interpolation=method.interpolation)
    optimise = partial(method.tune, options=method.options())
    try:
        progress = tune(
            tunable.decode,
            optimise,
            tunable.weights if latest is None else latest,
            tuning.seed,
            loop,
            after_round=after_round,
        )
    except Enough:
        assert latest is not None
        progress = replace(latest, stopped="ended by hand")
    return tunable, progress, signed


def _heard(
    run: JobRun, tuning: WeightTuning, count: int, latest: Callable[[], Progress | None]
) -> Callable[[], None]:
    """What the decoder calls after each sentence: it may stop there, and now and then tells."""
    decoded, told_at = 0, 0.0

    def heard() -> None:
        nonlocal decoded, told_at
        run.check()
        decoded += 1
        if time.monotonic() - told_at < _TELL_SECONDS:
            return
        told_at = time.monotonic()
        known = latest()
        wanted = WeightTuning.objects.filter(pk=tuning.pk, stop_wanted=True)
        if known is not None and wanted.exists():
            raise Enough
        best = f"; best BLEU so far {known.best.score:.2f}" if known else ""
        number = len(known.rounds) + 1 if known else 1
        run.say(f"round {number}: sentence {(decoded - 1) % count + 1} of {count}{best}")

    return heard


def _texts(tuning: WeightTuning) -> tuple[list[str], list[list[str]]]:
    """The dev corpus as the system knows its words: sources, and the references of each."""
    texts = texts_of(tuning.system)
    segments = (
        Segment.objects.filter(corpus=tuning.corpus, references__isnull=False)
        .distinct()
        .order_by("number")
        .prefetch_related("references")
    )
    found = [
        (
            texts.to_decode(segment.source),
            [texts.to_compare(reference.text) for reference in segment.references.all()],
        )
        for segment in segments
    ]
    if not found:
        raise VariorumError("The dev corpus has no references, so nothing can be tuned on it.")
    return [source for source, _ in found], [references for _, references in found]


def _record(
    progress: Progress, tunable: TunableSystem, tuning: WeightTuning, signature: str
) -> dict[str, Any]:
    from evaluation.core.tuning.record import record

    return record(
        progress,
        tunable.features,
        method=tuning.method,
        seed=tuning.seed,
        metric="BLEU",
        signature=signature,
        corpus=tuning.corpus.name,
    )


def _like(parent: Path, folder: Path) -> None:
    """A folder with the same files, which take no room of their own where the disk allows it."""

    def same(source: str, target: str) -> None:
        # The manifest will get other weights.
        if Path(source).name == "system.json":
            shutil.copyfile(source, target)
            return
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)

    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(parent, folder, copy_function=same)


def _tuning(run: JobRun) -> WeightTuning:
    found = WeightTuning.objects.select_related("corpus", "system", "owner", "made")
    tuning = found.filter(pk=run.parameters["tuning"]).first()
    if tuning is None:
        raise VariorumError("The corpus or the system has been deleted meanwhile.")
    return tuning
