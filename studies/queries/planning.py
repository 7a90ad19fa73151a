"""What of a corpus can be put into a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Count, QuerySet

from decoding.models import Reference, Segment, TranslationList
from studies.core.sampling import Candidate
from studies.models import Condition, Study


def lists_of(
    condition: Condition, segments: Iterable[int] | None = None
) -> QuerySet[TranslationList]:
    """The condition's lists, of all segments of the corpus or of those with the given ids."""
    lists = TranslationList.objects.filter(
        corpus_id=condition.study.corpus_id,
        system_id=condition.system_id,
        recipe_version_id=condition.recipe_version_id,
    )
    return lists if segments is None else lists.filter(segment_id__in=segments)


def candidates(study: Study, conditions: Sequence[Condition]) -> list[Candidate]:
    """Every segment of the corpus, with what decides whether it can be sampled (C1)."""
    lengths: dict[int, list[int]] = {}
    texts = Reference.objects.filter(segment__corpus=study.corpus_id).order_by("pk")
    for segment, text in texts.values_list("segment_id", "text").iterator():
        lengths.setdefault(segment, []).append(len(text.split()))
    entries: dict[int, list[int]] = {}
    baseline: dict[int, float | None] = {}
    for condition in conditions:
        rows = lists_of(condition).annotate(n=Count("entries"))
        for segment, count, bleu1 in rows.values_list("segment_id", "n", "first_bleu1"):
            entries.setdefault(segment, []).append(count)
            if condition is conditions[0]:
                baseline[segment] = bleu1
    return [
        Candidate(
            segment=number,
            reference_lengths=tuple(lengths.get(pk, ())),
            entries=min(entries[pk]) if len(entries.get(pk, ())) == len(conditions) else 0,
            baseline_bleu1=baseline.get(pk),
        )
        for pk, number in Segment.objects.filter(corpus=study.corpus_id).values_list("pk", "number")
    ]
