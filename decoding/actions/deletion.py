from __future__ import annotations

from itertools import islice

from django.db import transaction
from django.db.models import ProtectedError

from decoding.models import Corpus, Pool, System
from decoding.storage import discard_folder
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


def discard_unless_used(checksum: str, key: str) -> None:
    """Remove a stored folder that no system and no pool refers to; two may hold the same."""
    if not any(model.objects.filter(checksum=checksum).exists() for model in (System, Pool)):
        discard_folder(checksum, key)


def _kept_by(owned: Corpus | System) -> list[tuple[str, str]]:
    """The stored folders that are an object's own."""
    found = list(owned.pools.values_list("checksum", "storage_key"))
    if isinstance(owned, System) and owned.storage_key:
        found.append((owned.checksum, owned.storage_key))
    return found
