from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Count, Q

from decoding.models import (
    Corpus,
    ListEntry,
    ListPair,
    RecipeVersion,
    Reference,
    System,
    TranslationList,
)
from decoding.stretches import Numbers, holds, stretches_of
from evaluation.core.errors import VariorumError

_AT_ONCE = 500


def segments_without(
    corpus: Corpus,
    system: int,
    versions: Sequence[int],
    segments: Iterable[Numbers] | None = None,
) -> list[int]:
    """Of all segments or of these, in order, the keys of those that lack at least one list."""
    lists = Count("lists", filter=Q(lists__system=system, lists__recipe_version__in=list(versions)))
    lacking = corpus.segments.annotate(made=lists).filter(made__lt=len(versions))
    rows = lacking.order_by("number").values_list("pk", "number")
    if segments is None:
        return [key for key, _ in rows]
    wanted = stretches_of(segments)
    if not wanted:
        return []
    # Those between the first and the last, of which we choose: no statement takes many stretches.
    between = rows.filter(number__range=(wanted[0][0], wanted[-1][1]))
    return [key for key, number in between if holds(wanted, number)]


def lists_there(
    segments: Iterable[int], system: int, versions: Sequence[int]
) -> set[tuple[int, int]]:
    """Of these segments, by key, which lists there are: (segment, recipe version)."""
    return set(
        TranslationList.objects.filter(
            segment__in=list(segments), system=system, recipe_version__in=list(versions)
        ).values_list("segment_id", "recipe_version_id")
    )


def lists_in_order(
    corpus: Corpus, system: System, version: RecipeVersion
) -> Iterator[tuple[TranslationList, list[Any], list[str]]]:
    """A recipe's lists of a corpus by segment, with entries' values and references; some at a time.

    Each time they are found anew by an index, so that neither memory nor a cursor is held however
    many there are, and however long somebody takes to fetch them.
    """
    alone = ListPair.objects.filter(
        corpus=corpus, system=system, baseline_version=version, other_version=version
    )
    places = alone.order_by("number").values_list("number", "baseline", "segment")
    lists = TranslationList.objects.select_related("segment").defer("statistics")
    last = 0
    while found := list(places.filter(number__gt=last)[:_AT_ONCE]):
        numbers, keys, segments = zip(*found, strict=True)
        last = numbers[-1]
        by_key = lists.in_bulk(keys)
        # Values, for making objects of a million entries takes most of the time.
        entries, references = defaultdict(list), defaultdict(list)
        values = ListEntry.objects.filter(translation_list__in=keys).order_by("rank").values_list(
            "translation_list_id", "rank", "text", "score", "features", "segmentation", "bleu1",
            named=True,
        )  # fmt: skip
        for entry in values:
            entries[entry.translation_list_id].append(entry)
        of_these = Reference.objects.filter(segment__in=segments).order_by("number")
        for segment, text in of_these.values_list("segment", "text"):
            references[segment].append(text)
        for key, segment in zip(keys, segments, strict=True):
            if key in by_key:
                yield by_key[key], entries[key], references[segment]


def version_for_best(system: System, corpus: Corpus) -> RecipeVersion:
    """The recipe version whose lists begin with what the system thinks best.

    Of several the one that has the most lists of the corpus; among equals the oldest.
    """
    kind = RecipeVersion.Kind.POOL_BEST if system.is_external else RecipeVersion.Kind.UNIQUE_BEST
    made = Count("lists", filter=Q(lists__system=system, lists__corpus=corpus))
    versions = RecipeVersion.objects.filter(kind=kind).annotate(made=made).order_by("-made", "pk")
    found = versions.select_related("recipe").first()
    if found is None:
        raise VariorumError(
            f"There is no recipe of the kind {kind.label.partition(':')[0]}, by which systems are "
            "compared. An administrator can add one."
        )
    return found
