from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.core.cache import cache
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from decoding.models import Corpus, RecipeVersion, Segment, System, TranslationList
from decoding.models.ownership import User

_MANY = 1000
_REMEMBER_SECONDS = 30


def corpora_on_page(user: User) -> QuerySet[Corpus]:
    """For a table of corpora."""
    return Corpus.objects.visible_to(user).select_related("owner")


def systems_on_page(user: User) -> QuerySet[System]:
    """For a table of systems."""
    return System.objects.visible_to(user).select_related("owner").defer("card")


def source_words(corpus: Corpus) -> int:
    """How many words the corpus's sources have."""
    return corpus.segments.aggregate(words=Sum("length"))["words"] or 0


@dataclass(frozen=True, slots=True)
class SegmentsInOrder:
    """A corpus's segments with their references, as a paginator wants them.

    The corpus knows how many they are, and their numbers are their places: nothing is counted,
    and the last page is as near as the first.
    """

    corpus: Corpus

    def __len__(self) -> int:
        return self.corpus.segment_count

    def __getitem__(self, places: slice) -> list[Segment]:
        wanted = self.corpus.segments.filter(number__gt=places.start, number__lte=places.stop)
        return list(wanted.order_by("number").prefetch_related("references"))


@dataclass(frozen=True, slots=True)
class ListsOfCorpus:
    """A system's lists of a corpus: how many by each recipe version, in the recipes' order."""

    corpus: Corpus
    system: System
    recipes: list[tuple[RecipeVersion, int]] = field(default_factory=list)


def corpora_with_lists(user: User, system: System | None = None) -> QuerySet[Corpus]:
    """The corpora of which there are lists that the user may see, or one system's lists."""
    # For each corpus one look into the index, instead of a walk through all lists.
    by = [system.pk] if system else System.objects.visible_to(user)
    made = TranslationList.objects.filter(corpus=OuterRef("pk"), system__in=by)
    return Corpus.objects.visible_to(user).filter(Exists(made))


def lists_by_recipe(
    user: User, corpora: Iterable[Corpus], system: System | None = None
) -> list[ListsOfCorpus]:
    """How many lists there are of each corpus by each system, or by one, and recipe version."""
    by_key = {corpus.pk: corpus for corpus in corpora}
    counts = _counts(list(by_key), system)
    systems = System.objects.visible_to(user).defer("card")
    systems_by_key = systems.in_bulk({key for rows in counts.values() for key, _, _ in rows})
    versions = RecipeVersion.objects.select_related("recipe").in_bulk(
        {key for rows in counts.values() for _, key, _ in rows}
    )
    found: dict[tuple[int, int], ListsOfCorpus] = {}
    for corpus, rows in counts.items():
        for by, version, count in rows:
            if by in systems_by_key:
                one = ListsOfCorpus(by_key[corpus], systems_by_key[by])
                found.setdefault((corpus, by), one).recipes.append((versions[version], count))
    for one in found.values():
        one.recipes.sort(key=lambda pair: (pair[0].recipe.name, pair[0].number))
    return sorted(found.values(), key=lambda one: (one.corpus.name, one.system.name))


def _counts(corpora: list[int], system: System | None) -> dict[int, list[tuple[int, int, int]]]:
    """Of each corpus (system, recipe version, lists); many are as many as half a minute ago.

    Counting walks through all of them, so many are counted rarely, and few always.
    """
    keys = {f"lists-{corpus}-{system.pk if system else 'all'}": corpus for corpus in corpora}
    found = {keys[key]: rows for key, rows in cache.get_many(keys).items()}
    counted: dict[int, list[tuple[int, int, int]]] = {
        corpus: [] for corpus in corpora if corpus not in found
    }
    lists = TranslationList.objects.filter(corpus__in=list(counted)).order_by()
    lists = lists.filter(system=system) if system else lists
    # Rows, not keys, are counted: that takes no more than an index.
    groups = lists.values_list("corpus", "system", "recipe_version").annotate(lists=Count("*"))
    for corpus, by, version, count in groups:
        counted[corpus].append((by, version, count))
    many = {
        key: counted[corpus]
        for key, corpus in keys.items()
        if sum(count for _, _, count in counted.get(corpus, [])) >= _MANY
    }
    cache.set_many(many, _REMEMBER_SECONDS)
    return found | counted
