from __future__ import annotations

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet

from decoding.models import Owned, Share


def shareable() -> dict[str, type[Owned]]:
    """The kinds of objects that have an owner, by the name that stands in addresses."""
    return {
        str(model._meta.model_name): model
        for model in apps.get_models()
        if issubclass(model, Owned)
    }


def shares_of(owned: Owned) -> QuerySet[Share]:
    return (
        Share.objects.filter(
            content_type=ContentType.objects.get_for_model(owned), object_id=owned.pk
        )
        .select_related("user")
        .order_by("user__username")
    )
