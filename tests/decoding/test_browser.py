"""The lists browser: what is shown of two recipes' lists, by how many queries."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from decoding.models import Job, ListEntry, System, TranslationList
from decoding.queries.browser import (
    SideBySide,
    compared_pairs,
    quartile_bounds,
    quartile_of,
    remembered_bounds,
    remembered_count,
)
from decoding.queries.corpora import corpora_with_lists, lists_by_recipe
from evaluation.core.statistics.quartiles import quartiles
from tests.factories import make_corpus, make_list, make_recipe, make_system, make_tuning_run

pytestmark = pytest.mark.django_db

COUNT = 27


@pytest.fixture
def baseline():
    return make_recipe("best", kind="unique-best")


@pytest.fixture
def other():
    return make_recipe("diverse")


@pytest.fixture
def compared(user, baseline, other):
    """27 segments of 1 to 27 words; BLEU+1 in tens, many equal; a gain of -2 to +2."""
    return fill(user, baseline, other, COUNT)


def fill(user, baseline, other, count, **fields):
    corpus = make_corpus(
        user, [("wort " * n + "ende", ["the end"]) for n in range(count)], **fields
    )
    system = make_system(user)
    for segment in corpus.segments.all():
        bleu1 = float(segment.number * 7 % 5 * 10)
        make_list(segment, system, baseline, ["the end", "an end"], first_bleu1=bleu1,
                  oracle_bleu1=50.0, coverage=40.0)  # fmt: skip
        make_list(segment, system, other, ["the end", "it ends"], first_bleu1=bleu1,
                  oracle_bleu1=50.0, coverage=40.0 + segment.number % 5 - 2)  # fmt: skip
    return SideBySide(corpus, system, baseline, other)


def wanted(compared, **changes):
    return list(compared_pairs(replace(compared, **changes)).values_list("number", flat=True))


def test_quartiles_are_those_of_the_statistics(compared):
    segments = list(compared_pairs(compared))
    groups = quartiles([segment.bleu1 for segment in segments])
    bounds = quartile_bounds(compared)
    assert [
        quartile_of(bounds, s.bleu1, s.segment_id) - 1 for s in segments
    ] == groups.group.tolist()
    for quartile in (1, 2, 3, 4):
        assert wanted(compared, quartile=quartile) == [
            segments[member].number for member in groups.members(quartile - 1)
        ]


def test_quartiles_are_found_once_whatever_is_filtered(compared, django_assert_num_queries):
    bounds = remembered_bounds(compared)
    assert remembered_count(compared) == COUNT
    another = replace(compared, other=compared.baseline, quartile=2, gain="same", length="short")
    with django_assert_num_queries(0):
        assert remembered_bounds(another) == bounds
    assert remembered_count(another) == 1
    with django_assert_num_queries(4):
        assert remembered_bounds(replace(compared, baseline=compared.other)) == bounds


def test_few_segments_have_empty_quartiles(user, baseline, other):
    compared = fill(user, baseline, other, 2)
    assert [wanted(compared, quartile=quartile) for quartile in (1, 2, 3, 4)] == [[1], [2], [], []]


def test_sorting(compared):
    segments = {segment.number: segment for segment in compared_pairs(compared)}
    assert wanted(compared) == list(range(1, COUNT + 1))
    for sort, key in {
        "bleu1": lambda s: s.bleu1,
        "gain": lambda s: s.gain,
        "length": lambda s: s.length,
    }.items():
        rising = [segments[number] for number in wanted(compared, sort=sort)]
        assert rising == sorted(segments.values(), key=lambda s: (key(s), s.number))
        falling = [segments[number] for number in wanted(compared, sort=f"-{sort}")]
        assert falling == rising[::-1]


def test_filters(compared):
    assert wanted(compared, gain="more") == [n for n in range(1, COUNT + 1) if n % 5 > 2]
    assert wanted(compared, gain="same") == [n for n in range(1, COUNT + 1) if n % 5 == 2]
    assert wanted(compared, gain="less") == [n for n in range(1, COUNT + 1) if n % 5 < 2]
    assert wanted(compared, length="short") == [1, 2, 3, 4]
    assert wanted(compared, length="long") == [26, 27]
    assert len(wanted(compared, length="middle")) == COUNT - 6


def test_only_segments_with_both_lists_are_compared(compared):
    TranslationList.objects.filter(segment__number=3, recipe_version=compared.other).delete()
    assert 3 not in wanted(compared)


def test_the_pages(client, user, compared):
    client.force_login(user)
    address = reverse("decoding:browse", args=[compared.corpus.pk, compared.system.pk])
    page = client.get(address, {"sort": "-gain", "quartile": "1"})
    content = page.content.decode()
    assert "7 segments" in content
    assert page.context["wanted"].baseline == compared.baseline
    assert page.context["wanted"].other == compared.other
    first = page.context["rows"][0][1]
    place = reverse("decoding:compare", args=[compared.corpus.pk, compared.system.pk, 1])
    assert f'href="{place}?sort=-gain&amp;quartile=1"' in content
    segment = client.get(place, {"sort": "-gain", "quartile": "1"}).content.decode()
    assert f"<h1>Segment {first.number}</h1>" in segment
    assert "1 of 7" in segment
    assert '<ins class="new">it ends</ins>' in segment
    for beyond in ("99", "9" * 30):
        assert client.get(place.replace("/1/", f"/{beyond}/")).status_code == 404
    rest = client.get(address, {"sort": "nonsense", "page": "2", "quartile": "9"})
    assert "27 segments" in rest.content.decode(), "what makes no sense is left aside"


@pytest.mark.parametrize(
    ("number", "reached"),
    [("20", 20), ("3", 4), ("99", 27), ("9" * 5000, 27), ("0", 1), ("", 1), ("²", 1)],
)
def test_one_can_go_to_a_segment(client, user, compared, number, reached):
    client.force_login(user)
    TranslationList.objects.filter(segment__number=3, recipe_version=compared.other).delete()
    cache.clear()
    address = reverse("decoding:go-to-segment", args=[compared.corpus.pk, compared.system.pk])
    said = {"number": number, "display": "paper", "sort": "-gain", "quartile": "1"}
    page = client.get(address, said, follow=True)
    assert page.context["pair"].number == reached
    assert page.redirect_chain[0][0].endswith("/?display=paper")


def test_what_is_shown_is_prepared_and_what_is_kept_is_not(client, user, compared):
    client.force_login(user)
    entry = ListEntry.objects.filter(translation_list__segment__number=1).first()
    entry.text = "he said , &quot; the croûton &apos;s gone . &quot;"
    entry.save()
    place = reverse("decoding:compare", args=[compared.corpus.pk, compared.system.pk, 1])
    for display, shown in {
        "": entry.text,
        "readable": 'He said, "the croûton\'s gone."',
        "transliterated": 'He said, "the crouton\'s gone."',
        "paper": 'He said, "the croton\'s gone."',
    }.items():
        page = client.get(place, {"display": display})
        first = page.context["beside"].sides[0][1][0]
        assert "".join(span.text for span in first.spans) == shown
    entry.refresh_from_db()
    assert "&quot;" in entry.text


def test_how_lists_were_made_is_shown_to_who_asks(client, user, colleague, compared):
    client.force_login(user)
    jobs = [Job.objects.create(owner=one, kind="make-lists") for one in (user, colleague)]
    for job, version in zip(jobs, (compared.baseline, compared.other), strict=True):
        version.lists.update(
            job=job,
            provenance={
                "checksum": "0123456789abcdef" * 4, "recipe": {"kind": "diverse", "order": 7},
                "code_version": "1.2.3", "seed": 45,
            },
        )  # fmt: skip
    ListEntry.objects.filter(text="it ends").update(
        features={"LM0": [-31.25], "d": [0, -2]}, segmentation=[[2, 3, 1], [0, 0, 1]]
    )
    place = reverse("decoding:compare", args=[compared.corpus.pk, compared.system.pk, 1])
    page = client.get(place)
    shown = " ".join(page.content.decode().split())
    for fact in (
        "<bdi>0123456789abcdef</bdi>",
        "1.2.3",
        "<bdi>45</bdi>",
        "<dt>kind</dt>",
    ):
        assert shown.count(fact) == 2, fact
    assert f'<a href="{jobs[0].get_absolute_url()}">{jobs[0].pk}</a>' in shown
    assert jobs[1].get_absolute_url() not in shown, "nobody is led to what they may not see"
    assert "<dt>LM0</dt> <dd> -31.250 </dd>" in shown
    assert "<dt>d</dt> <dd> 0, -2 </dd>" in shown
    last = page.context["beside"].sides[1][1][1]
    assert last.phrases == [("it", "3–4"), ("ends", "1")]


def test_lists_are_written_in_the_corpus_s_direction(client, user, baseline, other):
    client.force_login(user)
    compared = fill(user, baseline, other, 1, target_language="ar", target_direction="rtl")
    place = reverse("decoding:compare", args=[compared.corpus.pk, compared.system.pk, 1])
    shown = " ".join(client.get(place).content.decode().split())
    assert shown.count('<p class="sentence differences" dir="rtl" lang="ar">') == 4


def test_what_was_trained_here_is_read_as_people_write(client, user, compared):
    client.force_login(user)
    ListEntry.objects.filter(translation_list__segment__number=1).update(text="the end , he said .")
    System.objects.update(kind="trained", checksum="c", storage_key="k")
    place = reverse("decoding:compare", args=[compared.corpus.pk, compared.system.pk, 1])
    assert "The end, he said." in client.get(place).content.decode()
    assert "the end , he said ." in client.get(place, {"display": ""}).content.decode()


def test_the_preview_says_where_nothing_is_left(client, user, compared):
    client.force_login(user)
    ListEntry.objects.filter(translation_list__segment__number=1).update(text="Путин молчит .")
    place = reverse("decoding:compare", args=[compared.corpus.pk, compared.system.pk, 1])
    assert "nothing is left of it" in client.get(place, {"display": "paper"}).content.decode()
    for display, shown in {"": "Путин молчит .", "transliterated": "Putin molchit."}.items():
        page = client.get(place, {"display": display}).content.decode()
        assert shown in page
        assert "nothing is left" not in page


@pytest.mark.parametrize("name", ["browse", "compare", "lists", "corpus", "system"])
def test_the_number_of_queries_does_not_grow(client, user, baseline, other, name):
    client.force_login(user)

    def queries(compared):
        pks = [compared.corpus.pk, compared.system.pk]
        arguments = {
            "browse": pks, "compare": [*pks, 1], "corpus": pks[:1], "system": pks[1:],
        }.get(name, [])  # fmt: skip
        with CaptureQueriesContext(connection) as found:
            assert client.get(reverse(f"decoding:{name}", args=arguments)).status_code == 200
        return len(found)

    one = fill(user, baseline, other, 1)
    queries(one)  # content types are looked up once a process
    cache.clear()
    at_one = queries(one)
    many = fill(user, baseline, other, 100)
    assert queries(many) == at_one


LISTED = {
    "decoding:lists": lambda owner, version: make_list(
        make_corpus(owner).segments.first(), make_system(owner), version, ["a"]
    ),
    "decoding:corpora": lambda owner, version: make_corpus(owner),
    "decoding:systems": lambda owner, version: make_system(owner),
    "decoding:recipes": lambda owner, version: make_recipe(),
    "decoding:jobs": lambda owner, version: Job.objects.create(owner=owner, kind="self-test"),
    "decoding:tuning": lambda owner, version: make_tuning_run(
        owner, make_corpus(owner), make_system(owner), n4_01=31.5
    ),
    "admin:decoding_recipe_changelist": lambda owner, version: make_recipe(),
}


@pytest.mark.parametrize("name", LISTED)
def test_a_table_of_a_hundred_asks_as_often_as_one_of_one(client, administrator, baseline, name):
    client.force_login(administrator)

    def queries():
        with CaptureQueriesContext(connection) as found:
            assert client.get(reverse(name)).status_code == 200
        return len(found)

    LISTED[name](administrator, baseline)
    queries()
    at_one = queries()
    for _ in range(99):
        LISTED[name](administrator, baseline)
    assert queries() == at_one


def test_lists_are_shown_some_corpora_at_a_time(client, user, colleague, baseline):
    client.force_login(user)
    hidden = make_corpus(colleague)
    make_list(hidden.segments.first(), make_system(user), baseline, ["a"])
    mine = make_corpus(user, name="zz mine")
    make_list(mine.segments.first(), make_system(colleague), baseline, ["a"])
    assert "No lists yet" in client.get(reverse("decoding:lists")).content.decode()
    for _ in range(26):
        make_list(make_corpus(user).segments.first(), make_system(user), baseline, ["a"])
    first, second = (client.get(reverse("decoding:lists"), {"page": n}).context for n in (1, 2))
    assert (len(first["lists"]), len(second["lists"])) == (25, 1)
    make_list(mine.segments.first(), make_system(user, name="a"), baseline, ["a"])
    shown = client.get(reverse("decoding:lists"), {"page": 2}).context["lists"]
    assert [(one.corpus, one.system.name) for one in shown][1:] == [(mine, "a")]


def test_few_lists_are_counted_and_many_remembered(user, baseline, monkeypatch):
    corpus, system = make_corpus(user), make_system(user)
    first, second = corpus.segments.all()

    def counted():
        return [
            [count for _, count in one.recipes]
            for one in lists_by_recipe(user, corpora_with_lists(user, system), system)
        ]

    assert counted() == []
    make_list(first, system, baseline, ["a"])
    assert counted() == [[1]]
    monkeypatch.setattr("decoding.queries.corpora._MANY", 2)
    assert counted() == [[1]]
    made = make_list(second, system, baseline, ["a"])
    assert counted() == [[2]]
    made.delete()
    assert counted() == [[2]], "as it was half a minute ago"
    cache.clear()
    assert counted() == [[1]]
