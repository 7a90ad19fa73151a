"""Corpora that come and go: small ones at once, large ones by a job."""

from __future__ import annotations

import json

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from decoding.actions import corpora as importing
from decoding.actions import deletion
from decoding.actions import jobs as job_actions
from decoding.actions.jobs import cancel_job, claim_job, retry_job
from decoding.jobs import JobRun, run_claimed
from decoding.models import Corpus, Job, Reference, Segment, TranslationList
from studies.models import Study
from tests.factories import make_corpus, make_list, make_recipe, make_system

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)


@pytest.fixture(autouse=True)
def small_requests(monkeypatch):
    monkeypatch.setattr(importing, "MOST_IN_A_REQUEST", 2)
    monkeypatch.setattr(deletion, "MOST_IN_A_REQUEST", 2)
    monkeypatch.setattr(importing, "_ROWS", 2)


@pytest.fixture
def client(client, user):
    client.force_login(user)
    return client


def upload(client, *segments: dict, name: str = "news"):
    content = "".join(json.dumps(one) + "\n" for one in segments)
    return client.post(
        reverse("decoding:add-corpus"),
        {
            "name": name, "source_language": "de", "target_language": "en", "format": "jsonl",
            "source": SimpleUploadedFile("a.jsonl", content.encode()), "licence": "CC0",
        },
    )  # fmt: skip


SEGMENTS = [
    {"source": "das haus", "references": ["the house", "", "the home"], "document": "d"},
    {"source": "die tür"},
    {"source": "ein haus", "references": ["a\thouse \\ \"home\""]},
]  # fmt: skip


def run(job: Job) -> Job:
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    return job


def kept() -> set[str]:
    return {key for part in default_storage.listdir("kept")[0] for key in _names(f"kept/{part}")}


def _names(folder: str) -> list[str]:
    return [f"{folder}/{name}" for name in default_storage.listdir(folder)[1]]


@pytest.fixture
def stored():
    """What the storage held before."""
    default_storage.save("kept/00/x", SimpleUploadedFile("x", b"x"))
    return kept()


def test_a_large_corpus_is_written_by_a_job(client, user, stored):
    job = Job.objects.get() if upload(client, *SEGMENTS).status_code == 302 else None
    assert job.title == "Import news"
    assert not Corpus.objects.exists()
    assert kept() > stored
    shown = client.get(job.get_absolute_url()).content.decode()
    assert "CC0" in shown
    assert job.parameters["upload"][0] not in shown
    assert (run(job).state, job.error) == ("done", "")
    assert (job.done, job.total) == (3, 3)
    corpus = Corpus.objects.get()
    assert (corpus.owner, corpus.name, corpus.licence) == (user, "news", "CC0")
    assert (corpus.segment_count, corpus.most_references) == (3, 2)
    assert list(corpus.segments.values_list("number", "source", "length", "document")) == [
        (1, "das haus", 2, "d"), (2, "die tür", 2, ""), (3, "ein haus", 2, ""),
    ]  # fmt: skip
    assert list(Reference.objects.values_list("segment__number", "number", "text")) == [
        (1, 1, "the house"), (1, 3, "the home"), (3, 1, "a\thouse \\ \"home\""),
    ]  # fmt: skip
    assert kept() == stored, "the upload has served"
    page = client.get(job.get_absolute_url())
    assert page.context["outcome"].address == corpus.get_absolute_url()


def test_small_and_large_give_the_same_checksum(client, monkeypatch):
    upload(client, *SEGMENTS)
    run(Job.objects.get())
    monkeypatch.setattr(importing, "MOST_IN_A_REQUEST", 3)
    upload(client, *SEGMENTS, name="other")
    assert Corpus.objects.values("checksum").distinct().count() == 1


def test_a_bad_large_corpus_is_refused_at_once(client, stored):
    answer = upload(client, *SEGMENTS, {"source": " "})
    assert answer.status_code == 422
    assert "a.jsonl:4: the source is empty" in answer.content.decode()
    assert not Job.objects.exists()
    assert kept() == stored


