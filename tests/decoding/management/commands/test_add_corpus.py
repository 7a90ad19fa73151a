from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from decoding.models import Corpus
from evaluation.core.errors import InputError

LANGUAGES = {"source_language": "ar", "target_language": "en"}
pytestmark = pytest.mark.django_db


@pytest.fixture
def text(tmp_path):
    for name, lines in {"a.ar": "bayt\nbab\n", "a.en": "a house\na door\n"}.items():
        (tmp_path / name).write_text(lines)
    return tmp_path


def test_text_with_its_references(user, text, capsys):
    call_command(
        "add_corpus", "houses", "--owner", "rosa", "--source", text / "a.ar",
        "--reference", text / "a.en", text / "a.en", "--source-language", "ar",
        "--target-language", "en", "--licence", "CC0",
    )  # fmt: skip
    assert capsys.readouterr().out == "houses: 2 segments, 2 references.\n"
    corpus = Corpus.objects.get(owner=user)
    assert (corpus.source_direction, corpus.target_direction) == ("rtl", "ltr")
    assert corpus.licence == "CC0"
    second = corpus.segments.get(number=2)
    assert second.source == "bab"
    assert [reference.text for reference in second.references.all()] == ["a door", "a door"]


def test_a_format_with_both_sides_in_one_file(user, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"source": "bayt", "references": ["a house"]}) + "\n")
    given = {"owner": "rosa", "source": path, "format": "jsonl"} | LANGUAGES
    call_command("add_corpus", "houses", **given)
    assert Corpus.objects.get().most_references == 1
    with pytest.raises(InputError, match="Give that file alone"):
        call_command("add_corpus", "more", **given, reference=[path])


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"owner": "nobody"}, "nobody here has the username nobody"),
        ({"source_language": "German"}, "source language: .* such as de"),
        ({"name": "x" * 101}, "name: .* at most 100 characters"),
    ],
)
def test_what_is_refused_leaves_nothing(user, text, changed, problem):
    given = {"name": "houses", "owner": "rosa", "source": text / "a.ar"} | LANGUAGES | changed
    with pytest.raises(InputError, match=problem):
        call_command("add_corpus", given.pop("name"), **given)
    assert not Corpus.objects.exists()


def test_without_an_owner_the_usage_says_so():
    with pytest.raises(CommandError, match="--owner"):
        call_command("add_corpus", "houses", source="a", **LANGUAGES)
