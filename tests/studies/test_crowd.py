"""A whole study, played over HTTP by the simulated crowd, as a researcher would start it."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.management import call_command

from decoding.actions.jobs import claim_job, submit_job
from decoding.jobs import Cancelled, run_claimed
from studies import crowd
from studies.actions.planning import freeze_study
from studies.actions.running import start_study
from studies.arrivals import simulation_proof
from studies.core.conduct import Conduct
from studies.models import Edit, EntryAnswer, Judgment, Participant, Slot
from tests.studies.conftest import WebServer
from tests.studies.core.test_entry import ENTRY
from tests.studies.making import make_running_study, make_study


@pytest.fixture
def web_server(transactional_db):
    server = WebServer()
    yield server
    server.stop()


def test_a_complete_study_by_a_job(user, web_server):
    study = make_running_study(user, sentences=2, conduct=Conduct(pairs_per_judge=9))
    job = submit_job(
        "simulate-crowd",
        owner=user,
        parameters={
            "study": study.pk,
            "address": web_server.address,
            "people": 14,
            "seed": 1,
            "at_once": 2,
        },
    )
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    assert (job.state, job.error) == ("done", "")
    assert Counter(Slot.objects.values_list("state", flat=True)) == {"filled": 12 + 54}
    assert job.result["answers"] == 12 + 54
    # All that they did is marked, and they judge by what they see, not always the same.
    assert set(Participant.objects.values_list("is_simulated", flat=True)) == {True}
    assert all(Edit.objects.values_list("text", flat=True))
    assert len(set(Judgment.objects.values_list("choice", flat=True))) > 1


def test_whoever_lets_them_come_is_told_how_far_they_are(user, web_server, monkeypatch):
    monkeypatch.setattr(crowd, "_SECONDS_BETWEEN", 0.02)
    study = make_running_study(user, sentences=2)
    told = []

    def play(tell):
        link = f"/take/{study.code}/"
        crowd.play(web_server.address, lambda n: link, people=4, seed=1, at_once=2, tell=tell)

    play(told.append)
    assert told == sorted(told)
    assert told[-1] == Edit.objects.count() > 0
    assert set(told) - {0, told[-1]}  # on the way, too

    def enough(answers):
        raise Cancelled

    with pytest.raises(Cancelled):
        play(enough)


def test_a_crowd_by_the_command(user, web_server, capsys):
    study = make_running_study(user, sentences=1)
    call_command(
        "simulate_crowd", study.name, address=web_server.address, people=3, at_once=1, seed=1
    )
    assert capsys.readouterr().out == "3 answers\n"
    assert Participant.objects.filter(is_simulated=True).count() == 3


def test_a_crowd_goes_through_screening_and_training(user, web_server):
    study = make_study(user, sentences=1)
    study.entry = ENTRY.as_dict()
    study.save()
    study = freeze_study(study)
    start_study(study)
    call_command(
        "simulate_crowd", study.name, address=web_server.address, people=2, at_once=1, seed=1
    )
    assert EntryAnswer.objects.count() == 2 * 3
    assert Edit.objects.count() == 2
    assert Participant.objects.filter(trained_at=None).count() == 0


def test_a_study_that_does_not_run_fails_the_job_with_words(user, db):
    study = make_running_study(user, sentences=1)
    type(study).objects.update(state="paused")
    job = submit_job("simulate-crowd", owner=user, parameters={"study": study.pk})
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "the study does not run. Start it, then try again.")


def test_the_proof_of_one_study_marks_nobody_in_another(user, db, client):
    study, other = make_running_study(user), make_running_study(user)
    client.post(f"/take/{study.code}/consent/?simulated={simulation_proof(other)}")
    assert not Participant.objects.get().is_simulated
