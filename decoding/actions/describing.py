"""Correct what is said about a corpus or a system. What they hold never changes."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from decoding.models import Corpus, System
from evaluation.core.errors import InputError


def describe(owned: Corpus | System, **about: str) -> None:
    """Keep what is said now: all of it, or an InputError and nothing."""
    for name, said in about.items():
        setattr(owned, name, said)
    try:
        with transaction.atomic():
            owned.save(update_fields=list(about))
    except IntegrityError as error:
        refuse_taken_name(owned, owned.name, error)
        raise


def refuse_taken_name(owned: Corpus | System, name: str, cause: Exception | None = None) -> None:
    """Refuse a name that another corpus or system of its owner has."""
    others = type(owned).objects.filter(owner=owned.owner_id, name=name).exclude(pk=owned.pk)
    if others.exists():
        raise InputError(
            f"{owned.owner} has a {owned._meta.verbose_name} named {name} already",
            hint="Choose another name.",
        ) from cause
