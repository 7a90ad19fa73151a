from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from decoding.models import Recipe, RecipeVersion
from decoding.models.ownership import User
from evaluation.core.errors import InputError

# What every installation begins with: the two conditions of the paper's study.
STANDARD = {
    "Five best": {"kind": RecipeVersion.Kind.UNIQUE_BEST},
    "Five diverse": {"kind": RecipeVersion.Kind.DIVERSE},
}


def add_recipe(
    name: str,
    settings: Mapping[str, Any],
    *,
    author: User | None,
    reason: str = "",
    notes: str = "",
) -> RecipeVersion:
    """A new recipe with its first version."""
    try:
        with transaction.atomic():
            recipe = Recipe.objects.create(name=name, notes=notes)
            return _add_version(recipe, 1, settings, author, reason)
    except IntegrityError as error:
        if Recipe.objects.filter(name=name).exists():
            raise InputError(
                f"there is a recipe named {name} already", hint="Choose another name."
            ) from error
        raise


@transaction.atomic
def change_recipe(
    recipe: Recipe, settings: Mapping[str, Any], *, author: User | None, reason: str = ""
) -> RecipeVersion:
    """Give the recipe these settings: a new version, unless the newest has them already."""
    # Locked, so that two changes at once do not take the same number.
    Recipe.objects.select_for_update().get(pk=recipe.pk)
    newest = recipe.newest
    if all(getattr(newest, name) == value for name, value in settings.items()):
        return newest
    number = recipe.versions.aggregate(last=Max("number"))["last"] + 1
    return _add_version(recipe, number, newest.settings | dict(settings), author, reason)


def add_standard_recipes() -> None:
    """After each migration: where there is no recipe at all, the two of the paper."""
    if not Recipe.objects.exists():
        for name, settings in STANDARD.items():
            add_recipe(name, settings, author=None, reason="Variorum came with it")


def _add_version(
    recipe: Recipe, number: int, settings: Mapping[str, Any], author: User | None, reason: str
) -> RecipeVersion:
    version = RecipeVersion(
        recipe=recipe, number=number, author=author, reason=reason[:200], **settings
    )
    version.full_clean(exclude=["recipe", "author"])
    version.save(force_insert=True)
    return version
