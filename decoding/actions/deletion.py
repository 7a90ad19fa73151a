from __future__ import annotations

from collections.abc import Callable

from django.db import IntegrityError, connection, transaction
from django.db.models import Model

from decoding.actions.inserting import check_keys
from decoding.actions.jobs import submit_once
from decoding.models import (
    Corpus,
    FailedSegment,
    Job,
    ListEntry,
    ListPair,
    Pool,
    Reference,
    Segment,
    System,
    TranslationList,
)
from decoding.models.ownership import User
from decoding.queries.deletion import lists_of, needed_by
from decoding.queries.jobs import unfinished
from decoding.storage import alone, discard_folder
from evaluation.core.errors import VariorumError

# So many segments and lists are deleted while a request waits; of more a job is made.
MOST_IN_A_REQUEST = 50_000


def delete_or_ask(owned: Corpus | System, *, by: User) -> Job | None:
    """Delete a corpus or system, or ask for a job if that takes longer than a request may."""
    refuse_if_needed(owned, by)
    segments = owned.segment_count if isinstance(owned, Corpus) else 0
    if segments + lists_of(owned).count() <= MOST_IN_A_REQUEST:
        delete_unless_used(owned)
        return None
    kind = str(owned._meta.model_name)
    return submit_once(
        f"delete-{kind}", owner=by, title=f"Delete {owned}", parameters={kind: owned.pk}
    )


def delete_unless_used(
    owned: Corpus | System, *, finally_: Callable[[], None] = lambda: None
) -> None:
    """Delete a corpus or system with its lists and files, unless a study needs something of it.

    ``finally_`` is called in the same transaction, last.
    """
    kept = _kept_by(owned)
    try:
        with transaction.atomic():
            # Who begins to use it meanwhile waits for this, and finds it gone.
            found = type(owned).objects.select_for_update().filter(pk=owned.pk).first()
            if found is not None:  # nobody was quicker
                refuse_if_needed(found)
                _delete_rows(found)
            check_keys()
            finally_()
    except IntegrityError as error:
        raise VariorumError(
            f"{owned} cannot be deleted, for something of it is used elsewhere. Look for a study "
            "that has its segments or lists and delete that first."
        ) from error
    for checksum, key in kept:
        discard_unless_used(checksum, key)


def refuse_if_needed(owned: Corpus | System, by: User | None = None) -> None:
    """Say which studies need it, if any do, for its owner or whoever wants to delete it."""
    if users := needed_by(owned, by):
        shown = ", ".join(users[:3]) + (" and others" if len(users) > 3 else "")
        raise VariorumError(
            f"{owned} cannot be deleted, for it is needed by: {shown}. Delete that first."
        )


def _delete_rows(owned: Corpus | System) -> None:
    """All rows, children first: a statement for each table that may have millions of them.

    Django would read them all to find what goes with them. What is few is left to it.
    """
    lists = lists_of(owned)
    ListPair.objects.filter(baseline__in=lists).delete()
    ListEntry.objects.filter(translation_list__in=lists).delete()
    _delete_of(TranslationList, owned)
    if isinstance(owned, Corpus):
        segments = Segment.objects.filter(corpus=owned).order_by()
        FailedSegment.objects.filter(segment__in=segments).delete()
        Reference.objects.filter(segment__in=segments).delete()
        _delete_of(Segment, owned)
    owned.delete()


def _delete_of(model: type[Model], owned: Corpus | System) -> None:
    """Delete rows to which nothing refers any more; the database sees to that."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {model._meta.db_table} "  # noqa: S608 (only ours)
            f"WHERE {owned._meta.model_name}_id = %s",
            [owned.pk],
        )


def discard_unless_used(checksum: str, key: str, *, by: Job | None = None) -> None:
    """Remove a stored folder that no system, no pool and no job but ``by`` needs.

    Several may hold the same; nobody can begin to meanwhile (`decoding.storage.hold`).
    """
    jobs = unfinished(Job.objects).filter(parameters__upload__0=checksum)
    users = (
        System.objects.filter(checksum=checksum),
        Pool.objects.filter(checksum=checksum),
        jobs.exclude(pk=by.pk) if by else jobs,
    )
    with alone():
        if not any(rows.exists() for rows in users):
            discard_folder(checksum, key)


def _kept_by(owned: Corpus | System) -> list[tuple[str, str]]:
    """The stored folders that are an object's own."""
    found = list(owned.pools.values_list("checksum", "storage_key"))
    if isinstance(owned, System) and owned.storage_key:
        found.append((owned.checksum, owned.storage_key))
    return found
