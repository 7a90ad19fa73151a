"""Lists out of the application: as files, whole, and in again."""

from __future__ import annotations

import gzip
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from decoding.actions.systems import add_external_system, add_pool
from decoding.core.formats.nbest import read_lists
from decoding.exporting import file_name
from decoding.makers import maker_for
from decoding.models import ListEntry
from decoding.queries import lists as queries
from evaluation.core.errors import InputError
from tests.factories import make_corpus, make_list, make_recipe, make_system

pytestmark = pytest.mark.django_db

SEGMENTS = 7


@pytest.fixture
def listed(user, monkeypatch):
    """Lists of 7 segments, which are fetched 3 at a time."""
    monkeypatch.setattr(queries, "_AT_ONCE", 3)
    corpus = make_corpus(
        user, [(f"das haus {n}", [f"the house {n}", f"house {n}"]) for n in range(SEGMENTS)],
        name="Häuser / Ställe",
    )  # fmt: skip
    system = make_system(user, name="نظام")
    version = make_recipe("Three best", kind="unique-best", length=3)
    for segment in reversed(corpus.segments.all()):
        make_list(
            segment, system, version, [f"the house {segment.number}", "a ||| b", "ein häuschen"],
            provenance={
                "checksum": "c" * 64, "recipe": {"kind": "unique-best"}, "code_version": "1.0",
                "seed": 0,
            },
        )  # fmt: skip
    ListEntry.objects.update(features={"LM0": [-1.5], "d": [0, 2]}, segmentation=[[0, 1, 2]])
    return corpus, system, version


@pytest.fixture
def fetch(client, user, listed):
    client.force_login(user)
    return lambda kind: client.get(address(*listed, kind))


def address(corpus, system, version, kind):
    return reverse("decoding:download-lists", args=[corpus.pk, system.pk, version.pk, kind])


@pytest.mark.parametrize("kind", ["nbest", "nbest.gz", "jsonl", "jsonl.gz"])
def test_what_is_downloaded_can_be_uploaded_again(fetch, user, listed, tmp_path, kind):
    answer = fetch(kind)
    assert answer.streaming
    path = tmp_path / "lists"
    path.write_bytes(b"".join(answer.streaming_content))
    if kind.endswith(".gz"):
        gzip.decompress(path.read_bytes()).decode()
    bars = "a ||| b" if kind.startswith("jsonl") else "a &#124;&#124;&#124; b"
    texts = [[f"the house {number}", bars, "ein häuschen"] for number in range(1, SEGMENTS + 1)]
    assert [[entry.text for entry in one] for one in read_lists(path)] == texts
    corpus = listed[0]
    again = add_external_system(
        owner=user, name="again", source_language="de", target_language="en"
    )
    add_pool(again, corpus, read_lists(path), name="lists")
    maker = maker_for(again, corpus, make_recipe("Pooled", kind="pool-best", length=3))
    made = maker.make(2, "das haus 1")
    assert [one.text for one in made] == texts[1]
    assert [one.score for one in made] == [-1, -2, -3]
    assert made[0].features == {"LM0": [-1.5], "d": [0, 2]}


def test_json_lines_say_how_each_list_was_made(fetch, listed):
    corpus, _, version = listed
    lines = [json.loads(line) for line in fetch("jsonl").getvalue().splitlines()]
    assert len(lines) == 3 * SEGMENTS
    origin = lines[3].pop("list")
    made = version.lists.get(segment__number=2)
    assert origin == {
        "corpus": {"name": corpus.name, "checksum": corpus.checksum},
        "segment": 2,
        "source": "das haus 1",
        "references": ["the house 1", "house 1"],
        "system": {"name": "نظام", "checksum": "c" * 64},
        "recipe": {"name": "Three best", "version": 1, "settings": {"kind": "unique-best"}},
        "code_version": "1.0",
        "seed": 0,
        "job": None,
        "made_at": made.made_at.isoformat(),
    }
    assert lines[4] == {
        "sentence": 1, "text": "a ||| b", "features": {"LM0": [-1.5], "d": [0, 2]}, "score": -2,
        "rank": 2, "bleu1": None, "segmentation": [[0, 1, 2]],
    }  # fmt: skip


def test_lists_are_fetched_some_at_a_time(listed, django_assert_num_queries):
    lists = queries.lists_in_order(*listed)
    with django_assert_num_queries(4):  # places, lists with segments, entries, references
        assert next(lists)[0].segment.number == 1
    with django_assert_num_queries(0):
        assert [next(lists)[0].segment.number for _ in range(2)] == [2, 3]
    assert [made.segment.number for made, *_ in lists] == [4, 5, 6, 7]


def test_only_who_may_see_corpus_and_system_gets_them(client, colleague, listed, fetch):
    corpus, system, _ = listed
    assert fetch("nbest").status_code == 200
    assert fetch("exe").status_code == 404
    unused = make_recipe("unused")
    assert client.get(address(corpus, system, unused, "nbest")).status_code == 404
    client.force_login(colleague)
    assert client.get(address(*listed, "nbest")).status_code == 404
    client.logout()
    assert client.get(address(*listed, "nbest")).status_code == 302


def test_names_of_files_are_safe(fetch, user, listed):
    corpus, system, version = listed
    name = f"hauser-stalle.system-{system.pk}.three-best-v1.nbest.gz"
    assert fetch("nbest.gz")["Content-Disposition"] == f'attachment; filename="{name}"'
    corpus.name, system.name = '../../etc/"passwd\r\n' + "x" * 99, ""
    assert file_name(corpus, system, version, "jsonl").startswith("etcpasswd-xxxx")


def test_the_page_leads_to_the_files_of_both_recipes(client, user, listed):
    corpus, system, version = listed
    other = make_recipe("Three diverse")
    make_list(corpus.segments.first(), system, other, ["the house"])
    client.force_login(user)
    page = client.get(reverse("decoding:browse", args=[corpus.pk, system.pk])).content.decode()
    for one in (version, other):
        for kind in ("nbest", "nbest.gz", "jsonl", "jsonl.gz"):
            assert f'href="{address(corpus, system, one, kind)}"' in page


def test_the_command_writes_what_the_page_gives(fetch, listed, tmp_path, capsys):
    corpus = listed[0]

    def export(name, **options):
        call_command(
            "export_lists", corpus.name, tmp_path / name, owner="rosa", system="نظام",
            recipe="Three best", **options,
        )  # fmt: skip
        return (tmp_path / name).read_bytes()

    assert export("lists.nbest") == fetch("nbest").getvalue()
    assert "7 of 7 segments have lists by Three best, version 1" in capsys.readouterr().out
    assert export("lists.jsonl") == fetch("jsonl").getvalue()
    packed = gzip.decompress(export("lists.jsonl.gz", recipe_version=1))
    assert packed == fetch("jsonl").getvalue()
    reference = tmp_path / "reference"
    reference.write_text("".join(f"the house {n}\n" for n in range(1, SEGMENTS + 1)))
    call_command(
        "score", "--metric", "bleu1", "--nbest", str(tmp_path / "lists.nbest"), "--reference",
        str(reference),
    )  # fmt: skip
    assert "100.0" in capsys.readouterr().out
    with pytest.raises(
        InputError, match=r"Three best has no version 2\. Its newest is version 1\."
    ):
        export("x", recipe_version=2)
    with pytest.raises(InputError, match="cannot be written"):
        export("no/such/folder")
    listed[2].lists.all().delete()
    with pytest.raises(InputError, match=r"there are no lists of .* make_lists makes them"):
        export("x")
