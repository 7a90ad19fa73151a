from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType

from decoding.models import Owned, Share
from decoding.queries.sharing import shares_of


def share_with(owned: Owned, *, user: User, role: str) -> Share:
    """Open an object to a colleague, or change the role of one who has it."""
    share, _ = Share.objects.update_or_create(
        content_type=ContentType.objects.get_for_model(owned),
        object_id=owned.pk,
        user=user,
        defaults={"role": role},
    )
    return share


def stop_share(owned: Owned, pk: int) -> None:
    shares_of(owned).filter(pk=pk).delete()
