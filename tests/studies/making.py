"""Studies for tests: small, frozen, and running if wanted."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from django.db import transaction

from studies.actions.participants import Identity, add_participant, consent, instruct
from studies.actions.planning import create_study, freeze_study
from studies.actions.running import start_study
from studies.core.conduct import Conduct
from studies.core.design import Design
from studies.models import Participant, Study
from tests.factories import make_corpus, make_list, make_recipe, make_system

_numbers = count(1)
CONDITIONS = ("best", "diverse")


@transaction.atomic
def make_lists(owner, sentences: int, length: int = 5):
    """A corpus, a system, two recipes, and all their lists."""
    corpus = make_corpus(
        owner,
        [
            (f"quelle {number}", [f"this is the reference of sentence number {number}"])
            for number in range(1, sentences + 1)
        ],
    )
    system = make_system(owner)
    recipes = [make_recipe(kind="unique-best"), make_recipe(kind="diverse")]
    for segment in corpus.segments.all():
        for name, recipe in zip(CONDITIONS, recipes, strict=True):
            texts = [f"{name} text {rank} of {segment.number}" for rank in range(1, length + 1)]
            made = make_list(segment, system, recipe, texts)
            made.first_bleu1 = float(segment.number % 17)
            made.save()
    return corpus, [(n, system, r) for n, r in zip(CONDITIONS, recipes, strict=True)]


def make_study(owner, *, sentences: int = 3, conduct: Conduct | None = None, **design) -> Study:
    """A draft over all sentences of a corpus of its own."""
    corpus, conditions = make_lists(owner, sentences)
    wanted = Design(seed=7, conditions=CONDITIONS, sample_size=sentences)
    return create_study(
        owner=owner,
        name=f"study {next(_numbers)}",
        corpus=corpus,
        conditions=conditions,
        design=replace(wanted, **design),
        conduct=conduct or Conduct(),
    )


def make_running_study(owner, **options) -> Study:
    study = freeze_study(make_study(owner, **options))
    assert start_study(study)
    study.refresh_from_db()
    return study


def make_participant(study: Study, **fields) -> Participant:
    """Somebody who has agreed and read the instructions."""
    made, _ = add_participant(study, Identity("open"))
    consent(made, 1)
    instruct(made)
    if fields:
        Participant.objects.filter(pk=made.pk).update(**fields)
    made.refresh_from_db()
    return made
