"""Rows inserted by hand are what Django would have written and reads back."""

import math

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoding.actions.inserting import insert, insert_new
from decoding.models import FailedSegment, ListEntry, TranslationList
from tests.factories import make_corpus, make_list, make_recipe, make_system

COLUMNS = ("translation_list_id", "rank", "text", "score", "features", "segmentation", "bleu1")

# All that PostgreSQL can hold, blanks and what COPY and SQL treat in their own ways among it.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
numbers = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture
def corpus(user):
    return make_corpus(user, [(f"satz {number}", []) for number in range(1, 10)])


@pytest.fixture
def kept(user, corpus):
    recipe_version = make_recipe()
    return make_list(corpus.segments.get(number=1), make_system(user), recipe_version, [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    rows=st.lists(
        st.tuples(
            texts,
            st.none() | numbers,
            st.dictionaries(texts, st.lists(numbers)),
            st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)).map(list)),
            st.none() | numbers,
        ),
        max_size=200,
    )
)
def test_all_values_are_read_back_as_they_were(kept, rows):
    ranked = [(kept.pk, rank, *row) for rank, row in enumerate(rows, start=1)]
    with transaction.atomic():
        insert(ListEntry, COLUMNS, ranked)
        read = list(ListEntry.objects.order_by("rank").values_list(*COLUMNS))
        ListEntry.objects.all().delete()
    assert [_with_floats(row) for row in read] == ranked


def _with_floats(row):
    """PostgreSQL gives back 1e16 within JSON as 10000000000000000, which Python takes for whole."""
    features = {name: list(map(float, values)) for name, values in row[4].items()}
    return (*row[:4], features, *row[5:])


def test_only_what_is_new_is_inserted_and_told(corpus, kept):
    columns = ("segment_id", "corpus_id", "system_id", "recipe_version_id", "provenance",
               "made_at", "coverage", "statistics")  # fmt: skip
    third = 1 / 3
    rows = [
        (segment.pk, corpus.pk, kept.system_id, kept.recipe_version_id, {"code": "\"'%s\\"}, kept.made_at,
         third if segment.number % 2 else None, {"first": [1, 2]})
        for segment in corpus.segments.order_by("number")
    ]  # fmt: skip
    told = dict(insert_new(TranslationList, columns, rows, "segment_id, id"))
    assert kept.segment_id not in told
    assert len(told) == len(rows) - 1
    assert insert_new(TranslationList, columns, rows, "segment_id, id") == []
    for made in TranslationList.objects.exclude(pk=kept.pk).select_related("segment"):
        assert told[made.segment_id] == made.pk
        assert made.provenance == {"code": "\"'%s\\"}
        assert made.made_at == kept.made_at
        assert made.coverage == (third if made.segment.number % 2 else None)
        assert made.statistics == {"first": [1, 2]}
        assert made.first_bleu1 is None


def test_there_may_be_no_rows(db):
    insert(ListEntry, COLUMNS, [])
    assert insert_new(FailedSegment, ("reason",), [], "id") == []


def test_a_number_that_json_has_not_is_null(kept):
    insert(ListEntry, COLUMNS, [(kept.pk, 1, "a", 0.0, {"LM": [math.inf]}, [], None)])
    assert ListEntry.objects.get().features == {"LM": [None]}
