"""The demonstration: made by ordinary jobs, resumed where it was broken off, deleted whole."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.urls import reverse

from config import demonstration
from decoding.models import Corpus, Job, Recipe, System
from evaluation.core.errors import VariorumError
from evaluation.models import Analysis
from studies.actions.planning import copy_study, freeze_study
from studies.models import Edit, Judgment, Participant, Study

SMALL = demonstration.Size(
    training=500, dev=8, news=14, sentences=8, open_sentences=2, draws=1, rounds=1, tuned=3
)  # fmt: skip


@pytest.fixture
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def said():
    return []


def make(said, stop_at=None):
    def say(number, of, words, seconds):
        said.append((number, words))
        if number == stop_at:
            raise KeyboardInterrupt

    demonstration.make(say, here=True, size=SMALL)


def make_mine(owner):
    """A study of somebody's own, of the demonstration's lists."""
    shown = Study.objects.get(name=demonstration.FINISHED)
    study = copy_study(shown, owner)
    study.name = "Mine"
    study.save()
    return freeze_study(study)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_it_is_made_once_whole_and_shown_and_deleted(administrator, client, data_folder, said):
    demonstration.want()
    for step in (3, 4, 6):
        with pytest.raises(KeyboardInterrupt):
            make(said, stop_at=step)
    assert demonstration.is_wanted()
    client.force_login(administrator)
    assert "is being made" in client.get("/").content.decode()

    make(said)
    assert not demonstration.is_wanted()
    assert [number for number, words in said if words.endswith(": done")][-8:] == [*range(1, 9)]
    jobs = Job.objects.filter(parent=None).exclude(kind="measure-system")  # nobody waits for it
    assert set(jobs.values_list("kind", "state")) == {
        (kind, "done")
        for kind in ("train-system", "tune-weights", "make-lists", "report", "tune-diversity")
    }
    finished = Study.objects.get(name=demonstration.FINISHED)
    assert finished.state == Study.State.ENDED
    assert Edit.objects.filter(slot__study=finished, standing="counted").count() == 8 * 2
    assert Judgment.objects.filter(slot__study=finished, standing="counted").count() == 8 * 2
    assert not Participant.objects.filter(study=finished, is_simulated=False).exists()
    report = Analysis.objects.get(published_at__isnull=False)
    assert "simulated" in report.report["marks"]

    page = client.get("/").content.decode()
    for link in (
        reverse("evaluation:study-report", args=[finished.pk]),
        reverse("studies:arrive", args=[Study.objects.get(name=demonstration.TO_EDIT).code]),
        reverse("studies:arrive", args=[Study.objects.get(name=demonstration.TO_JUDGE).code]),
        reverse("decoding:browse", args=[Corpus.objects.get(name=demonstration.NEWS).pk,
                                         System.objects.get(name=demonstration.SYSTEM).pk]),
        reverse("studies:new"),
    ):  # fmt: skip
        assert f'href="{link}"' in page
        assert client.get(link).status_code == 200, link

    before = Edit.objects.count(), Job.objects.count()
    make(said)
    assert (Edit.objects.count(), Job.objects.count() - before[1]) == (before[0], 1)  # empty lists

    mine = make_mine(administrator)
    page = client.post(reverse("delete-demonstration"), follow=True).content.decode()
    assert "cannot be deleted, for it is needed by: Mine" in page
    assert 'id="demonstration"' in page
    assert Study.objects.count() == 4
    client.post(reverse("studies:delete", args=[mine.pk]))
    client.post(reverse("delete-demonstration"))
    assert not Recipe.objects.filter(name=demonstration.DIVERSE).exists()
    for model in (Corpus, System, Study, Edit, Judgment, Analysis):
        assert not model.objects.exists(), model
    assert 'id="demonstration"' not in client.get("/").content.decode()
    assert not demonstration.is_wanted()


@pytest.mark.django_db
def test_without_an_administrator_it_says_what_to_do(data_folder):
    with pytest.raises(VariorumError, match="createsuperuser"):
        demonstration.owner()


@pytest.mark.django_db
def test_only_administrators_see_it(user, client, data_folder):
    demonstration.want()
    client.force_login(user)
    assert "is being made" not in client.get("/").content.decode()
    assert client.post(reverse("delete-demonstration")).status_code == 404
    assert demonstration.is_wanted()


@pytest.mark.django_db
def test_deleting_asks_first(administrator, data_folder, monkeypatch, capsys):
    demonstration.want()
    monkeypatch.setattr("builtins.input", lambda question: "no")
    call_command("demo", delete=True)
    assert demonstration.is_wanted()
    call_command("demo", delete=True, yes=True)
    assert not demonstration.is_wanted()