def test_a_name_that_is_there_is_refused_at_once(client, user, stored):
    make_corpus(user, name="news")
    answer = upload(client, *SEGMENTS)
    assert answer.status_code == 422
    assert "you have a corpus named news already" in answer.content.decode()
    assert kept() == stored


def test_a_name_that_was_taken_meanwhile_gets_a_number(client, user):
    upload(client, *SEGMENTS)
    make_corpus(user, name="news")
    run(Job.objects.get())
    assert Corpus.objects.filter(name="news (2)").exists()


def test_a_second_click_gives_the_same_job_and_another_corpus_its_own(client, stored):
    first, again = upload(client, *SEGMENTS), upload(client, *SEGMENTS)
    assert first["Location"] == again["Location"]
    upload(client, *SEGMENTS, name="other")
    one, other = Job.objects.order_by("pk")
    run(one)
    assert run(other).state == "done", "its upload went with the first job's"
    assert kept() == stored


def test_a_job_that_was_cancelled_on_its_way_leaves_nothing_and_goes_on(client, monkeypatch):
    upload(client, *SEGMENTS)
    job = Job.objects.get()
    check, seen = JobRun.check, []

    def cancelled_at_the_second_batch(self):
        if Segment.objects.exists():
            seen.append(Corpus.objects.count())
            cancel_job(job)
            self.beat()
        check(self)

    with monkeypatch.context() as patched:
        patched.setattr(JobRun, "check", cancelled_at_the_second_batch)
        assert run(job).state == "cancelled"
    assert seen
    assert not Corpus.objects.exists()
    assert not Segment.objects.exists()
    retry_job(job)
    assert run(job).state == "done"
    assert Segment.objects.count() == 3


def test_a_worker_that_died_after_the_last_piece_left_nothing_to_do(client, stored):
    upload(client, *SEGMENTS)
    job = Job.objects.get()
    run(job)
    Job.objects.update(state="queued", finished_at=None, claim=None)
    assert run(job).state == "done"
    assert Corpus.objects.count() == 1


@pytest.mark.parametrize("of", ["corpus", "system"])
def test_what_is_large_is_deleted_by_a_job(client, user, of):
    corpus = make_corpus(user, [("ein haus", ["a house"])] * 2)
    system = make_system(user)
    for segment in corpus.segments.all():
        for version in (make_recipe(), make_recipe()):
            make_list(segment, system, version, ["a house", "one house"])
    owned = {"corpus": corpus, "system": system}[of]
    answer = client.post(reverse(f"decoding:delete-{of}", args=[owned.pk]))
    job = Job.objects.get(kind=f"delete-{of}")
    assert answer["Location"] == job.get_absolute_url()
    assert TranslationList.objects.count() == 4
    assert run(job).result == {"deleted": owned.name}
    assert not TranslationList.objects.exists()
    assert not type(owned).objects.exists()
    assert client.get(job.get_absolute_url()).status_code == 200


def test_a_study_that_came_meanwhile_keeps_a_large_corpus(client, user):
    corpus = make_corpus(user, [("ein haus", ["a house"])] * 3)
    client.post(reverse("decoding:delete-corpus", args=[corpus.pk]))
    Study.objects.create(owner=user, name="Mine", corpus=corpus)
    job = run(Job.objects.get())
    assert (job.state, job.done) == ("failed", 0)
    assert "cannot be deleted, for it is needed by: Mine." in job.error
    assert corpus.segments.count() == 3


def test_pages_hold_the_segments_in_order(client, user):
    corpus = make_corpus(user, [(f"satz {number}", [f"line {number}"]) for number in range(1, 61)])
    address = corpus.get_absolute_url()
    wanted = {"": range(1, 26), "?page=2": range(26, 51), "?page=3": range(51, 61)}
    for page, numbers in wanted.items():
        shown = client.get(address + page).context["page"]
        assert [segment.source for segment in shown] == [f"satz {number}" for number in numbers]
        assert shown.paginator.num_pages == 3
    assert [segment.number for segment in client.get(address + "?page=99").context["page"]] == list(
        range(51, 61)
    )
