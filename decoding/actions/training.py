"""Ask for a system to be trained."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from django.conf import settings as server
from django.utils import timezone

from decoding.actions.jobs import submit_once
from decoding.actions.names import refuse_taken_name
from decoding.core.corpus.words import base_language
from decoding.languages import language_problem
from decoding.models import Corpus, Job
from decoding.models.ownership import User
from decoding.training import TrainingSettings, folder_of, usual_settings
from evaluation.core.errors import InputError

# Where a cancelled or failed training goes on if it is tried again within this time.
KEPT = timedelta(days=7)


def ask_for_training(
    corpus: Corpus,
    *,
    owner: User,
    name: str,
    reference: int = 1,
    dev: Corpus | None = None,
    monolingual: Sequence[Corpus] = (),
    settings: TrainingSettings | None = None,
    licence: str = "",
    notes: str = "",
) -> Job:
    """A job that trains a phrase-based system on a corpus's sources and one of its references.

    Its languages are the corpus's. ``dev`` is a corpus of the same languages on which the report
    counts unknown words and on which the new system's BLEU is measured afterwards;
    ``monolingual`` are corpora whose sources are more text of the target language, for the
    language model. Without ``settings`` they are what suits the corpus (`usual_settings`).

    When the job is done, ``job.result["system"]`` is the key of the `System`. Whoever asks for
    the same while it is being trained gets the same job.
    """
    refuse_taken_name(owner, name)
    if dev is not None and (problem := language_problem(corpus, dev)):
        raise InputError(problem)
    if dev is not None and (dev == corpus or not dev.most_references):
        raise InputError(
            f"{dev} cannot be the dev corpus",
            hint="Choose one that has references and is not the training text.",
        )
    for more in monolingual:
        if base_language(more.source_language) != base_language(corpus.target_language):
            raise InputError(
                f"{more} is in {more.source_language}, and the target language is "
                f"{corpus.target_language}",
                hint="More text for the language model must be in the target language.",
            )
    if not 1 <= reference <= corpus.most_references:
        raise InputError(
            f"{corpus} has no reference {reference}",
            hint="A system is trained on sources with their translations: choose a corpus that "
            "has references.",
        )
    return submit_once(
        "train-system",
        owner=owner,
        parameters={
            "corpus": corpus.pk,
            "reference": reference,
            "dev": dev.pk if dev else None,
            "monolingual": sorted(one.pk for one in monolingual),
            "settings": (settings or usual_settings(corpus, reference)).as_dict(),
            "about": {
                "name": name,
                "source_language": corpus.source_language,
                "target_language": corpus.target_language,
                "licence": licence,
                "notes": notes,
            },
        },
        title=f"Train {name} on {corpus}",
    )


def forget_old_trainings() -> None:
    """Remove what trainings left that ended long ago without a system, or whose job is gone."""
    kept = Job.objects.filter(kind__in=["train-system", "tune-weights"]).exclude(
        finished_at__lt=timezone.now() - KEPT
    )
    wanted = {str(pk) for pk in kept.values_list("pk", flat=True)}
    for folder in (Path(server.DATA_DIR) / "training").glob("*"):
        if folder.name not in wanted:
            shutil.rmtree(folder, ignore_errors=True)


def forget_training(job: Job) -> None:
    """Remove what a training left: it has served."""
    shutil.rmtree(folder_of(job.pk), ignore_errors=True)
