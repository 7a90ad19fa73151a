"""How long segments are, in the words of their language."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection

from decoding import migrations
from decoding.actions.corpora import import_corpus
from decoding.core.formats.segments import SegmentText
from decoding.models import ListPair
from decoding.playground import try_out
from decoding.queries.corpora import source_words
from evaluation.core.errors import InputError
from tests.factories import make_corpus, make_list, make_recipe, make_system

pytestmark = pytest.mark.django_db

DIRECTIONS = {"source_direction": "ltr", "target_direction": "ltr", "target_language": "en"}


def test_a_segment_is_as_long_as_its_language_says(user):
    text = [SegmentText("我们访问了北京", ()), SegmentText("北京 2024", ())]
    for language, lengths in {"zh": [7, 3], "zh-Hant": [7, 3], "de": [1, 2]}.items():
        corpus = import_corpus(
            text, owner=user, name=language, source_language=language, **DIRECTIONS
        )
        assert list(corpus.segments.values_list("length", flat=True)) == lengths
        assert source_words(corpus) == sum(lengths)


def test_too_long_for_the_playground(user):
    chinese = make_system(user, source_language="zh")
    with pytest.raises(InputError, match="has 81 words"):
        try_out(chinese, "我" * 81, [], {"length": 2})


def test_segments_that_are_there_are_counted_again(user, monkeypatch):
    name = next(Path(migrations.__path__[0]).glob("*_words_of_chinese_and_japanese.py")).stem
    migration = import_module(f"decoding.migrations.{name}")
    monkeypatch.setattr(migration, "_ROWS", 2)
    found = {}
    for language in ("zh-Hans", "ja", "zha", "de"):
        texts = [("我们访问了北京", []), ("谢谢", []), ("こんにちは", [])]
        corpus = make_corpus(user, texts, source_language=language)
        system = make_system(user)
        recipes = [make_recipe(kind="unique-best"), make_recipe(kind="diverse")]
        for segment in corpus.segments.all():
            for recipe in recipes:
                make_list(segment, system, recipe, ["a", "b"])
        found[language] = corpus
    migration.recount(apps, connection.schema_editor())
    for language, corpus in found.items():
        wanted = [7, 2, 5] if language in ("zh-Hans", "ja") else [1, 1, 1]
        assert list(corpus.segments.values_list("length", flat=True)) == wanted
        pairs = ListPair.objects.filter(corpus=corpus).order_by("number")
        assert list(pairs.values_list("length", flat=True)) == [n for n in wanted for _ in range(4)]
