"""Lists beside each other, for the lists browser (`ListPair`)."""

from __future__ import annotations

from collections.abc import Sequence

from decoding.models import ListPair, Segment, TranslationList

_AT_ONCE = 500  # segments; all of a corpus would be a query too long


def pair_lists(made: Sequence[TranslationList]) -> None:
    """Put new lists beside the others of their segments by the same systems, and beside themselves.

    To be called in the transaction that inserts the lists, wherever that is.
    """
    keys = {one.pk for one in made}
    segments = sorted({one.segment_id for one in made})
    systems = {one.system_id for one in made}
    for start in range(0, len(segments), _AT_ONCE):
        _pair(keys, segments[start : start + _AT_ONCE], systems)


def _pair(made: set[int], keys: Sequence[int], systems: set[int]) -> None:
    # Locked, so that of two who write lists of one segment the later sees those of the earlier.
    segments = Segment.objects.select_for_update(no_key=True).order_by("pk").in_bulk(list(keys))
    beside: dict[tuple[int, int], list[TranslationList]] = {}
    lists = TranslationList.objects.filter(segment__in=segments, system__in=systems)
    for one in lists.defer("provenance").order_by("pk"):
        beside.setdefault((one.segment_id, one.system_id), []).append(one)
    ListPair.objects.bulk_create(
        _pair_of(baseline, other, segments[baseline.segment_id])
        for group in beside.values()
        for baseline in group
        for other in group
        if baseline.pk in made or other.pk in made
    )


def _pair_of(baseline: TranslationList, other: TranslationList, segment: Segment) -> ListPair:
    known = baseline.coverage is not None and other.coverage is not None
    return ListPair(
        baseline=baseline,
        other=other,
        corpus_id=baseline.corpus_id,
        system_id=baseline.system_id,
        baseline_version_id=baseline.recipe_version_id,
        other_version_id=other.recipe_version_id,
        segment=segment,
        number=segment.number,
        length=segment.length,
        bleu1=baseline.first_bleu1,
        baseline_coverage=baseline.coverage,
        other_coverage=other.coverage,
        gain=other.coverage - baseline.coverage if known else None,
    )
