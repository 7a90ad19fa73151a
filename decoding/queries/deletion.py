from __future__ import annotations

from collections.abc import Iterator

from django.db.models import PROTECT, Q, QuerySet

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

_MOST_USERS = 100


def needed_by(owned: Corpus | System) -> list[str]:
    """What keeps a corpus or system from being deleted: the names of studies.

    Decoding does not know them. They refer to it by keys that protect it, as do their conditions.
    """
    users = set()
    for relation in owned._meta.related_objects:
        if relation.on_delete is PROTECT:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: owned})
            users |= {str(getattr(row, "study", row)) for row in rows[:_MOST_USERS]}
    return sorted(users)


def goes_with(owned: Corpus | System) -> list[str]:
    """What is deleted with a corpus or system, counted, in words."""
    return [
        f"{count:,} {word}{'s'[: count != 1]}"
        for word, rows in _what_goes_with(owned)
        if (count := rows.count())
    ]


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
