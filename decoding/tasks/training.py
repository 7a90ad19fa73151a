from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist

from decoding.actions.measurements import measure_if_possible
from decoding.actions.names import free_name
from decoding.actions.systems import add_kept_system, keep_made
from decoding.actions.training import forget_old_trainings, forget_training
from decoding.cards import card_of_folder
from decoding.jobs import JobRun, job
from decoding.models import Corpus, System
from decoding.training import (
    PIECES,
    SHARES,
    STEP_WORDS,
    TrainingSettings,
    folder_of,
    write_texts,
)
from evaluation.core.errors import InputError, VariorumError

# So often a step tells how far it is.
_TELL_SECONDS = 1.0


@job("train-system", title="Train a system", heavy=True)
def train(run: JobRun) -> dict[str, Any]:
    """Train a system on a corpus, and keep it as one of ours.

    Each finished step is a file in the training's folder (decoding.core.corpus.training), so a
    worker that finds the folder goes on behind the last one.
    """
    from decoding.core.corpus.training import train_system

    run.expect(PIECES)
    if run.result.get("system"):  # a worker died right after the last piece
        forget_training(run.job)
        return run.result
    forget_old_trainings()
    corpus, dev, monolingual = _corpora(run)
    folder = folder_of(run.job.pk)
    try:
        texts = write_texts(folder, corpus, run.parameters["reference"], dev, monolingual)
        made = folder / "system"
        if not made.exists():  # else a worker died while it kept the system
            options = TrainingSettings(**run.parameters["settings"]).options()
            train_system(texts, made, options, clock=time.perf_counter, progress=_progress(run))
    except InputError:
        forget_training(run.job)  # with this text and these options it ends the same every time
        raise
    run.say("keeping the system")
    card = card_of_folder(made) | {"provenance": _provenance(run, corpus, dev, monolingual)}
    kept = keep_made(made)
    about = run.parameters["about"]
    with run.piece(PIECES - run.done, message="kept"):
        system = add_kept_system(
            kept,
            owner=run.job.owner,
            kind=System.Kind.TRAINED,
            card=card,
            **about | {"name": free_name(run.job.owner, about["name"])},
        )
        run.result["system"] = system.pk
        measure_if_possible(system, dev, owner=run.job.owner)
    forget_training(run.job)
    return run.result


def _progress(run: JobRun) -> Callable[[str, float], None]:
    """What the core calls: finished steps are pieces, and now and then a step tells its share."""
    before = dict(zip(SHARES, _sums(SHARES.values()), strict=True))
    told_at = 0.0

    def progress(step: str, done: float) -> None:
        nonlocal told_at
        run.check()
        number = list(SHARES).index(step) + 1
        reached = before[step] + int(SHARES[step] * done)
        words = f"step {number} of {len(SHARES)}: {STEP_WORDS[step]}"
        if reached > run.done:
            with run.piece(reached - run.done, message=words):
                pass
        elif time.monotonic() - told_at > _TELL_SECONDS:
            told_at = time.monotonic()
            run.say(words)

    return progress


def _sums(shares) -> list[int]:
    """How much is done before each share."""
    sums = [0]
    for share in shares:
        sums.append(sums[-1] + share)
    return sums[:-1]


def _corpora(run: JobRun) -> tuple[Corpus, Corpus | None, list[Corpus]]:
    wanted = run.parameters
    try:
        corpus = Corpus.objects.get(pk=wanted["corpus"])
        dev = Corpus.objects.get(pk=wanted["dev"]) if wanted["dev"] else None
        return corpus, dev, [Corpus.objects.get(pk=pk) for pk in wanted["monolingual"]]
    except ObjectDoesNotExist as error:
        raise VariorumError(
            "A corpus of the training has been deleted meanwhile. Begin anew with other text."
        ) from error


def _provenance(
    run: JobRun, corpus: Corpus, dev: Corpus | None, monolingual: list[Corpus]
) -> dict[str, Any]:
    """Where the system is from; it says so after the corpora are gone too."""
    from django.conf import settings

    return {
        "corpus": corpus.origin | {"reference": run.parameters["reference"]},
        "dev": dev.origin if dev else None,
        "monolingual": [one.origin for one in monolingual],
        "code_version": settings.VERSION,
        "job": run.job.pk,
    }
