"""Objects for tests, each saved with as little as it takes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count

from django.db import transaction

from decoding.actions.pairs import pair_lists
from decoding.models import (
    Corpus,
    ListEntry,
    Recipe,
    RecipeVersion,
    Reference,
    Segment,
    System,
    TranslationList,
    TuningCell,
    TuningRun,
)

_numbers = count(1)


def make_corpus(owner, segments: Sequence[tuple[str, Sequence[str]]] = (), **fields) -> Corpus:
    """A corpus of (source, references)."""
    segments = segments or [("ein haus", ["a house"]), ("das haus", ["the house"])]
    corpus = Corpus.objects.create(
        owner=owner,
        **{
            "name": f"corpus {next(_numbers)}",
            "source_language": "de",
            "target_language": "en",
            "source_direction": "ltr",
            "target_direction": "ltr",
            "checksum": hashlib.sha256(repr(segments).encode()).hexdigest(),
            "segment_count": len(segments),
            "most_references": max(len(references) for _, references in segments),
        }
        | fields,
    )
    rows = Segment.objects.bulk_create(
        Segment(corpus=corpus, number=number, source=source, length=len(source.split()))
        for number, (source, _) in enumerate(segments, start=1)
    )
    Reference.objects.bulk_create(
        Reference(segment=row, number=number, text=text)
        for row, (_, references) in zip(rows, segments, strict=True)
        for number, text in enumerate(references, start=1)
    )
    return corpus


def make_system(owner, **fields) -> System:
    """An external system, which needs no content."""
    return System.objects.create(
        owner=owner,
        **{
            "name": f"system {next(_numbers)}",
            "kind": System.Kind.EXTERNAL,
            "source_language": "de",
            "target_language": "en",
        }
        | fields,
    )


def make_tuning_run(owner, corpus: Corpus, system: System, **cells: float) -> TuningRun:
    """A finished run; cells as n4_01=31.5 for n = 4, lambda = 0.1."""
    run = TuningRun.objects.create(
        owner=owner, corpus=corpus, system=system, orders=[], penalties=[], sample_size=2,
        baseline=30.0, signature="coverage|order:4",
    )  # fmt: skip
    for name, value in cells.items():
        order, _, penalty = name.removeprefix("n").partition("_")
        TuningCell.objects.create(
            run=run, order=int(order), penalty=float(f"{penalty[0]}.{penalty[1:]}"), value=value
        )
    return run


def make_recipe(name: str = "", **settings) -> RecipeVersion:
    """The first version of a new recipe."""
    recipe = Recipe.objects.create(name=name or f"recipe {next(_numbers)}")
    return RecipeVersion.objects.create(recipe=recipe, number=1, **settings)


@transaction.atomic
def make_list(
    segment: Segment, system: System, recipe_version: RecipeVersion, texts: Sequence[str], **fields
) -> TranslationList:
    made = TranslationList.objects.create(
        segment=segment,
        corpus_id=segment.corpus_id,
        system=system,
        recipe_version=recipe_version,
        **{"provenance": {"code_version": "test"}} | fields,
    )
    ListEntry.objects.bulk_create(
        ListEntry(translation_list=made, rank=rank, text=text, score=-float(rank))
        for rank, text in enumerate(texts, start=1)
    )
    with transaction.atomic():
        pair_lists({made.pk: made.segment_id})
    return made
