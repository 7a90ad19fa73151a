from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count, QuerySet, Sum

from decoding.models import Corpus, RecipeVersion, Segment, System, TranslationList
from decoding.models.ownership import User


def corpora_on_page(user: User) -> QuerySet[Corpus]:
    """For a table of corpora."""
    return Corpus.objects.visible_to(user).select_related("owner")


def systems_on_page(user: User) -> QuerySet[System]:
    """For a table of systems."""
    return System.objects.visible_to(user).select_related("owner").defer("card")


def source_words(corpus: Corpus) -> int:
    """How many words the corpus's sources have."""
    return corpus.segments.aggregate(words=Sum("length"))["words"] or 0


def segments_on_page(corpus: Corpus) -> QuerySet[Segment]:
    """A corpus's segments, with their references."""
    return corpus.segments.prefetch_related("references")


@dataclass(frozen=True, slots=True)
class ListsOfCorpus:
    """A system's lists of a corpus: how many by each recipe version, in the recipes' order."""

    corpus: Corpus
    system: System
    recipes: list[tuple[RecipeVersion, int]] = field(default_factory=list)


def lists_by_recipe(user: User, **of: Corpus | System) -> list[ListsOfCorpus]:
    """How many lists there are for each corpus, system and recipe version that the user may see."""
    groups = (
        TranslationList.objects.filter(
            corpus__in=Corpus.objects.visible_to(user),
            system__in=System.objects.visible_to(user),
            **of,
        )
        .order_by()
        .values("corpus", "system", "recipe_version")
        .annotate(lists=Count("pk"))
    )
    found = list(groups)
    corpora = Corpus.objects.in_bulk({group["corpus"] for group in found})
    systems = System.objects.defer("card").in_bulk({group["system"] for group in found})
    versions = RecipeVersion.objects.select_related("recipe").in_bulk(
        {group["recipe_version"] for group in found}
    )
    rows: dict[tuple[int, int], ListsOfCorpus] = {}
    for group in found:
        key = group["corpus"], group["system"]
        row = rows.setdefault(key, ListsOfCorpus(corpora[key[0]], systems[key[1]]))
        row.recipes.append((versions[group["recipe_version"]], group["lists"]))
    for row in rows.values():
        row.recipes.sort(key=lambda pair: (pair[0].recipe.name, pair[0].number))
    return sorted(rows.values(), key=lambda row: (row.corpus.name, row.system.name))
