"""What the database itself refuses, whatever the code does."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from decoding.models import (
    Corpus,
    FailedSegment,
    Job,
    ListEntry,
    Pool,
    RecipeVersion,
    Reference,
    Segment,
    System,
    TranslationList,
    TuningRun,
)
from tests.factories import make_corpus, make_list, make_recipe, make_system

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus(user):
    return make_corpus(user)


@pytest.fixture
def segment(corpus):
    return corpus.segments.get(number=1)


@pytest.fixture
def refused():
    """A context in which a constraint of that name must stop what is tried."""

    class Refused:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            self.point = transaction.atomic()
            self.point.__enter__()

        def __exit__(self, kind, error, traceback):
            self.point.__exit__(kind, error, traceback)
            assert kind is IntegrityError, f"nothing stopped it, but {self.name} should"
            # SQLite names the columns of a unique constraint, not the constraint.
            assert self.name in str(error) or "UNIQUE constraint failed" in str(error)
            return True

    return Refused


def test_a_corpus(user, corpus, segment, refused):
    with refused("corpus_name_is_new_to_owner"):
        make_corpus(user, name=corpus.name)
    with refused("corpus_directions_are_known"):
        make_corpus(user, source_direction="ttb")
    with refused("corpus_has_at_most_8_references"):
        make_corpus(user, most_references=9)
    with refused("one_segment_per_number"):
        Segment.objects.create(corpus=corpus, number=1, source="twice")
    with refused("segments_count_from_1"):
        Segment.objects.create(corpus=corpus, number=0, source="nothing")
    with refused("segment_has_a_source"):
        Segment.objects.create(corpus=corpus, number=3, source="")
    with refused("one_reference_per_number"):
        Reference.objects.create(segment=segment, number=1, text="twice")
    with refused("references_count_from_1_to_8"):
        Reference.objects.create(segment=segment, number=9, text="too many")
    with refused("reference_has_a_text"):
        Reference.objects.create(segment=segment, number=2, text="")


def test_the_text_of_a_corpus_never_changes(segment):
    for row, text in ((segment, "source"), (segment.references.get(), "text")):
        setattr(row, text, "something else")
        with pytest.raises(ValidationError, match="text of a corpus never changes"):
            row.save()
        row.refresh_from_db()
        assert getattr(row, text) != "something else"


def test_names_are_free_for_other_owners(user, colleague, corpus):
    assert make_corpus(colleague, name=corpus.name).name == corpus.name


def test_a_system(user, corpus, refused):
    system = make_system(user)
    with refused("system_name_is_new_to_owner"):
        make_system(user, name=system.name)
    with refused("system_kind_is_known"):
        make_system(user, kind="oracle", checksum="c", storage_key="k")
    with refused("system_has_content_unless_external"):
        make_system(user, kind=System.Kind.IMPORTED)
    with refused("system_has_content_unless_external"):
        make_system(user, checksum="c", storage_key="k")
    pool = {
        "system": system, "corpus": corpus, "checksum": "c", "storage_key": "k",
        "translation_count": 2, "fewest": 1, "most": 1, "has_scores": False,
    }  # fmt: skip
    Pool.objects.create(**pool)
    with refused("one_pool_per_corpus"):
        Pool.objects.create(**pool)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"length": 0},
        {"length": 101},
        {"kbest": 4},
        {"kbest": 100_001},
        {"order": 0},
        {"order": 10},
        {"penalty": -0.1},
        {"penalty": 10.5},
        {"per_list": 0},
    ],
)
def test_a_recipes_settings_make_sense(nonsense, refused):
    with refused("recipe_settings_make_sense"):
        make_recipe(**nonsense)


def test_a_recipes_versions(refused):
    version = make_recipe()
    assert version.settings == {
        "kind": "diverse", "length": 5, "kbest": 1000, "order": 4, "penalty": 0.1,
        "per_list": 1, "search": "standard", "penalties": "", "distinct": False,
        "from_graph": False,
    }  # fmt: skip
    with refused("one_version_per_number"):
        RecipeVersion.objects.create(recipe=version.recipe, number=1)
    with refused("recipe_kind_and_search_are_known"):
        make_recipe(kind="magic")
    version.penalty = 0.2
    with pytest.raises(ValidationError, match="never changes"):
        version.save()
    newer = RecipeVersion.objects.create(recipe=version.recipe, number=2, penalty=0.2)
    assert version.recipe.newest == newer


@pytest.mark.parametrize(
    ("chosen", "summary"),
    [
        ({"kind": "unique-best"}, "unique 5-best"),
        ({"kind": "diverse"}, "diverse 5, n=4 λ=0.1"),
        ({"kind": "diverse", "per_list": 20}, "diverse 5, n=4 λ=0.1, 20-best of each"),
        ({"kind": "pool-best", "length": 3}, "3-best of pool"),
        ({"kind": "pool-diverse", "penalty": 0.005}, "diverse 5 of pool, n=4 λ=0.005"),
    ],
)
def test_a_recipe_in_words(chosen, summary):
    assert make_recipe(**chosen).summary == summary


def test_a_list_is_there_once(user, corpus, segment, refused):
    system, version = make_system(user), make_recipe()
    made = make_list(segment, system, version, ["a house", "one house"])
    with refused("one_list_per_segment_system_recipe"):
        make_list(segment, system, version, ["another"])
    with refused("one_entry_per_rank"):
        ListEntry.objects.create(translation_list=made, rank=1, text="another first")
    with refused("ranks_count_from_1"):
        ListEntry.objects.create(translation_list=made, rank=0, text="before the first")
    job = Job.objects.create(owner=user, kind="make-lists", title="lists")
    failure = {"job": job, "segment": segment, "recipe_version": version, "reason": "too long"}
    FailedSegment.objects.create(**failure)
    with refused("one_failure_per_job_segment_recipe"):
        FailedSegment.objects.create(**failure)


def test_a_tuning_run(user, corpus, refused):
    run = {
        "owner": user, "corpus": corpus, "system": make_system(user),
        "orders": [4], "penalties": [0.1], "sample_size": 10,
    }  # fmt: skip
    TuningRun.objects.create(**run)
    with refused("objective_is_known"):
        TuningRun.objects.create(**run | {"objective": "beauty"})
    with refused("tuning_has_a_sample"):
        TuningRun.objects.create(**run | {"sample_size": 0})


def test_lists_go_with_their_corpus_but_a_recipe_with_lists_stays(user, corpus, segment):
    version = make_recipe()
    make_list(segment, make_system(user), version, ["a house"])
    with pytest.raises(IntegrityError), transaction.atomic():
        version.recipe.delete()
    Corpus.objects.get(pk=corpus.pk).delete()
    assert not TranslationList.objects.exists()
    version.recipe.delete()
