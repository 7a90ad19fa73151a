"""Ask for lists, and keep what was made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.utils import timezone

from decoding.actions.inserting import insert, insert_new
from decoding.actions.jobs import submit_once
from decoding.actions.pairs import pair_lists
from decoding.figures import ListFigures, list_figures
from decoding.makers import Translation, why_not
from decoding.models import (
    Corpus,
    FailedSegment,
    Job,
    ListEntry,
    RecipeVersion,
    Reference,
    Segment,
    System,
    TranslationList,
)
from decoding.models.ownership import User
from decoding.preparing import texts_of
from decoding.stretches import Numbers, stretches_of
from evaluation.core.errors import VariorumError

_LISTS = (
    "segment_id", "corpus_id", "system_id", "recipe_version_id", "job_id", "provenance", "made_at",
    "first_bleu1", "oracle_bleu1", "coverage", "statistics",
)  # fmt: skip
_ENTRIES = (
    "translation_list_id", "rank", "text", "score", "features", "segmentation", "bleu1",
)  # fmt: skip

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
    traceback: str = ""  # of a failure that nobody foresaw


def ask_for_lists(
    corpus: Corpus,
    system: System,
    versions: Sequence[RecipeVersion],
    *,
    owner: User,
    segments: Iterable[Numbers] | None = None,
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
        "segments": None if segments is None else stretches_of(segments),
    }
    return submit_once(
        "make-lists",
        owner=owner,
        parameters=parameters,
        title=f"Make lists of {corpus} by {system}",
    )


def ask_again(job: Job, *, owner: User) -> Job:
    """A job of those lists which another job was to make and which are not there.

    Only for who may see the corpus and the system, which an editor of the other job need not.
    """
    said = job.parameters
    versions = RecipeVersion.objects.filter(pk__in=said["recipe_versions"])
    try:
        corpus = Corpus.objects.visible_to(owner).get(pk=said["corpus"])
        system = System.objects.visible_to(owner).get(pk=said["system"])
    except ObjectDoesNotExist as error:
        raise VariorumError(
            "The corpus or the system is deleted or not yours to see. Ask the job's owner to share "
            "both with you."
        ) from error
    found = list(versions.select_related("recipe"))
    return ask_for_lists(corpus, system, found, owner=owner, segments=said["segments"])


def save_lists(made: Sequence[MadeList], job: Job, system: System) -> None:
    """Keep lists and failures; a list that somebody else has made meanwhile stays as it is.

    To be called within a transaction, with the segments in order, so that two who write the same
    lists wait for each other in one direction only.
    """
    texts = texts_of(system)
    references: dict[int, list[str]] = {one.segment.pk: [] for one in made}
    of_these = Reference.objects.filter(segment__in=references).order_by("number")
    for key, text in of_these.values_list("segment", "text"):
        if words := texts.to_compare(text):  # of control characters alone nothing is left
            references[key].append(words)
    figures = list_figures(
        [[texts.to_measure(one.text) for one in listed.translations] for listed in made],
        [references[listed.segment.pk] for listed in made],
    )
    listed = []
    for one, known in zip(made, figures, strict=True):
        if one.failure:
            FailedSegment.objects.get_or_create(
                job=job,
                segment=one.segment,
                recipe_version=one.version,
                defaults={"reason": one.failure, "traceback": one.traceback},
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
            _provenance(one),
            now,
            known and known.first,
            known and known.oracle,
            known and known.coverage,
            known and known.kept_statistics,
        )
        for one, known in listed
    ]
    new = insert_new(TranslationList, _LISTS, rows, "segment_id, recipe_version_id, id")
    return {(segment, version): key for segment, version, key in new}


def _insert_entries(lists: Iterable[tuple[int, MadeList, ListFigures | None]]) -> None:
    rows = [
        (
            key,
            rank,
            translation.text,
            translation.score,
            translation.features,
            translation.segmentation,
            known and known.bleu1[rank - 1],
        )
        for key, one, known in lists
        for rank, translation in enumerate(one.translations, start=1)
    ]
    insert(ListEntry, _ENTRIES, rows)


def _provenance(one: MadeList) -> dict[str, object]:
    return {
        "checksum": one.checksum,
        "recipe": one.version.settings,
        "code_version": settings.DECODER_VERSION,
        "seed": SEED,
    }
