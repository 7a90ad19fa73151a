"""``manage.py report --study``; of other judgments: tests/evaluation/management/test_report.py."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.actions import make_analysis
from evaluation.core.errors import InputError
from evaluation.core.report.slices import Slice
from evaluation.models import Analysis, Peek
from tests.evaluation.answered import make_answered
from tests.studies.making import make_study

pytestmark = pytest.mark.django_db


def report(study, **options):
    out = StringIO()
    call_command("report", study=study.name, stdout=out, **options)
    return out.getvalue()


def test_it_is_the_report_of_the_page_and_can_be_published(user):
    study = make_answered(user, sentences=8)
    said = json.loads(report(study, json=True, samples=200))
    analysis = make_analysis(study, Slice(samples=200))
    assert said == analysis.report
    assert analysis.published_at is None
    text = report(study, samples=200, publish=True, owner="rosa")
    assert text.startswith(study.name)
    assert said["answer"][:60] in text.replace("\n", " ")
    kept = Analysis.objects.get(published_at__isnull=False)
    assert (kept.pk, kept.published_by) == (analysis.pk, user)


def test_before_the_end_only_whoever_says_so_sees_figures(user):
    study = make_answered(user, sentences=8, ended=False)
    with pytest.raises(InputError, match=r"hidden until it ends. .*--peek"):
        report(study)
    with pytest.raises(CommandError, match="Give --owner"):
        report(study, peek=True)
    assert not Peek.objects.exists()
    said = json.loads(report(study, peek=True, owner="rosa", samples=200, json=True))
    assert said["facts"]["design"]["looked at before its end by"] == "1"
    assert Peek.objects.get().user == user


def test_what_has_no_report(user, tmp_path):
    with pytest.raises(InputError, match="is a draft"):
        report(make_study(user))
    with pytest.raises(CommandError, match="are for the report of a --study"):
        call_command("report", judgments=tmp_path / "x.csv", publish=True)
    with pytest.raises(CommandError, match="--study --judgments is required"):
        call_command("report")
