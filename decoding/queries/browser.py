"""Two recipes' lists of a corpus side by side: filtered, sorted, and found by their place.

The first recipe is the baseline: quartiles are of the BLEU+1 of its first translations
(ALGORITHMS B5), and the gain is by how much the other's coverage is above its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q, QuerySet

from decoding.models import Corpus, ListPair, RecipeVersion, System, TranslationList

# Each is an index of `ListPair`, read forwards or backwards.
SORTS = {
    "segment": ("number",),
    "-segment": ("-number",),
    "bleu1": ("bleu1", "number"),
    "-bleu1": ("-bleu1", "-number"),
    "gain": ("gain", "number"),
    "-gain": ("-gain", "-number"),
    "length": ("length", "number"),
    "-length": ("-length", "-number"),
}
GAINS = {"more": Q(gain__gt=0), "same": Q(gain=0), "less": Q(gain__lt=0)}
LENGTHS = {
    "short": Q(length__lt=5),
    "middle": Q(length__gte=5, length__lte=25),
    "long": Q(length__gt=25),
}

T = TypeVar("T")

# Counting walks through all lists, which takes longer than everything else on a page.
_REMEMBER_SECONDS = 30


@dataclass(frozen=True, slots=True)
class SideBySide:
    """What is compared, and which of it is wanted in which order."""

    corpus: Corpus
    system: System
    baseline: RecipeVersion
    other: RecipeVersion
    sort: str = "segment"
    quartile: int = 0  # 1 to 4; 0 is all
    gain: str = ""  # of GAINS; "" is all
    length: str = ""  # of LENGTHS; "" is all

    @property
    def versions(self) -> list[RecipeVersion]:
        """The two that are compared, or the one."""
        return list(dict.fromkeys([self.baseline, self.other]))


def compared_pairs(wanted: SideBySide) -> QuerySet[ListPair]:
    """The segments of which both lists are there, as wanted: each an entry of one index."""
    pairs = ListPair.objects.filter(
        corpus=wanted.corpus,
        system=wanted.system,
        baseline_version=wanted.baseline,
        other_version=wanted.other,
    )
    if wanted.quartile:
        pairs = pairs.filter(_within(remembered_bounds(wanted), wanted.quartile))
    if wanted.gain:
        pairs = pairs.filter(GAINS[wanted.gain])
    if wanted.length:
        pairs = pairs.filter(LENGTHS[wanted.length])
    return pairs.order_by(*SORTS[wanted.sort])


def pairs_between(wanted: SideBySide, start: int, stop: int) -> QuerySet[ListPair]:
    """Those at places from start to before stop, with their segments.

    Found by their keys alone first: what lies before the first of them is passed over in an
    index, and joined with nothing.
    """
    keys = compared_pairs(wanted).values("pk")[start:stop]
    pairs = ListPair.objects.filter(pk__in=keys).select_related("segment")
    return pairs.order_by(*SORTS[wanted.sort])


def place_of(wanted: SideBySide, number: int) -> int:
    """Where the segment is among those wanted, from 1, sorted by segment; else the next one."""
    return compared_pairs(wanted).filter(number__lt=number).count() + 1


def remembered_count(wanted: SideBySide) -> int:
    """How many segments are wanted, as it was half a minute ago at most."""
    lists = wanted.corpus.pk, wanted.system.pk, wanted.baseline.pk, wanted.other.pk
    filters = wanted.quartile, wanted.gain, wanted.length
    return _remembered(("count", *lists, *filters), lambda: compared_pairs(wanted).count())


def remembered_bounds(wanted: SideBySide) -> list[tuple[float, int] | None]:
    """`quartile_bounds`, as they were half a minute ago at most."""
    # Of the baseline alone, whatever it is compared with and filtered by.
    lists = wanted.corpus.pk, wanted.system.pk, wanted.baseline.pk
    return _remembered(("bounds", *lists), lambda: quartile_bounds(wanted))


def _remembered(what: tuple[object, ...], find: Callable[[], T]) -> T:
    key = "browser-" + "-".join(map(str, what))
    known: T | None = cache.get(key)
    if known is None:
        known = find()
        cache.set(key, known, _REMEMBER_SECONDS)
    return known


def quartile_bounds(wanted: SideBySide) -> list[tuple[float, int] | None]:
    """Where quartiles 2, 3 and 4 begin: (BLEU+1, segment); None where there is no such segment.

    The same groups as `evaluation.core.statistics.quartiles` makes (ALGORITHMS B5): equal sizes,
    the earlier groups larger by one, ties in the segments' order; but read off an index.
    """
    known = TranslationList.objects.filter(
        corpus=wanted.corpus,
        system=wanted.system,
        recipe_version=wanted.baseline,
        first_bleu1__isnull=False,
    ).order_by("first_bleu1", "segment_id")
    size, larger = divmod(known.count(), 4)
    bounds: list[tuple[float, int] | None] = []
    for group in (1, 2, 3):
        place = group * size + min(group, larger)
        found = known.values_list("first_bleu1", "segment_id")[place : place + 1]
        bounds.append(next(iter(found), None))
    return bounds


def quartile_of(bounds: list[tuple[float, int] | None], bleu1: float, segment: int) -> int:
    """The quartile, 1 to 4, of a segment with that BLEU+1."""
    return 1 + sum(bound is not None and (bleu1, segment) >= bound for bound in bounds)


def _within(bounds: list[tuple[float, int] | None], quartile: int) -> Q:
    # The first condition of each is what an index can be entered by; ties are by segment.
    inside = Q(bleu1__isnull=False)
    if quartile > 1:
        lower = bounds[quartile - 2]
        if lower is None:
            return Q(pk__in=[])
        inside &= Q(bleu1__gte=lower[0]) & (Q(bleu1__gt=lower[0]) | Q(segment__gte=lower[1]))
    if quartile < 4 and (upper := bounds[quartile - 1]):
        inside &= Q(bleu1__lte=upper[0]) & (Q(bleu1__lt=upper[0]) | Q(segment__lt=upper[1]))
    return inside


def lists_with_entries(keys: list[int]) -> dict[int, TranslationList]:
    """Lists by key, with their entries and recipes."""
    lists = TranslationList.objects.select_related("recipe_version__recipe")
    return lists.prefetch_related("entries").in_bulk(keys)


def compared_versions(corpus: Corpus, system: System) -> list[RecipeVersion]:
    """The recipe versions of which there are lists; for a choice, in the recipes' order."""
    # For each version one look into the index, instead of a walk through all lists.
    made = TranslationList.objects.filter(
        corpus=corpus, system=system, recipe_version=OuterRef("pk")
    )
    versions = RecipeVersion.objects.filter(Exists(made))
    return list(versions.select_related("recipe").order_by("recipe__name", "-number"))
