from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from decoding.actions.deletion import discard_unless_used
from decoding.actions.names import refuse_taken_name
from decoding.cards import REPORTS
from decoding.core.formats.nbest import NBestEntry
from decoding.models import Corpus, Pool, System
from decoding.models.ownership import User
from decoding.pools import write_pool
from decoding.storage import Kept, hold, keep_folder
from decoding.uploads import scratch
from evaluation.core.errors import InputError


def add_external_system(*, owner: User, **about: str) -> System:
    """A system that runs elsewhere; its translations come as pools."""
    return _save(System(owner=owner, kind=System.Kind.EXTERNAL, **about))


def keep_system(
    folder: Path, *, owner: User, kind: str, card: Mapping[str, Any], **about: Any
) -> System:
    """Put a system directory into the storage; ``about`` are name, languages, notes, licence."""
    kept = keep_made(folder)
    try:
        return add_kept_system(kept, owner=owner, kind=kind, card=card, **about)
    except InputError:
        discard_unless_used(kept.checksum, kept.key)
        raise


def keep_made(folder: Path) -> Kept:
    """Put a system directory into the storage, without what says how long it took to make.

    So the same texts and options give the same checksum; the card has the reports.
    """
    return keep_folder(folder, without=REPORTS)


def add_kept_system(
    kept: Kept, *, owner: User, kind: str, card: Mapping[str, Any], **about: Any
) -> System:
    """A system whose directory is in the storage already."""
    system = System(
        owner=owner,
        kind=kind,
        checksum=kept.checksum,
        storage_key=kept.key,
        size=kept.size,
        card=dict(card),
        **about,
    )
    with hold(kept):
        return _save(system)


def add_pool(
    system: System, corpus: Corpus, lists: Iterable[Iterable[NBestEntry]], *, name: str
) -> Pool:
    """Keep an external system's translations of a corpus: all, or an InputError and nothing."""
    if not system.is_external:
        raise InputError(
            f"{system} makes its lists itself", hint="Make lists with it, or add an external one."
        )
    if system.pools.filter(corpus=corpus).exists():
        raise _there_already(system, corpus)
    with tempfile.TemporaryDirectory(prefix="pool-", dir=scratch()) as folder:
        facts = write_pool(lists, Path(folder), segments=corpus.segment_count, name=name)
        kept = keep_folder(Path(folder))
    try:
        with hold(kept):
            return Pool.objects.create(
                system=system,
                corpus=corpus,
                checksum=kept.checksum,
                storage_key=kept.key,
                translation_count=facts.translation_count,
                fewest=facts.fewest,
                most=facts.most,
                has_scores=facts.has_scores,
            )
    except IntegrityError as error:
        discard_unless_used(kept.checksum, kept.key)
        raise _there_already(system, corpus) from error


def _there_already(system: System, corpus: Corpus) -> InputError:
    return InputError(
        f"there are translations of {corpus} by {system} already",
        hint="They never change, for lists may have been made from them. Add another system.",
    )


def _save(system: System) -> System:
    try:
        with transaction.atomic():
            system.save(force_insert=True)
    except IntegrityError as error:
        refuse_taken_name(system.owner, system.name, cause=error)
        raise
    return system
