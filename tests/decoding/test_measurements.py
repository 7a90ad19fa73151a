"""BLEU of a system on a corpus, and of two systems against each other."""

from __future__ import annotations

import pytest
import sacrebleu
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from decoding.actions import jobs as job_actions
from decoding.actions.jobs import claim_job
from decoding.actions.measurements import ask_for_comparison, ask_for_measurement
from decoding.actions.systems import add_pool
from decoding.core.formats.nbest import NBestEntry
from decoding.jobs import WorkerStops, run_claimed
from decoding.models import (
    Comparison,
    Job,
    Measurement,
    Recipe,
    Share,
    TranslationList,
)
from decoding.queries.lists import version_for_best
from decoding.tasks import measurements
from evaluation.core.errors import VariorumError
from tests.decoding.test_playground import small  # noqa: F401 - a fixture
from tests.factories import make_corpus, make_list, make_recipe, make_system

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

SEGMENTS = [
    ("das haus", ["the house", "the home"]), ("haus", []), ("haus das", ["the home is that"]),
    ("das haus das haus das", ["the house the house that"]),
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)
    monkeypatch.setattr("decoding.parts.announce", lambda *keys: None)


@pytest.fixture
def corpus(user):
    return make_corpus(user, SEGMENTS, name="test")


@pytest.fixture
def external(user, corpus):
    """A system that says what the references say, but for one sentence that it leaves out."""
    system = make_system(user, name="external")
    make_recipe("Pool's best", kind="pool-best", length=1)
    texts = ["the house", "home", "the home is that", "a"]
    add_pool(
        system, corpus, [[NBestEntry(n, text, {}, 0.0)] for n, text in enumerate(texts)], name="x"
    )
    return system


def run(job: Job) -> Job:
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    assert (job.state, job.error) == ("done", "")
    return job


def first_translations(corpus, system) -> list[str]:
    lists = TranslationList.objects.filter(corpus=corpus, system=system)
    return [one.entries.first().text for one in lists.order_by("segment__number")]


def test_bleu_is_sacrebleus_of_the_first_translations(user, corpus, small):  # noqa: F811
    run(ask_for_measurement(small, corpus, owner=user))
    measured = Measurement.objects.get()
    texts = first_translations(corpus, small)
    streams = [
        ["the house", "the home is that", "the house the house that"],
        ["the home", None, None],
    ]
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    known = metric.corpus_score([texts[0], *texts[2:]], streams).score
    assert measured.bleu == pytest.approx(known)
    assert measured.signature == str(metric.get_signature())
    assert (measured.segments, measured.untranslated) == (3, 0)


def test_lists_that_are_there_are_used(user, corpus, small):  # noqa: F811
    version = Recipe.objects.get(name="Five best").newest
    with transaction.atomic():
        for segment in corpus.segments.all():
            make_list(segment, small, version, ["the house the house that"])
    job = run(ask_for_measurement(small, corpus, owner=user))
    assert job.total == 0
    assert Measurement.objects.get().bleu > 0
    assert TranslationList.objects.count() == 4


def test_what_was_made_is_measured_whatever_is_made_meanwhile(
    user,
    corpus,
    small,  # noqa: F811
    monkeypatch,
):
    other = make_recipe("Best of others", kind="unique-best", length=1)
    real = measurements.share_lists

    def share_lists(*args):
        real(*args)
        for segment in corpus.segments.all():
            make_list(segment, small, other, ["x"])
        TranslationList.objects.filter(segment__number=2).exclude(recipe_version=other).delete()

    monkeypatch.setattr(measurements, "share_lists", share_lists)
    run(ask_for_measurement(small, corpus, owner=user))
    assert version_for_best(small, corpus) == other
    assert Measurement.objects.get().bleu > 0


def test_a_measurement_goes_on_with_the_recipe_that_it_began_with(
    user,
    corpus,
    small,  # noqa: F811
    monkeypatch,
):
    def stop(*args):
        raise WorkerStops

    job = ask_for_measurement(small, corpus, owner=user)
    with monkeypatch.context() as stopping:
        stopping.setattr("decoding.parts._work_off", stop)
        run_claimed(claim_job(job.pk))
    other = make_recipe("Best of others", kind="unique-best", length=1)
    make_list(corpus.segments.first(), small, other, ["x"])
    assert version_for_best(small, corpus) == other
    run(job)
    assert Measurement.objects.get().untranslated == 0


