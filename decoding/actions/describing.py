"""Correct what is said about a corpus or a system. What they hold never changes."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from decoding.actions.names import refuse_taken_name
from decoding.models import Corpus, System


def describe(owned: Corpus | System, **about: str) -> None:
    """Keep what is said now: all of it, or an InputError and nothing."""
    for name, said in about.items():
        setattr(owned, name, said)
    try:
        with transaction.atomic():
            owned.save(update_fields=list(about))
    except IntegrityError as error:
        refuse_taken_name(owned.owner, owned.name, type(owned), own=owned, cause=error)
        raise
