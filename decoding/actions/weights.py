"""Ask for better weights of a system, follow the search, and keep what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings as server
from django.db import transaction

from decoding.actions.jobs import retry_job, submit_job, wait_for_others
from decoding.actions.names import free_name, refuse_taken_name
from decoding.actions.systems import add_kept_system
from decoding.languages import language_problem
from decoding.models import Corpus, Job, System, WeightTuning
from decoding.models.ownership import User
from decoding.storage import Kept
from evaluation.core.errors import InputError

MOST_ROUNDS = 50
LONGEST_LISTS = 1000


@transaction.atomic
def ask_for_weights(
    system: System,
    corpus: Corpus,
    *,
    owner: User,
    name: str,
    method: str = "mert",
    seed: int = 1,
    rounds: int = 15,
    patience: int = 5,
    kbest: int = 100,
) -> WeightTuning:
    """A search for weights under which a system translates a dev corpus better, with its job.

    When the job is done, ``tuning.made`` is the new `System`: the same models with the weights
    of the best round. Refuses what cannot be tuned by an InputError. Whoever asks for the same
    while it is being searched gets the same tuning.
    """
    refuse_taken_name(owner, name)
    if system.is_external:
        raise InputError(f"{system} is external: it has no weights here")
    if problem := language_problem(system, corpus):
        raise InputError(problem)
    if not corpus.most_references:
        raise InputError(f"{corpus} has no references", hint="Choose a corpus that has some.")
    settings = {
        "owner": owner, "system": system, "corpus": corpus, "name": name, "method": method,
        "seed": seed, "rounds": rounds, "patience": patience, "kbest": kbest,
    }  # fmt: skip
    wait_for_others(owner)
    asked = WeightTuning.objects.filter(job__state__in=Job.OPEN, **settings).first()
    if asked is not None:
        return asked
    tuning = WeightTuning.objects.create(**settings)
    tuning.job = submit_job(
        "tune-weights",
        owner=owner,
        parameters={"tuning": tuning.pk},
        title=f"Tune {system} on {corpus}",
    )
    tuning.save(update_fields=["job"])
    return tuning


def keep_history(tuning: WeightTuning, history: Mapping[str, Any]) -> None:
    """What the search did so far. To be called within a transaction."""
    WeightTuning.objects.filter(pk=tuning.pk).update(history=dict(history))


def keep_tuned(
    tuning: WeightTuning, kept: Kept, card: Mapping[str, Any], history: Mapping[str, Any]
) -> System:
    """The system that came out. To be called within a transaction."""
    parent = tuning.system
    provenance = {
        **parent.card.get("provenance", {}),
        "parent": parent.origin,
        "tuned on": tuning.corpus.origin,
        "code_version": server.VERSION,
        "job": tuning.job_id,
    }
    made = add_kept_system(
        kept,
        owner=tuning.owner,
        kind=parent.kind,
        card={**parent.card, **card, "tuning": dict(history), "provenance": provenance},
        name=free_name(tuning.owner, tuning.name),
        source_language=parent.source_language,
        target_language=parent.target_language,
        licence=parent.licence,
        notes=parent.notes,
        parent=parent,
    )
    WeightTuning.objects.filter(pk=tuning.pk).update(history=dict(history), made=made)
    return made


@transaction.atomic
def keep_best_so_far(tuning: WeightTuning) -> None:
    """End the search with the best weights that it found, whether it runs or was broken off."""
    if not tuning.history.get("rounds"):
        raise InputError(
            "no round is over yet, so there are no weights to keep", hint="Wait for the first."
        )
    WeightTuning.objects.filter(pk=tuning.pk).update(stop_wanted=True)
    if tuning.job is not None:
        retry_job(tuning.job)
