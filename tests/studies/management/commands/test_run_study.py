from __future__ import annotations

import pytest
from django.core.management import call_command

from evaluation.core.errors import InputError
from tests.studies.making import make_study

pytestmark = pytest.mark.django_db


def run(study, **options):
    call_command("run_study", study.name, **options)
    study.refresh_from_db()
    return study.state


def test_started_paused_gone_on_with_and_ended(user, capsys):
    study = make_study(user)
    assert run(study) == "running"
    assert study.checksum
    assert run(study, pause=True) == "paused"
    assert run(study) == "running"
    assert run(study, end=True) == "ended"
    assert capsys.readouterr().out.endswith(f"{study.name} is ended.\n")
    with pytest.raises(InputError, match=r"is ended, so it cannot be running. .* copy it"):
        run(study)


def test_a_draft_cannot_be_ended(user):
    study = make_study(user)
    with pytest.raises(InputError, match=r"is draft, so it cannot be ended. Start it first"):
        run(study, end=True)


def test_a_study_is_found_by_name_number_and_code(user, colleague, capsys):
    study, other = make_study(user), make_study(user)
    call_command("run_study", study.code)
    call_command("run_study", str(study.pk), pause=True)
    assert f"{study.name} is paused." in capsys.readouterr().out
    with pytest.raises(InputError, match=rf"no study x. There are: .*{other.name}"):
        call_command("run_study", "x")
    other.name, other.owner = study.name, colleague
    other.save()
    with pytest.raises(InputError, match=r"2 studies are called .* Give the number"):
        call_command("run_study", study.name)
