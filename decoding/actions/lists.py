"""Ask for lists, and keep what was made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, connection, transaction

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
    TranslationList,
)
from decoding.models.ownership import User
from decoding.preparing import texts_of
from evaluation.core.errors import VariorumError

# By hand, for as rows of ours the entries would take a twentieth of the time of decoding.
_ENTRIES = """decoding_listentry (
    translation_list_id, rank, text, score, features, segmentation, bleu1
)"""
_ENTRIES_AT_ONCE = 140  # all databases take 999 values in a statement

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


def save_lists(made: Sequence[MadeList], job: Job, system: int) -> None:
    """Keep lists and failures; a list that somebody else has made meanwhile stays as it is.

    To be called within a transaction, with the segments in order, so that two who write the same
    lists wait for each other in one direction only.
    """
    texts = texts_of(System.objects.get(pk=system))
    figures = list_figures(
        [[texts.to_measure(one.text) for one in listed.translations] for listed in made],
        [
            [texts.to_compare(reference.text) for reference in listed.segment.references.all()]
            for listed in made
        ],
    )
    rows: list[tuple[TranslationList, MadeList, ListFigures | None]] = []
    for one, known in zip(made, figures, strict=True):
        if one.failure:
            FailedSegment.objects.get_or_create(
                job=job,
                segment=one.segment,
                recipe_version=one.version,
                defaults={"reason": one.failure},
            )
        else:
            rows.append((_row(one, known, job, system), one, known))
    there = _insert([row for row, _, _ in rows])
    new = [(row, one, known) for row, one, known in rows if row not in there]
    _insert_entries(new)
    pair_lists([row for row, _, _ in new])


def _insert_entries(
    lists: Iterable[tuple[TranslationList, MadeList, ListFigures | None]],
) -> None:
    rows = [
        (
            row.pk,
            rank,
            translation.text,
            translation.score,
            json.dumps(translation.features),
            json.dumps(translation.segmentation),
            known and known.bleu1[rank - 1],
        )
        for row, one, known in lists
        for rank, translation in enumerate(one.translations, start=1)
    ]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # a sixth of the client's time, half of the server's
            with cursor.copy(f"COPY {_ENTRIES} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        for start in range(0, len(rows), _ENTRIES_AT_ONCE):
            some = rows[start : start + _ENTRIES_AT_ONCE]
            places = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(some))
            values = [value for row in some for value in row]
            cursor.execute(f"INSERT INTO {_ENTRIES} VALUES {places}", values)  # noqa: S608


def _insert(rows: list[TranslationList]) -> list[TranslationList]:
    """Insert the rows; returns those that cannot be, for somebody else has made these lists."""
    try:
        with transaction.atomic():
            TranslationList.objects.bulk_create(rows)
        return []
    except IntegrityError:
        return [row for row in rows if not _insert_alone(row)]


def _insert_alone(row: TranslationList) -> bool:
    row.pk = None
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        there = TranslationList.objects.filter(
            segment=row.segment, system=row.system_id, recipe_version=row.recipe_version
        )
        if not there.exists():
            raise
        return False
    return True


def _row(one: MadeList, known: ListFigures | None, job: Job, system: int) -> TranslationList:
    return TranslationList(
        segment=one.segment,
        corpus_id=one.segment.corpus_id,
        system_id=system,
        recipe_version=one.version,
        job=job,
        provenance=_provenance(one),
        first_bleu1=known and known.first,
        oracle_bleu1=known and known.oracle,
        coverage=known and known.coverage,
        statistics=known and known.kept_statistics,
    )


def _provenance(one: MadeList) -> dict[str, object]:
    return {
        "checksum": one.checksum,
        "recipe": one.version.settings,
        "code_version": settings.VERSION,
        "seed": SEED,
    }
