"""A platform is told how parts end: once each, whatever happens on the way. Over real HTTP."""

from __future__ import annotations

import hmac
import json
from hashlib import sha256

import pytest
from django.test import Client
from django.urls import reverse

from decoding.actions.jobs import claim_job, submit_job
from decoding.jobs import run_claimed
from decoding.models import Job
from studies.actions.notices import JOB, MOST_ATTEMPTS
from studies.actions.participants import Identity, add_participant, consent, erase, finish, leave
from studies.forms import ArrivalForm
from studies.models import Notice, Study
from tests.studies.making import make_running_study
from tests.studies.serving import serve

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def platform(settings):
    with serve() as platform:
        settings.PLATFORMS = [platform.origin]
        yield platform


@pytest.fixture
def study(user, platform):
    study = make_running_study(user)
    Study.objects.update(
        identity_parameter="worker",
        report_address=f"{platform.origin}/done?x=1",
        report_secret="s3cret",
        code_finished="DONE",
        code_nothing_left="NONE",
    )
    study.refresh_from_db()
    return study


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    """What the jobs do is tested here, not how they are announced."""
    monkeypatch.setattr("decoding.actions.jobs.announce", lambda *args: None, raising=False)


def person(study, name="w1", arrival="provider"):
    one, _ = add_participant(study, Identity(arrival, name))
    consent(one, 1)
    one.refresh_from_db()
    return one


def run(study) -> Job:
    job = submit_job(JOB, owner=study.owner, parameters={"study": study.pk, "first_wait": 0})
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    return job


def test_the_end_of_a_part_is_told_once_and_signed(study, platform):
    one = person(study)
    finish(one)
    finish(one)
    assert Job.objects.filter(kind=JOB, state="queued").count() == 1
    assert run(study).result == {"sent": 1, "refused": 0}
    path, headers, body = platform.received[0]
    assert path == "/done?x=1"
    assert json.loads(body) == {
        "study": study.code, "participant": "w1", "outcome": "finished", "code": "NONE",
        "tasks": 0, "simulated": False,
    }  # fmt: skip
    made = hmac.new(b"s3cret", body, sha256).hexdigest()
    assert headers["X-Variorum-Signature"] == f"sha256={made}"
    assert headers["Idempotency-Key"] == str(Notice.objects.get().key)
    assert run(study).result == {"sent": 0, "refused": 0}
    assert len(platform.received) == 1


def test_without_a_secret_nothing_is_signed(study, platform):
    Study.objects.update(report_secret="")
    study.refresh_from_db()
    leave(person(study))
    run(study)
    _, headers, body = platform.received[0]
    assert "X-Variorum-Signature" not in headers
    assert json.loads(body)["outcome"] == "left"


def test_a_platform_that_fails_is_tried_again_with_the_same_key_and_body(study, platform):
    finish(person(study))
    platform.statuses = [500, 503, 429, 204]
    assert run(study).result == {"sent": 1, "refused": 0}
    assert len(platform.received) == 4
    assert len({(headers["Idempotency-Key"], body) for _, headers, body in platform.received}) == 1
    notice = Notice.objects.get()
    assert (notice.state, notice.attempts, notice.error) == ("sent", 4, "")


def test_what_is_refused_for_good_is_tried_again_only_when_asked(study, platform, client):
    finish(person(study))
    platform.statuses = [400, 200]
    assert run(study).result == {"sent": 0, "refused": 1}
    assert Notice.objects.get().error == "the platform answered 400"
    assert run(study).result == {"sent": 0, "refused": 0}
    client.force_login(study.owner)
    page = client.get(study.get_absolute_url()).content.decode()
    assert "Report them once more" in page
    client.post(reverse("studies:report-again", args=[study.pk]))
    assert run(study).result == {"sent": 1, "refused": 0}


def test_after_many_attempts_it_is_given_up(study, platform):
    finish(person(study))
    platform.statuses = [500]
    assert run(study).result == {"sent": 0, "refused": 1}
    assert len(platform.received) == MOST_ATTEMPTS


def test_a_redirect_is_not_followed(study, platform):
    finish(person(study))
    platform.statuses, platform.location = [302], "http://127.0.0.1:1/inside"
    assert run(study).result == {"sent": 0, "refused": 1}
    assert len(platform.received) == 1


def test_a_platform_that_the_operator_no_longer_names_is_told_nothing(study, platform, settings):
    finish(person(study))
    settings.PLATFORMS = ["https://platform.example"]
    assert run(study).result == {"sent": 0, "refused": 1}
    assert platform.received == []


@pytest.mark.parametrize("arrival", ["prolific", "invitation"])
def test_others_are_nobody_that_the_platform_knows(study, arrival):
    finish(person(study, arrival=arrival))
    assert not Notice.objects.exists()


def test_erasure_takes_the_notices(study):
    one = person(study)
    finish(one)
    erase(one)
    assert not Notice.objects.exists()


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("{origin}/done", True),
        ("http://127.0.0.1.example/done", False),
        ("https://elsewhere.example/", False),
        ("{origin}@elsewhere.example/", False),
    ],
)
@pytest.mark.parametrize("field", ["report_address", "completion_address"])
def test_addresses_are_of_platforms_that_the_operator_named(study, platform, field, address, taken):
    fields = {field: address.format(origin=platform.origin)}
    form = ArrivalForm(fields, study=study)
    form.full_clean()
    assert (field not in form.errors) is taken


def test_people_are_led_only_to_named_platforms(study, platform, settings):
    Study.objects.update(completion_address="https://platform.example/back")
    person(study)
    client = Client()
    client.post(f"/take/{study.code}/consent/?worker=w2")
    client.post(f"/take/{study.code}/leave/", {"action": "leave"})
    done = f"/take/{study.code}/done/"
    assert "platform.example" not in client.get(done).content.decode()
    settings.PLATFORMS = []
    assert "https://platform.example/back" in client.get(done).content.decode()
