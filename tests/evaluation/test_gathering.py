from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from decoding.validators import validate_statistics
from evaluation.actions import keep_scores, make_analysis, scores_of, unscored
from evaluation.core.report.build import build_report
from evaluation.core.report.figures import Report
from evaluation.core.report.plain import from_plain
from evaluation.core.report.slices import Slice
from evaluation.gathering import key_of, tables_of_study
from evaluation.models import Analysis, EditScore
from studies.actions.participants import erase, exclude, reinstate
from studies.models import Edit, Judgment
from tests.evaluation.answered import make_answered

pytestmark = pytest.mark.django_db
QUICK = Slice(samples=200)


def scored(study):
    keep_scores(scores_of(study, unscored(study)))
    return study


@pytest.fixture
def study(user):
    return scored(make_answered(user, sentences=8))


def test_tables_are_the_answers(study):
    tables = tables_of_study(study)
    assert tables.conditions == ("best", "diverse")
    assert len(tables.sentences) == 8
    assert len(tables.edits) == 8 * 2 * 3
    assert len(tables.judgments) == 8 * 9 * 3
    assert len(tables.lists) == 16
    assert {row.size for row in tables.lists} == {5}
    won = Counter()
    for row in Judgment.objects.select_related("task__first__condition", "task__second__condition"):
        chosen = {"first": row.task.first, "second": row.task.second}.get(row.choice)
        won[chosen.condition.name if chosen else "same"] += 1
    told = Counter({1: row.left, -1: row.right, 0: "same"}[row.outcome] for row in tables.judgments)
    assert told == won
    assert {row.left for row in tables.judgments} == {"best", "diverse"}
    assert tables.facts.checksum == study.checksum
    assert not tables.facts.interim


def test_lists_are_reported_as_they_were_measured(study):
    """In the system's own words, which need not be those of the corpus's references."""
    computed = tables_of_study(study).lists
    kept = {"first": [1] * 8 + [5, 6], "oracle": [2] * 8 + [5, 6]}
    task = study.tasks.filter(kind="editing", segment__number=1, condition__name="best").first()
    made = task.translation_list
    for field, value in {"statistics": kept, "coverage": 12.5}.items():
        setattr(made, field, value)
    made.save()
    for entry in made.entries.all():
        made.entries.filter(pk=entry.pk).update(bleu1=10.0 * entry.rank)
    read = tables_of_study(study).lists
    changed = [new for new, old in zip(read, computed, strict=True) if new != old]
    assert [(row.sentence, row.condition, row.size) for row in changed] == [("1", "best", 5)]
    row = changed[0]
    assert (row.minimum, row.median, row.maximum, row.coverage) == (10, 30, 50, 12.5)
    assert (list(row.first), list(row.oracle)) == (kept["first"], kept["oracle"])


@pytest.mark.parametrize(
    "wrong",
    [[], {}, {"first": [1] * 10}, {"first": [1] * 9, "oracle": [1] * 10},
     {"first": [1] * 10, "oracle": [-1] + [1] * 9}, {"first": [1.5] * 10, "oracle": [1] * 10}],
    ids=str,
)  # fmt: skip
def test_statistics_that_are_none_are_refused(wrong):
    with pytest.raises(ValidationError):
        validate_statistics(wrong)


def test_covariates_are_those_of_the_baseline(study):
    tables = tables_of_study(study)
    assert list(tables.covariates) == ["bleu1", "score", "source_length", "reference_length"]
    for row, sentence in zip(
        (row for row in tables.lists if row.condition == "best"), tables.sentences, strict=True
    ):
        assert sentence.name == row.sentence
        assert row.minimum <= sentence.covariates["bleu1"] <= row.maximum + 1e-9


def test_edits_are_scored_once(study):
    assert unscored(study) == []
    before = dict(EditScore.objects.values_list("edit", "bleu1"))
    keep_scores(scores_of(study, list(Edit.objects.select_related("task__segment"))))
    assert dict(EditScore.objects.values_list("edit", "bleu1")) == before
    assert all(0 <= value <= 100 for value in before.values())


def test_an_analysis_is_made_once_for_the_same_answers(study):
    first = make_analysis(study, QUICK)
    assert make_analysis(study, QUICK) == first
    assert make_analysis(study, Slice(samples=200, groups=2)) != first
    assert from_plain(Report, first.report) == build_report(tables_of_study(study), QUICK)


def test_every_change_of_the_answers_changes_the_key(study):
    judge = study.participants.filter(judgments__isnull=False).first()
    keys = [key_of(study, QUICK)]
    exclude(judge, "slept")
    keys.append(key_of(study, QUICK))
    reinstate(judge)
    keys.append(key_of(study, QUICK))
    assert keys[0] == keys[2]  # all is as it was
    judge.flags = ["odd"]
    judge.save()
    keys.append(key_of(study, QUICK))
    erase(judge)
    keys.append(key_of(study, QUICK))
    assert len(set(keys)) == 4


def test_marks(study):
    judge = study.participants.filter(judgments__isnull=False).first()
    own = judge.judgments.count()
    exclude(judge, "slept")
    counts = build_report(tables_of_study(study), QUICK).counts
    assert counts.excluded == own
    assert counts.judgments == 8 * 27 - own
    everybody = build_report(tables_of_study(study), Slice(samples=200, excluded=True))
    assert everybody.counts.judgments == 8 * 27


def test_a_published_report_outlives_an_erasure(study, user):
    analysis = make_analysis(study, QUICK)
    Analysis.objects.filter(pk=analysis.pk).update(published_at="2026-03-02T00:00Z")
    before = analysis.report
    editor = study.participants.filter(edits__isnull=False).first()
    erase(editor)
    later = make_analysis(study, QUICK)
    assert later.pk != analysis.pk
    analysis.refresh_from_db()
    assert analysis.report == before
    assert all(edit.text not in str(before) for edit in Edit.objects.exclude(text=""))


def test_a_known_crossover_is_found(user):
    study = scored(make_answered(user, sentences=60, seed=3))
    report = build_report(tables_of_study(study), Slice(samples=500))
    at = report.preferences.crossover.logistic.at
    assert at.low < 35 < at.high
    assert report.answer.count("preferred to") == 2
    assert "changes sides" in report.answer


def test_bleu1_is_guessed_without_references(user):
    study = scored(make_answered(user, sentences=40))
    tables = tables_of_study(study)
    truth, guess = (
        np.array([sentence.covariates[name] for sentence in tables.sentences])
        for name in ("bleu1", "guess")
    )
    assert np.corrcoef(truth, guess)[0, 1] < 0.999
    assert ((guess >= 0) & (guess <= 100)).all()
    assert build_report(tables, QUICK).confidence.sentences == 40
    # A sentence's own reference has no part in its guess, beyond the others' models.
    again = tables_of_study(study)
    assert again.sentences == tables.sentences
    few = tables_of_study(scored(make_answered(user, sentences=8)))
    assert "guess" not in few.covariates