def test_raw_text_is_measured_as_it_is_read(user, small):  # noqa: F811
    corpus = make_corpus(user, [("das haus", ["The house."])])
    run(ask_for_measurement(small, corpus, owner=user))
    assert "tok:13a" in Measurement.objects.get().signature


def test_two_systems_compared(user, corpus, small, external):  # noqa: F811
    made = ask_for_comparison(small, external, corpus, owner=user)
    assert ask_for_comparison(small, external, corpus, owner=user) == made
    run(made.job)
    made.refresh_from_db()
    result = made.result
    assert result["bleu"][1] - result["bleu"][0] == pytest.approx(result["difference"]["estimate"])
    for system, bleu in zip((small, external), result["bleu"], strict=True):
        run(ask_for_measurement(system, corpus, owner=user))
        assert Measurement.objects.get(system=system).bleu == pytest.approx(bleu)
    worse = [one["number"] for one in result["first_better"]]
    better = [one["number"] for one in result["second_better"]]
    assert worse == [4]
    assert better == [3]
    assert result["second_better"][0]["second"] == "the home is that"


def test_what_cannot_be_compared(user, corpus, small, external):  # noqa: F811
    with pytest.raises(VariorumError, match="with itself"):
        ask_for_comparison(small, small, corpus, owner=user)
    bare = make_corpus(user, [("das", [])])
    with pytest.raises(VariorumError, match="no references"):
        ask_for_comparison(small, external, bare, owner=user)
    french = make_corpus(user, source_language="fr")
    with pytest.raises(VariorumError, match="Choose a corpus of the same languages"):
        ask_for_measurement(small, french, owner=user)
    with pytest.raises(VariorumError, match="Upload them first"):
        ask_for_measurement(external, make_corpus(user), owner=user)
    assert not Job.objects.exists()


def test_measured_on_the_systems_page(client, user, corpus, small):  # noqa: F811
    client.force_login(user)
    address = reverse("decoding:measure", args=[small.pk])
    page = client.post(address, {"corpus": ""}, follow=True).content.decode()
    assert "Choose a corpus with references." in page
    job = Job.objects.get() if client.post(address, {"corpus": corpus.pk}) else None
    run(job)
    page = client.get(small.get_absolute_url()).content.decode()
    assert f"{Measurement.objects.get().bleu:.2f}" in page
    assert "tok:none" in page


def test_a_comparison_can_be_sent_to_a_colleague(
    client, user, colleague, corpus, small, external  # noqa: F811
):  # fmt: skip
    client.force_login(user)
    address = reverse("decoding:compare-with", args=[small.pk])
    assert client.post(address, {"second": small.pk, "corpus": corpus.pk}).status_code == 422
    client.post(address, {"second": external.pk, "corpus": corpus.pk})
    made = Comparison.objects.get()
    assert "Not compared yet" in client.get(made.get_absolute_url()).content.decode()
    run(made.job)
    page = client.get(made.get_absolute_url()).content.decode()
    assert "95% interval" in page
    assert "the home is that" in page
    client.force_login(colleague)
    assert client.get(made.get_absolute_url()).status_code == 404
    assert client.get(address).status_code == 404
    Share.objects.create(
        content_type=ContentType.objects.get_for_model(made), object_id=made.pk, user=colleague
    )
    assert client.get(made.get_absolute_url()).status_code == 200


def test_a_systems_page_asks_the_database_so_often(
    client, user, corpus, small, django_assert_num_queries  # noqa: F811
):  # fmt: skip
    client.force_login(user)
    client.get(small.get_absolute_url())
    with CaptureQueriesContext(connection) as asked:
        client.get(small.get_absolute_url())
    for number in range(20):
        other = make_corpus(user, name=f"other {number}")
        Measurement.objects.create(
            system=small, corpus=other, bleu=number, signature="x", segments=2, untranslated=0
        )
    with django_assert_num_queries(len(asked)):
        client.get(small.get_absolute_url())
