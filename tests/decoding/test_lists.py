"""Making lists: from what was uploaded, in parts, each list once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from decoding import makers
from decoding.actions import jobs as job_actions
from decoding.actions.jobs import claim_job, retry_job
from decoding.actions.lists import ask_again, ask_for_lists
from decoding.actions.sharing import share_with
from decoding.actions.systems import add_external_system, add_pool
from decoding.core.formats.nbest import NBestEntry
from decoding.jobs import run_claimed
from decoding.models import FailedSegment, Job, ListEntry, TranslationList
from decoding.queries.jobs import failures_on_page
from decoding.queries.lists import segments_without
from evaluation.core.errors import InputError, VariorumError
from tests.factories import make_corpus, make_list, make_recipe

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

SEGMENTS = [(f"satz {number}", [f"this is sentence {number}"]) for number in range(1, 31)]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)
    monkeypatch.setattr("decoding.parts.announce", lambda *keys: None)


@pytest.fixture
def corpus(user):
    return make_corpus(user, SEGMENTS)


@pytest.fixture
def system(user, corpus):
    system = add_external_system(
        owner=user, name="elsewhere", source_language="de", target_language="en"
    )
    lists = [
        [
            NBestEntry(number, f"this is {number + 1}", {"lm": (-1.5,)}, -1.0),
            NBestEntry(number, f"this is {number + 1}", {"lm": (-1.6,)}, -1.2),
            NBestEntry(number, f"sentence {number + 1}", {"lm": (-2.5,)}, -2.0),
            NBestEntry(number, f"it is {number + 1}", {"lm": (-3.5,)}, -3.0),
        ]
        for number in range(30)
    ]
    add_pool(system, corpus, lists, name="nbest.gz")
    return system


@pytest.fixture
def two_best():
    return make_recipe(kind="pool-best", length=2)


def run(job: Job) -> Job:
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    return job


def facts_of(page: str) -> dict[str, str]:
    found = re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", page, flags=re.DOTALL)
    return {name.strip(): re.sub(r"<[^>]+>", "", said).strip() for name, said in found}


def test_lists_of_a_pool(user, corpus, system, two_best, settings):
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    assert (job.state, job.error) == ("done", "")
    assert (job.done, job.total) == (30, 30)
    assert job.result == {"lists made": 30, "lists failed": 0}
    assert not Job.objects.exclude(pk=job.pk).exists()
    made = TranslationList.objects.get(segment__number=7)
    assert list(made.entries.values_list("rank", "text", "score", "features")) == [
        (1, "this is 7", -1.0, {"lm": [-1.5]}),
        (2, "sentence 7", -2.0, {"lm": [-2.5]}),
    ]
    assert made.provenance == {
        "checksum": system.pools.get().checksum,
        "recipe": two_best.settings,
        "code_version": settings.DECODER_VERSION,
        "seed": 0,
    }
    assert made.job == job


def test_a_job_says_by_name_what_it_was_asked_for_with(
    client, user, colleague, corpus, system, two_best
):
    job = ask_for_lists(corpus, system, [two_best], owner=user, segments=range(1, 15))
    client.force_login(user)
    page = client.get(job.get_absolute_url()).content.decode()
    for one in (corpus, system, two_best):
        assert f'<a href="{one.get_absolute_url()}">{one}</a>' in page
    assert "1 to 14" in page
    scattered = ask_for_lists(corpus, system, [two_best], owner=user, segments=range(1, 30, 2))
    page = client.get(scattered.get_absolute_url()).content.decode()
    assert "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 3 others" in page
    share_with(job, user=colleague, role="viewer")
    client.force_login(colleague)
    page = client.get(job.get_absolute_url()).content.decode()
    assert corpus.get_absolute_url() not in page
    assert "1 that you may not see" in page


def test_figures_are_those_of_the_metrics(user, corpus, system, two_best):
    from sacrebleu import sentence_bleu

    run(ask_for_lists(corpus, system, [two_best], owner=user))
    made = TranslationList.objects.get(segment__number=3)
    expected = [
        sentence_bleu(text, ["this is sentence 3"], smooth_method="add-k", tokenize="none").score
        for text in ("this is 3", "sentence 3")
    ]
    assert list(made.entries.values_list("bleu1", flat=True)) == pytest.approx(expected)
    assert made.first_bleu1 == pytest.approx(expected[0])
    assert made.oracle_bleu1 == pytest.approx(max(expected))
    # Matches and n-grams of orders 1 to 4, and the lengths of translation and reference.
    assert made.statistics["first"] == [3, 1, 0, 0, 3, 2, 1, 0, 3, 4]
    assert made.statistics["oracle"] == made.statistics["first"]
    # 4 of 4 words; of 3, 2 and 1 longer n-grams "this is", "sentence 3": 3/4, 1/3, 1/2.
    assert made.coverage == pytest.approx(100 * (1 * 3 / 4 * 1 / 3 * 1 / 2) ** 0.25)


@pytest.mark.parametrize(
    ("language", "translation", "reference"),
    [
        ("en", "The house, it is big.", "The house , it is big ."),
        ("en", "The house , it is big .", "The house, it is big."),
        ("zh", "房子很大。", "房 子 很 大 。"),
    ],
)
def test_uploaded_text_is_compared_word_by_word(user, two_best, language, translation, reference):
    corpus = make_corpus(user, [("das haus", [reference])], target_language=language)
    system = add_external_system(
        owner=user, name="neural", source_language="de", target_language=language
    )
    add_pool(system, corpus, [[NBestEntry(0, translation)]], name="plain.txt")
    run(ask_for_lists(corpus, system, [two_best], owner=user))
    made = TranslationList.objects.get()
    assert made.entries.get().text == translation
    assert made.first_bleu1 > 60
    assert made.coverage > 60


def test_uploaded_text_without_blanks_is_diversified_word_by_word(user):
    corpus = make_corpus(user, [("das haus", ["房 子"])], target_language="zh")
    system = add_external_system(
        owner=user, name="neural", source_language="de", target_language="zh"
    )
    pool = ["房子很大。", "房 子 很 大 。", "房子很大了。", "那个屋子大。"]
    add_pool(
        system, corpus, [[NBestEntry(0, text, {}, -n) for n, text in enumerate(pool)]], name="p.txt"
    )
    diverse = make_recipe(kind="pool-diverse", length=2, order=2, penalty=1.0)
    run(ask_for_lists(corpus, system, [diverse], owner=user))
    entries = TranslationList.objects.get().entries.order_by("rank")
    assert [entry.text for entry in entries] == [pool[0], pool[3]]


def test_a_corpus_without_references_has_lists_without_figures(user, two_best):
    corpus = make_corpus(user, [("ein haus", [])])
    system = add_external_system(
        owner=user, name="elsewhere", source_language="de", target_language="en"
    )
    add_pool(system, corpus, [[NBestEntry(0, "a house")]], name="plain.txt")
    run(ask_for_lists(corpus, system, [two_best], owner=user))
    made = TranslationList.objects.get()
    assert (made.first_bleu1, made.oracle_bleu1, made.coverage) == (None, None, None)
    assert (made.entries.get().bleu1, made.entries.get().score) == (None, None)


def test_what_exists_costs_nothing(user, corpus, system, two_best, monkeypatch):
    run(ask_for_lists(corpus, system, [two_best], owner=user, segments=range(1, 11)))
    assert TranslationList.objects.count() == 10
    before = set(TranslationList.objects.values_list("pk", flat=True))
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    assert (job.total, job.result) == (20, {"lists made": 20, "lists failed": 0})
    assert before < set(TranslationList.objects.values_list("pk", flat=True))

    def make(*args, **how):
        raise AssertionError("made again")

    monkeypatch.setattr(makers, "_from_pool", make)
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    assert (job.state, job.total) == ("done", 0)


def test_asking_twice_while_it_is_made_gives_the_same_job(user, corpus, system, two_best):
    first = ask_for_lists(corpus, system, [two_best], owner=user)
    assert ask_for_lists(corpus, system, [two_best], owner=user) == first
    assert ask_for_lists(corpus, system, [two_best], owner=user, segments=[1]) != first


def test_who_does_not_see_the_corpus_any_more_cannot_try_again(
    client, user, colleague, corpus, system, two_best
):
    for owned in (corpus, system):
        share_with(owned, user=colleague, role="viewer")
    job = ask_for_lists(corpus, system, [two_best], owner=colleague)
    job_actions.cancel_job(job)
    corpus.shares.all().delete()
    client.force_login(colleague)
    retry = reverse("decoding:job-retry", args=[job.pk])
    page = client.post(retry, follow=True)
    assert "no longer shared with its owner" in page.content.decode()
    job.refresh_from_db()
    assert job.state == "cancelled"
    share_with(corpus, user=colleague, role="viewer")
    client.post(retry)
    job.refresh_from_db()
    assert job.state == "queued"


def test_what_was_shared_and_taken_back_is_not_worked_on(user, colleague, corpus, system, two_best):
    for owned in (corpus, system):
        share_with(owned, user=colleague, role="viewer")
    job = ask_for_lists(corpus, system, [two_best], owner=colleague)
    corpus.shares.all().delete()
    run(job)
    assert (job.state, job.done) == ("failed", 0)
    assert "no longer shared with its owner" in job.error
    assert not TranslationList.objects.exists()
    share_with(corpus, user=colleague, role="viewer")
    job_actions.retry_job(job)
    assert run(job).result == {"lists made": 30, "lists failed": 0}


def test_a_long_title_is_cut(user):
    job = job_actions.submit_job("self-test", owner=user, parameters={}, title="x" * 300)
    job.refresh_from_db()
    assert job.title == "x" * 200


def test_a_corpus_without_references_may_be_for_another_language(client, user, system):
    other = make_corpus(user, [("satz", [])], target_language="fr")
    client.force_login(user)
    assert (
        other
        in client.get(reverse("decoding:upload", args=[system.pk]))
        .context["form"]
        .fields["corpus"]
        .queryset
    )


def test_a_reference_of_which_no_word_is_left_is_none(user, system, two_best):
    odd = make_corpus(user, [("ein haus", ["a house"]), ("das haus", ["\x01"])])
    add_pool(system, odd, [[NBestEntry(0, "a house")], [NBestEntry(1, "the house")]], name="x")
    job = run(ask_for_lists(odd, system, [two_best], owner=user))
    assert job.result == {"lists made": 2, "lists failed": 0}
    made = TranslationList.objects.filter(corpus=odd).order_by("segment__number")
    assert [one.coverage for one in made] == [pytest.approx(100), None]


def test_from_a_segment_that_there_is_not(client, user, corpus, system, two_best):
    client.force_login(user)
    page = client.post(
        reverse("decoding:make-lists", args=[system.pk]),
        {"corpus": corpus.pk, "recipes": [two_best.pk], "first": 31},
    )
    assert page.status_code == 422
    assert "The corpus has segments from 1 to 30." in page.content.decode()


def test_some_segments_are_kept_in_few_words(user, corpus, system, two_best):
    job = ask_for_lists(corpus, system, [two_best], owner=user, segments=[*range(10, 20), 3])
    assert job.parameters["segments"] == [[3, 3], [10, 19]]
    assert run(job).total == 11
    made = TranslationList.objects.values_list("segment__number", flat=True)
    assert sorted(made) == [3, *range(10, 20)]


def test_a_job_that_an_older_version_queued_is_done(user, corpus, system, two_best):
    job = ask_for_lists(corpus, system, [two_best], owner=user)
    Job.objects.update(parameters=job.parameters | {"segments": [3, 10, 11]})
    assert run(job).total == 3
    assert ask_again(job, owner=user).parameters["segments"] == [[3, 3], [10, 11]]


def test_no_number_of_segments_is_too_many_to_ask_for(user, corpus, system, two_best):
    every_other = range(1, 600_000, 2)
    assert len(segments_without(corpus, system.pk, [two_best.pk], every_other)) == 15
    missing = segments_without(corpus, system.pk, [two_best.pk], range(29, 1_000_000))
    assert missing == list(corpus.segments.filter(number__gte=29).values_list("pk", flat=True))


def test_a_running_jobs_page_is_renewed_without_its_parameters(
    client, user, corpus, system, two_best
):
    job = ask_for_lists(corpus, system, [two_best], owner=user)
    client.force_login(user)
    with CaptureQueriesContext(connection) as asked:
        client.get(job.get_absolute_url(), headers={"HX-Request": "true"})
    assert not [one["sql"] for one in asked if '"parameters"' in one["sql"]]


def test_a_bad_segment_fails_alone_and_can_be_tried_again(
    client, user, administrator, corpus, system, two_best, monkeypatch
):
    real = makers._from_pool

    def make(folder, version, number, source, **how):
        if number == 4:
            raise InputError("the sentence has 2000 words", hint="Split it.")
        if number == 5:
            raise ZeroDivisionError
        if number == 6:
            return []
        return real(folder, version, number, source, **how)

    monkeypatch.setattr(makers, "_from_pool", make)
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    assert job.state == "done"
    assert job.result == {"lists made": 27, "lists failed": 3}
    assert dict(FailedSegment.objects.values_list("segment__number", "reason")) == {
        4: "the sentence has 2000 words. Split it.",
        5: "Something happened that Variorum did not foresee (ZeroDivisionError).",
        6: "The system found no translation.",
    }
    monkeypatch.setattr(makers, "_from_pool", real)
    kept = dict(FailedSegment.objects.values_list("segment__number", "traceback"))
    assert (kept[4], kept[6]) == ("", "")
    client.force_login(administrator)
    assert "raise ZeroDivisionError" in client.get(job.get_absolute_url()).content.decode()
    client.force_login(user)
    page = client.get(job.get_absolute_url()).content.decode()
    assert "the sentence has 2000 words" in page
    assert "raise ZeroDivisionError" not in page
    answer = client.post(reverse("decoding:job-again", args=[job.pk]))
    again = run(Job.objects.exclude(pk=job.pk).get())
    assert answer["Location"] == again.get_absolute_url()
    assert (
        reverse("decoding:browse", args=[corpus.pk, system.pk])
        in client.get(again.get_absolute_url()).content.decode()
    )
    assert (again.total, again.result) == (3, {"lists made": 3, "lists failed": 0})


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_job_that_was_broken_off_says_what_it_made(client, user, corpus, system, two_best, state):
    job = ask_for_lists(corpus, system, [two_best], owner=user)
    Job.objects.filter(pk=job.pk).update(state=state, finished_at=Now())
    make_list(corpus.segments.first(), system, two_best, ["a"], job=job)
    FailedSegment.objects.bulk_create(
        FailedSegment(job=job, segment=segment, recipe_version=two_best, reason="too long")
        for segment in corpus.segments.all()[1:4]
    )
    assert failures_on_page(job, most=2).count == 3
    client.force_login(user)
    page = client.get(job.get_absolute_url()).content.decode()
    assert facts_of(page)["lists made"] == "1"
    assert facts_of(page)["lists failed"] == "3"
    assert "The first" not in page


def test_of_many_failed_segments_the_first_hundred_are_shown(client, user, system, two_best):
    corpus = make_corpus(user, [(f"satz {number}", []) for number in range(1, 1302)])
    job = Job.objects.create(kind="make-lists", owner=user, state="cancelled", finished_at=Now())
    FailedSegment.objects.bulk_create(
        FailedSegment(job=job, segment=segment, recipe_version=two_best, reason="too long")
        for segment in corpus.segments.all()
    )
    client.force_login(user)
    page = client.get(job.get_absolute_url()).content.decode()
    assert "The first 100 of 1,301" in page
    assert facts_of(page)["lists failed"] == "1,301"
    assert page.count("too long") == 100


def test_who_may_not_see_the_corpus_cannot_try_its_missing_lists_again(
    client, user, colleague, corpus, system, two_best
):
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    share_with(job, user=colleague, role="editor")
    client.force_login(colleague)
    again = reverse("decoding:job-again", args=[job.pk])
    for one in (corpus, system):
        page = client.post(again, follow=True).content.decode()
        assert "Ask the job&#x27;s owner to share both with you." in page
        assert Job.objects.get() == job
        share_with(one, user=colleague, role="viewer")
    client.post(again)
    assert Job.objects.exclude(pk=job.pk).get().owner == colleague


def test_a_full_disk_fails_the_job_and_no_segment(user, corpus, system, two_best, monkeypatch):
    def make(*args, **how):
        Path("/dev/full").write_text("a file that it takes")

    monkeypatch.setattr(makers, "_from_pool", make)
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    assert job.state == "failed"
    assert "The disk of the folder " in job.error
    assert not FailedSegment.objects.exists()


def test_a_list_that_somebody_made_meanwhile_stays(user, corpus, system, two_best, monkeypatch):
    real = makers._from_pool

    def make(folder, version, number, source, **how):
        if number == 2:
            make_list(corpus.segments.get(number=2), system, two_best, ["theirs"])
        return real(folder, version, number, source, **how)

    monkeypatch.setattr(makers, "_from_pool", make)
    job = run(ask_for_lists(corpus, system, [two_best], owner=user))
    assert job.result == {"lists made": 29, "lists failed": 0}
    assert TranslationList.objects.count() == 30
    assert [e.text for e in ListEntry.objects.filter(translation_list__segment__number=2)] == [
        "theirs"
    ]


def test_a_failed_part_fails_the_whole_and_is_tried_again(
    user, corpus, system, two_best, monkeypatch
):
    from decoding.tasks import lists

    job = ask_for_lists(corpus, system, [two_best], owner=user)
    real = lists.save_lists

    def save(made, job, system):
        if made[0].segment.number > 20:
            raise VariorumError("The disk is full.")
        real(made, job, system)

    monkeypatch.setattr(lists, "save_lists", save)
    assert run(job).state == "failed"
    assert job.error == "The disk is full."
    assert TranslationList.objects.count() == job.done == 20
    monkeypatch.setattr(lists, "save_lists", real)
    retry_job(job)
    assert run(job).state == "done"
    assert (job.done, job.total, TranslationList.objects.count()) == (30, 30, 30)


@pytest.mark.parametrize(
    ("kind", "external", "why"),
    [
        ("diverse", True, "cannot decode"),
        ("pool-best", False, "has none"),
        ("pool-best", True, "Upload them first"),
    ],
)
def test_what_cannot_be_made_is_refused_at_once(user, corpus, kind, external, why):
    from tests.factories import make_system

    content = {} if external else {"kind": "imported", "checksum": "c", "storage_key": "k"}
    system = make_system(user, **content)
    with pytest.raises(VariorumError, match=why):
        ask_for_lists(corpus, system, [make_recipe(kind=kind)], owner=user)
    assert not Job.objects.exists()
