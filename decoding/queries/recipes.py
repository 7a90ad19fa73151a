from __future__ import annotations

from django.db.models import OuterRef, QuerySet, Subquery

from decoding.models import RecipeVersion


def newest_versions() -> QuerySet[RecipeVersion]:
    """The version of each recipe that is in force."""
    newest = RecipeVersion.objects.filter(recipe=OuterRef("recipe")).order_by("-number")
    versions = RecipeVersion.objects.filter(pk=Subquery(newest.values("pk")[:1]))
    return versions.select_related("recipe", "author").order_by("recipe__name")
