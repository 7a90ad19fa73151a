from __future__ import annotations

import pytest
from django.core.management import call_command

from evaluation.core.errors import InputError
from studies.forms import NewStudyForm
from studies.models import Study
from tests.studies.making import make_lists

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(user):
    """A corpus of eight sentences with the lists of two conditions."""
    corpus, conditions = make_lists(user, 8)
    return corpus, [f"{name}={system}:{v.recipe}" for name, system, v in conditions]


def make(made, name="Mine", **options):
    corpus, conditions = made
    given = {"owner": "rosa", "corpus": corpus.name, "condition": conditions} | options
    call_command("make_study", name, **given)
    return Study.objects.get(name=name)


def test_a_draft_is_what_the_wizard_would_make(made, user):
    study = make(made)
    corpus, _ = made
    lists = [f"{one.system_id}-{one.recipe_version_id}" for one in study.conditions.all()]
    form = NewStudyForm(
        {"name": "By the pages", "lists_1": lists[0], "lists_2": lists[1],
         "name_1": "best", "name_2": "diverse"},
        corpus=corpus, user=user,
    )  # fmt: skip
    assert form.is_valid(), form.errors
    other = form.create()
    assert study.is_draft
    assert (study.the_design, study.the_conduct) == (other.the_design, other.the_conduct)
    assert study.the_entry == other.the_entry


def test_started_it_is_frozen_and_lets_people_in(made, client, capsys):
    study = make(made, sentences=4, draws=1, judges=2, pairs=1, shown=2, seed=9, start=True)
    said = capsys.readouterr().out
    assert "4 sentences, 8 edits, 8 judgments. It is running." in said
    assert study.checksum in said
    assert f"/take/{study.code}/" in said
    assert client.get(f"/take/{study.code}/").status_code == 200
    design = study.the_design
    assert (design.sample_size, design.shown, design.judges, design.seed) == (4, 2, 2, 9)
    again = make(
        made, "Again", sentences=4, draws=1, judges=2, pairs=1, shown=2, seed=9, start=True
    )
    assert again.checksum == study.checksum


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"condition": ["best"]}, 'Write it as "best=My system:Five best"'),
        ({"condition": ["best=Ours:Five best"]}, "no system named Ours"),
        ({"sentences": 9, "start": True}, "9 sentences|only 8"),
        ({"shown": 6}, "6 translations cannot be shown of a list of 5"),
        ({"name": "x" * 101}, "name: .* at most 100 characters"),
        ({"corpus": "theirs"}, "no corpus named theirs"),
    ],
)
def test_what_is_refused_leaves_no_study(made, options, problem):
    with pytest.raises(InputError, match=problem):
        make(made, **options)
    assert not Study.objects.exists()


def test_a_name_is_taken_once(made):
    make(made)
    with pytest.raises(InputError, match="a study named Mine already"):
        make(made)
