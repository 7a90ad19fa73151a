"""Ask for lists, and keep what was made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.utils import timezone

from decoding.actions.jobs import submit_once
from decoding.actions.pairs import pair_lists
from decoding.figures import ListFigures, list_figures
from decoding.makers import Translation, why_not
from decoding.models import (
    Corpus,
    FailedSegment,
    Job,
    RecipeVersion,
    Segment,
    System,
)
from decoding.models.ownership import User
from decoding.preparing import texts_of
from evaluation.core.errors import VariorumError

# By hand, for as rows of ours they would take a fifteenth of the time of decoding.
_LISTS = """decoding_translationlist (
    segment_id, corpus_id, system_id, recipe_version_id, job_id, provenance, made_at,
    first_bleu1, oracle_bleu1, coverage, statistics
)"""
_ENTRIES = """decoding_listentry (
    translation_list_id, rank, text, score, features, segmentation, bleu1
)"""
_VALUES_AT_ONCE = 999  # all databases take as many in a statement

# Decoding has no random choices; the seed is kept all the same, as with every result.
SEED = 0


@dataclass(frozen=True, slots=True)
class MadeList:
    """Translations of a segment by a recipe, or the reason why there are none."""

    segment: Segment
    version: RecipeVersion
    checksum: str
    translations: Sequence[Translation] = ()
    failure: str = ""


def ask_for_lists(
    corpus: Corpus,
    system: System,
    versions: Sequence[RecipeVersion],
    *,
    owner: User,
    segments: Sequence[int] | None = None,
) -> Job:
    """A job that makes the lists which are missing, of some segments (by number) or of all.

    Whoever asks for the same while it is being made gets the same job.
    """
    for version in versions:
        if problem := why_not(system, corpus, version):
            raise VariorumError(problem)
    parameters = {
        "corpus": corpus.pk,
        "system": system.pk,
        "recipe_versions": sorted(version.pk for version in versions),
        "segments": None if segments is None else sorted(set(segments)),
    }
    return submit_once(
        "make-lists",
        owner=owner,
        parameters=parameters,
        title=f"Make lists of {corpus} by {system}"[:200],
    )


def ask_again(job: Job, *, owner: User) -> Job:
    """A job of those lists which another job was to make and which are not there."""
    said = job.parameters
    versions = RecipeVersion.objects.filter(pk__in=said["recipe_versions"])
    try:
        corpus = Corpus.objects.get(pk=said["corpus"])
        system = System.objects.get(pk=said["system"])
    except ObjectDoesNotExist as error:
        raise VariorumError("The corpus or the system has been deleted meanwhile.") from error
    found = list(versions.select_related("recipe"))
    return ask_for_lists(corpus, system, found, owner=owner, segments=said["segments"])


def save_lists(made: Sequence[MadeList], job: Job, system: System) -> None:
    """Keep lists and failures; a list that somebody else has made meanwhile stays as it is.

    To be called within a transaction, with the segments in order, so that two who write the same
    lists wait for each other in one direction only.
    """
    texts = texts_of(system)
    references = {
        segment: [texts.to_compare(reference.text) for reference in segment.references.all()]
        for segment in {one.segment for one in made}
    }
    figures = list_figures(
        [[texts.to_measure(one.text) for one in listed.translations] for listed in made],
        [references[listed.segment] for listed in made],
    )
    listed = []
    for one, known in zip(made, figures, strict=True):
        if one.failure:
            FailedSegment.objects.get_or_create(
                job=job,
                segment=one.segment,
                recipe_version=one.version,
                defaults={"reason": one.failure},
            )
        else:
            listed.append((one, known))
    keys = _insert_lists(listed, job, system)
    _insert_entries(
        (keys[one.segment.pk, one.version.pk], one, known)
        for one, known in listed
        if (one.segment.pk, one.version.pk) in keys
    )
    pair_lists({key: segment for (segment, _), key in keys.items()})


def _insert_lists(
    listed: Iterable[tuple[MadeList, ListFigures | None]], job: Job, system: System
) -> dict[tuple[int, int], int]:
    """The keys of the lists that nobody else has made yet, by segment and recipe version."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    rows = [
        (
            one.segment.pk,
            one.segment.corpus_id,
            system.pk,
            one.version.pk,
            job.pk,
            json.dumps(_provenance(one)),
            now,
            known and known.first,
            known and known.oracle,
            known and known.coverage,
            known and json.dumps(known.kept_statistics),
        )
        for one, known in listed
    ]
    there = "ON CONFLICT DO NOTHING RETURNING segment_id, recipe_version_id, id"
    return {(segment, version): key for segment, version, key in _insert(_LISTS, rows, there)}


def _insert_entries(lists: Iterable[tuple[int, MadeList, ListFigures | None]]) -> None:
    rows = [
        (
            key,
            rank,
            translation.text,
            translation.score,
            json.dumps(translation.features),
            json.dumps(translation.segmentation),
            known and known.bleu1[rank - 1],
        )
        for key, one, known in lists
        for rank, translation in enumerate(one.translations, start=1)
    ]
    if connection.vendor != "postgresql":
        _insert(_ENTRIES, rows)
        return
    # A sixth of the client's time, and half of the server's.
    with connection.cursor() as cursor, cursor.copy(f"COPY {_ENTRIES} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _insert(
    into: str, rows: Sequence[tuple[object, ...]], ending: str = ""
) -> list[tuple[Any, ...]]:
    """Insert rows by a few statements that end so; what these return."""
    returned: list[tuple[Any, ...]] = []
    with connection.cursor() as cursor:
        at_once = _VALUES_AT_ONCE // len(rows[0]) if rows else 1
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            row = f"({', '.join(['%s'] * len(some[0]))})"
            values = ", ".join([row] * len(some))
            cursor.execute(
                f"INSERT INTO {into} VALUES {values} {ending}",  # noqa: S608 (only ours)
                [value for one in some for value in one],
            )
            if ending:
                returned += cursor.fetchall()
    return returned


def _provenance(one: MadeList) -> dict[str, object]:
    return {
        "checksum": one.checksum,
        "recipe": one.version.settings,
        "code_version": settings.VERSION,
        "seed": SEED,
    }
