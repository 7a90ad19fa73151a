from __future__ import annotations

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from decoding.actions import jobs as actions
from decoding.models import Job

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(actions, "announce", lambda *keys: None)


def submit(owner, **options):
    return actions.submit_job("self-test", owner=owner, parameters={}, **options)


@pytest.fixture
def job(user):
    return submit(user)


def test_its_owner_sees_a_job(client, user, job):
    client.force_login(user)
    assert client.get(job.get_absolute_url()).context["job"] == job


def test_somebody_elses_job_does_not_exist(client, colleague, job):
    client.force_login(colleague)
    for address in (job.get_absolute_url(), reverse("decoding:share", args=["job", job.pk])):
        assert client.get(address).status_code == 404
    for name in ("job-cancel", "job-retry"):
        assert client.post(reverse(f"decoding:{name}", args=[job.pk])).status_code == 404
    job.refresh_from_db()
    assert job.state == "queued"


def test_an_administrator_sees_every_job(client, administrator, job):
    client.force_login(administrator)
    assert client.get(job.get_absolute_url()).status_code == 200
    assert list(client.get(reverse("decoding:jobs")).context["page"]) == [job]


def test_the_list_holds_what_one_may_see(client, user, colleague, job):
    submit(colleague)
    client.force_login(user)
    assert list(client.get(reverse("decoding:jobs")).context["page"]) == [job]


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_asks_as_often_for_many_as_for_one(client, user, rows, django_assert_num_queries):
    for _ in range(rows):
        submit(user)
    client.force_login(user)
    client.get(reverse("decoding:jobs"))  # content types are cached from here on
    with django_assert_num_queries(5):
        client.get(reverse("decoding:jobs"))


def test_cancelling_works_with_and_without_htmx(client, user):
    client.force_login(user)
    plain, partial = submit(user), submit(user)
    answer = client.post(reverse("decoding:job-cancel", args=[plain.pk]))
    assert answer.url == plain.get_absolute_url()
    answer = client.post(reverse("decoding:job-cancel", args=[partial.pk]), headers=HTMX)
    assert answer.status_code == 200
    assert "<html" not in answer.content.decode()
    assert set(Job.objects.values_list("state", flat=True)) == {"cancelled"}


def test_changes_are_posts(client, user, job):
    client.force_login(user)
    for name in ("job-cancel", "job-retry"):
        assert client.get(reverse(f"decoding:{name}", args=[job.pk])).status_code == 405


def test_the_self_test_is_checked_before_it_is_queued(client, user):
    client.force_login(user)
    answer = client.post(reverse("decoding:self-test"), {"pieces": 0, "seconds_per_piece": 1})
    assert answer.status_code == 422
    answer = client.post(reverse("decoding:self-test"), {"pieces": 5, "seconds_per_piece": 0})
    assert Job.objects.get().parameters == {"pieces": 5, "seconds_per_piece": 0.0}
    assert answer.url == Job.objects.get().get_absolute_url()


def test_a_traceback_is_for_administrators(client, user, administrator, job):
    Job.objects.update(state="failed", finished_at="2026-01-01T00:00Z", traceback="in line 7")
    client.force_login(user)
    assert "in line 7" not in client.get(job.get_absolute_url()).content.decode()
    client.force_login(administrator)
    kept = client.get(reverse("admin:decoding_job_change", args=[job.pk]))
    assert "in line 7" in kept.content.decode()


@pytest.mark.parametrize(("state", "said"), [("done", False), ("cancelled", True)])
def test_what_is_done_without_pieces_was_begun(client, user, job, state, said):
    Job.objects.filter(pk=job.pk).update(state=state, finished_at=Now())
    client.force_login(user)
    assert ("not begun" in client.get(job.get_absolute_url()).content.decode()) == said
