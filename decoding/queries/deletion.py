from __future__ import annotations

from collections.abc import Iterator

from django.core.cache import cache
from django.db.models import PROTECT, Q, QuerySet
from django.db.models.fields.reverse_related import ForeignObjectRel

from decoding.models import (
    Comparison,
    Corpus,
    Measurement,
    Pool,
    System,
    TranslationList,
    TuningRun,
    WeightTuning,
)
from decoding.models.ownership import Owned, User

_MOST_USERS = 100


def needed_by(owned: Corpus | System, reader: User | None = None) -> list[str]:
    """What keeps a corpus or system from being deleted, for its owner or somebody else to read.

    The names of studies, and the owners' of those that the reader may not see. Decoding does not
    know studies: they refer to it by keys that protect it, as do their conditions.
    """
    users: set[str] = set()
    for relation in owned._meta.related_objects:
        if relation.on_delete is PROTECT:
            users |= set(_users(relation, owned, reader or owned.owner))
    return sorted(users)


def _users(relation: ForeignObjectRel, owned: Corpus | System, reader: User) -> Iterator[str]:
    model = relation.related_model
    rows = model._default_manager.filter(**{relation.field.name: owned})
    if not issubclass(model, Owned):  # something of a study
        rows = rows.select_related("study")
    studies = [getattr(row, "study", row) for row in rows[:_MOST_USERS]]
    if studies:
        seen = type(studies[0])._default_manager.visible_to(reader)
        keys = set(seen.filter(pk__in=[one.pk for one in studies]).values_list("pk", flat=True))
        for one in studies:
            yield str(one) if one.pk in keys else f"a study of {one.owner}"


def goes_with(owned: Corpus | System) -> list[str]:
    """What is deleted with a corpus or system, counted, in words; half a minute old at most.

    Every page of an owner's corpus says it, and counting many lists walks through all of them.
    """
    key = f"goes-with-{owned._meta.model_name}-{owned.pk}"
    known: list[str] | None = cache.get(key)
    if known is None:
        known = [
            f"{count:,} {word}{'s'[: count != 1]}"
            for word, rows in _what_goes_with(owned)
            if (count := rows.count())
        ]
        cache.set(key, known, 30)
    return known


def _what_goes_with(owned: Corpus | System) -> Iterator[tuple[str, QuerySet]]:
    yield "translation list", lists_of(owned)
    name = owned._meta.model_name
    for word, model in (
        ("upload of translations", Pool),
        ("tuning", TuningRun),
        ("tuning of weights", WeightTuning),
        ("BLEU measurement", Measurement),
    ):
        yield word, model._default_manager.filter(**{name: owned})
    compared = Q(corpus=owned) if isinstance(owned, Corpus) else Q(first=owned) | Q(second=owned)
    yield "comparison", Comparison.objects.filter(compared)


def lists_of(owned: Corpus | System) -> QuerySet[TranslationList]:
    """All translation lists of a corpus or by a system, whoever made them."""
    return TranslationList.objects.filter(**{owned._meta.model_name: owned}).order_by()
