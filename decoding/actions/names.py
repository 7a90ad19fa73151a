"""Names of corpora and systems: no owner has one twice."""

from __future__ import annotations

from itertools import chain, count

from decoding.models import Corpus, System
from decoding.models.ownership import User
from evaluation.core.errors import InputError


def refuse_taken_name(
    owner: User,
    name: str,
    of: type[Corpus | System] = System,
    *,
    own: Corpus | System | None = None,
    cause: Exception | None = None,
) -> None:
    """Refuse a name that another one has: at once, and not only when a job is over.

    ``own`` is the one that is to have the name, when there is one; an administrator may be
    giving it, so the owner is named then.
    """
    others = of._default_manager.filter(owner=owner, name=name)
    if others.exclude(pk=own.pk if own else None).exists():
        has = f"{owner} has" if own else "you have"
        raise InputError(
            f"{has} a {of._meta.verbose_name} named {name} already", hint="Choose another name."
        ) from cause


def free_name(owner: User, name: str, of: type[Corpus | System] = System) -> str:
    """The name, or with a number behind it if another one took it while this one was made."""
    taken = set(of._default_manager.filter(owner=owner).values_list("name", flat=True))
    numbered = (f"{name[:90]} ({number})" for number in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)
