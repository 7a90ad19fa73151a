"""Ask how well systems translate a corpus, and keep the answers."""

from __future__ import annotations

from contextlib import suppress

from django.db import transaction

from decoding.actions.jobs import submit_job, submit_once, wait_for_others
from decoding.comparing import Measured
from decoding.languages import language_problem
from decoding.makers import why_not
from decoding.models import Comparison, Corpus, Job, Measurement, System
from decoding.models.ownership import User
from decoding.queries.lists import version_for_best
from evaluation.core.errors import VariorumError


def ask_for_measurement(system: System, corpus: Corpus, *, owner: User) -> Job:
    """A job that measures BLEU of a system on a corpus; it makes the lists that are missing."""
    check_comparable(system, corpus)
    return submit_once(
        "measure-system",
        owner=owner,
        parameters={"system": system.pk, "corpus": corpus.pk},
        title=f"Measure {system} on {corpus}",
    )


def measure_if_possible(system: System, corpus: Corpus | None, *, owner: User) -> None:
    """Measure a new system on its dev corpus; where that cannot be it is no less a system."""
    if corpus is not None:
        with suppress(VariorumError):
            ask_for_measurement(system, corpus, owner=owner)


def keep_measurement(system: System, corpus: Corpus, measured: Measured) -> Measurement:
    """To be called within a transaction. What was measured before stays."""
    made, _ = Measurement.objects.get_or_create(
        system=system,
        corpus=corpus,
        defaults={
            "bleu": measured.bleu,
            "signature": measured.signature,
            "segments": measured.segments,
            "untranslated": measured.untranslated,
        },
    )
    return made


@transaction.atomic
def ask_for_comparison(
    first: System, second: System, corpus: Corpus, *, owner: User, seed: int = 1
) -> Comparison:
    """Two systems on a corpus, with the job that compares them; the same one if it is there."""
    if first == second:
        raise VariorumError("A system cannot be compared with itself. Choose another one.")
    for system in (first, second):
        check_comparable(system, corpus)
    wait_for_others(owner)
    there = Comparison.objects.filter(
        owner=owner, first=first, second=second, corpus=corpus, seed=seed
    ).first()
    if there is not None:
        return there
    made = Comparison.objects.create(
        owner=owner, first=first, second=second, corpus=corpus, seed=seed
    )
    made.job = submit_job(
        "compare-systems",
        owner=owner,
        parameters={"comparison": made.pk},
        title=f"Compare {made}",
    )
    made.save(update_fields=["job"])
    return made


def check_comparable(system: System, corpus: Corpus) -> None:
    """Refuse what cannot be measured."""
    if problem := language_problem(system, corpus):
        raise VariorumError(problem)
    if not corpus.most_references:
        raise VariorumError(f"{corpus} has no references. Choose a corpus that has some.")
    if problem := why_not(system, corpus, version_for_best(system, corpus)):
        raise VariorumError(problem)
