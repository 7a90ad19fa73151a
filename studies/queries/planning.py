"""What of a corpus can be put into a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Count, QuerySet

from decoding.core.corpus.words import count_words
from decoding.models import ListEntry, Reference, Segment, TranslationList
from studies.core.sampling import Candidate
from studies.models import Condition, Study

_LOOKED_AT = 200  # lists, for a line that shows what becomes of other letters than ASCII


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


def line_to_preview(study: Study) -> str:
    """A first translation of the baseline, if possible one that is not ASCII alone."""
    baseline = study.conditions.select_related("study").first()
    if baseline is None:
        return ""
    lists = lists_of(baseline).order_by("segment__number").values_list("pk", flat=True)
    firsts = ListEntry.objects.filter(translation_list__in=list(lists[:_LOOKED_AT]), rank=1)
    texts = list(
        firsts.order_by("translation_list__segment__number").values_list("text", flat=True)
    )
    return next((text for text in texts if not text.isascii()), texts[0] if texts else "")


def candidates(study: Study, conditions: Sequence[Condition]) -> list[Candidate]:
    """Every segment of the corpus, with what decides whether it can be sampled (C1)."""
    language = study.corpus.target_language
    lengths: dict[int, list[int]] = {}
    texts = Reference.objects.filter(segment__corpus=study.corpus_id).order_by("pk")
    for segment, text in texts.values_list("segment_id", "text").iterator():
        lengths.setdefault(segment, []).append(count_words(text, language))
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
