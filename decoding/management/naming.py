"""What people type in a terminal, usernames and names, and the rows that they mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import Model

from decoding.models import Recipe, RecipeVersion
from decoding.models.ownership import OwnedManager, OwnedQuerySet, User
from evaluation.core.errors import InputError

_LISTED = 10


def person(username: str) -> User:
    """Whoever has the username."""
    found = get_user_model().objects.filter(username=username).first()
    if found is None:
        raise InputError(
            f"nobody here has the username {username}",
            hint="The first administrator is called admin; manage.py createsuperuser makes others.",
        )
    return found


def named(objects: OwnedQuerySet | OwnedManager, name: str, *, owner: User) -> Any:
    """The owner's row of that name, else the one that the owner may see."""
    visible = objects.visible_to(owner)
    found = list(visible.filter(name=name))
    own = [row for row in found if row.owner_id == owner.pk]
    if len(own or found) == 1:
        return (own or found)[0]
    kind = objects.model._meta.verbose_name
    if found:
        raise InputError(
            f"{len(found)} people have a {kind} named {name}",
            hint="Give the owner of the one that you mean.",
        )
    raise InputError(
        f"there is no {kind} named {name} that {owner} may see",
        hint=_what_there_is(visible.values_list("name", flat=True)),
    )


def recipe_named(name: str, number: int | None = None) -> RecipeVersion:
    """The recipe's version of that number, or the one that is in force."""
    found = Recipe.objects.filter(name=name).first()
    if found is None:
        raise InputError(
            f"there is no recipe named {name}",
            hint=_what_there_is(Recipe.objects.values_list("name", flat=True))
            + " manage.py add_recipe adds one.",
        )
    if number is None:
        return found.newest
    version = found.versions.filter(number=number).first()
    if version is None:
        raise InputError(
            f"{name} has no version {number}", hint=f"Its newest is version {found.newest.number}."
        )
    return version


def _what_there_is(names: Any) -> str:
    listed = [*names[: _LISTED + 1]]
    if not listed:
        return "There is none yet."
    more = ["and others"] if len(listed) > _LISTED else []
    return f"There are: {'; '.join([*listed[:_LISTED], *more])}."


def check_fields(model: type[Model], **values: Any) -> None:
    """Refuse what a form would refuse: too long a name, or what is no language."""
    with in_a_sentence():
        others = {field.name for field in model._meta.fields} - set(values)
        model(**values).clean_fields(exclude=others)


@contextmanager
def in_a_sentence() -> Iterator[None]:
    """What a model's fields refuse, as an InputError."""
    try:
        yield
    except ValidationError as error:
        if not hasattr(error, "error_dict"):
            raise InputError(" ".join(error.messages)) from error
        said = [
            f"{name.replace('_', ' ')}: {' '.join(messages)}"
            for name, messages in error.message_dict.items()
        ]
        raise InputError("; ".join(said)) from error
