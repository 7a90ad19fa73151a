"""The one way to fetch an object for a person: with their permission, or not at all."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404

from decoding.models.ownership import Owned, OwnedManager, OwnedQuerySet, Visitor


def fetch_for(
    user: Visitor, objects: OwnedQuerySet | OwnedManager, *, edit: bool = False, **lookup: Any
) -> Any:
    """The object, if the user may see it (404 otherwise) and, with ``edit``, change it (403).

    Who may not see an object does not learn either that it exists.
    """
    try:
        found = objects.visible_to(user).get(**lookup)
    except objects.model.DoesNotExist:
        raise Http404(f"No {objects.model._meta.verbose_name} here that you may see.") from None
    if edit and not objects.editable_by(user).filter(pk=found.pk).exists():
        raise PermissionDenied(
            f"You may look at this {objects.model._meta.verbose_name} but not change it. "
            "Ask its owner to make you an editor."
        )
    return found


def fetch_own(
    user: Visitor, objects: OwnedQuerySet | OwnedManager, *, to: str, **lookup: Any
) -> Any:
    """The object, for its owner or an administrator (403 for whom it was lent to).

    ``to`` says what nobody else may do with it.
    """
    found = fetch_for(user, objects, **lookup)
    if not is_own(user, found):
        raise PermissionDenied(f"Only its owner can {to} this. Ask them.")
    return found


def is_own(user: Visitor, owned: Owned) -> bool:
    """Whether it is the user's, or the user an administrator."""
    return user.is_superuser or owned.owner_id == user.pk
