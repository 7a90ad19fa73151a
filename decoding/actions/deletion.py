from __future__ import annotations

from itertools import islice

from django.db import transaction
from django.db.models import ProtectedError

from decoding.models import Corpus, Job, Pool, System
from decoding.queries.jobs import unfinished
from decoding.storage import alone, discard_folder
from evaluation.core.errors import VariorumError


def delete_unless_used(owned: Corpus | System) -> None:
    """Delete a corpus or system with its lists and files, unless a study needs something of it."""
    kept = _kept_by(owned)
    try:
        with transaction.atomic():
            owned.delete()
    except ProtectedError as error:
        # A study's tasks need it; whoever reads this knows the study.
        needed = islice(error.protected_objects, 100)
        users = sorted({str(getattr(user, "study", user)) for user in needed})
        shown = ", ".join(users[:3]) + (" and others" if len(users) > 3 else "")
        raise VariorumError(
            f"{owned} cannot be deleted, for it is needed by: {shown}. Delete that first."
        ) from error
    for checksum, key in kept:
        discard_unless_used(checksum, key)


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
