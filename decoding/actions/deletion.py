from __future__ import annotations

from itertools import islice

from django.db import transaction
from django.db.models import Model, ProtectedError

from decoding.models import Pool, System
from decoding.storage import discard
from evaluation.core.errors import VariorumError


def delete_unless_used(owned: Model) -> None:
    """Delete a corpus or system with its lists and files, unless a study needs something of it."""
    keys = _storage_keys(owned)
    try:
        with transaction.atomic():
            owned.delete()
    except ProtectedError as error:
        users = sorted({str(user) for user in islice(error.protected_objects, 100)})
        shown = ", ".join(users[:3]) + (" and others" if len(users) > 3 else "")
        raise VariorumError(
            f"{owned} cannot be deleted, for it is needed by: {shown}. Delete that first."
        ) from error
    for key in keys:
        discard_unless_used(key)


def discard_unless_used(key: str) -> None:
    """Remove a stored folder that no system and no pool refers to; two may hold the same."""
    if not any(model.objects.filter(storage_key=key).exists() for model in (System, Pool)):
        discard(key)


def _storage_keys(owned: Model) -> set[str]:
    keys = {getattr(owned, "storage_key", "")}
    if hasattr(owned, "pools"):
        keys |= set(owned.pools.values_list("storage_key", flat=True))
    return keys - {""}
