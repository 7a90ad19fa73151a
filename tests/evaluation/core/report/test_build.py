from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from evaluation.core.errors import InputError
from evaluation.core.report.build import build_report
from evaluation.core.report.figures import Report
from evaluation.core.report.plain import from_plain, to_plain
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import Facts, Tables
from tests.evaluation.core.report.simulated import CROSSING, tables

QUICK = Slice(samples=1000)


@pytest.fixture(scope="module")
def study():
    return tables(2)


@pytest.fixture(scope="module")
def report(study):
    return build_report(study, QUICK)


def plain_shares(study, sentences):
    """Counted by hand: the shares of best, same and diverse among these sentences' judgments."""
    seen = Counter()
    for row in study.judgments:
        if row.sentence in sentences:
            winner = {1: row.left, -1: row.right, 0: "same"}[row.outcome]
            seen[winner] += 1
    total = sum(seen.values())
    return [seen[name] / total for name in ("best", "same", "diverse")]


def test_shares_are_those_of_a_plain_count(study, report):
    ordered = sorted(study.sentences, key=lambda s: s.covariates["bleu1"])
    for group, found in enumerate(report.preferences.groups):
        names = {s.name for s in ordered[group * 50 : (group + 1) * 50]}
        shares = [found.first.estimate, found.same.estimate, found.second.estimate]
        assert shares == pytest.approx(plain_shares(study, names))
        assert found.sentences == 50
        assert found.judgments == 1350


def test_a_known_crossover_is_found_and_said(report):
    crossing = report.preferences.crossover.logistic
    assert crossing.at.low < CROSSING < crossing.at.high
    assert crossing.at.high - crossing.at.low < 20
    low, high = report.preferences.groups[0], report.preferences.groups[-1]
    assert low.difference.high < 0 < high.difference.low
    assert "lowest quartile edits from diverse were preferred to those from best" in report.answer
    assert "highest quartile edits from best were preferred to those from diverse" in report.answer
    assert f"changes sides at a BLEU+1 of the 1-best of {crossing.at.estimate:.0f}" in report.answer
    assert "below, diverse is preferred, above, best" in report.answer


@pytest.mark.slow
def test_intervals_of_the_crossover_cover_the_truth_as_often_as_they_say():
    covered = []
    for seed in range(25):
        made = tables(100 + seed, edits=False)
        at = build_report(made, Slice(samples=200)).preferences.crossover.logistic.at
        covered.append((at.low or -np.inf) <= CROSSING <= (at.high or np.inf))
    assert sum(covered) >= 21  # of 25 at 95%, fewer are covered once in 140 times


def test_no_difference_is_called_no_difference():
    found = build_report(tables(5, slope=0.0, edits=False), QUICK)
    assert found.answer.count("no clear difference") == 2
    assert (
        "do not show a BLEU+1 of the 1-best at which the preference changes sides" in found.answer
    )


def test_the_same_tables_give_the_same_report(study, report):
    assert build_report(study, QUICK) == report
    assert build_report(study, replace(QUICK, seed=2)).preferences != report.preferences


def test_a_report_survives_json(report):
    saved = json.dumps(to_plain(report), allow_nan=False)
    assert from_plain(Report, json.loads(saved)) == report


@pytest.mark.parametrize(
    ("marks", "counted", "left_out"),
    [
        ({"worker 1": {"excluded"}}, False, "excluded"),
        ({"worker 1": {"surplus"}}, False, "surplus"),
        ({"worker 1": {"flagged"}}, True, "flagged"),
        ({"worker 1": {"simulated"}}, False, "simulated"),
    ],
)
def test_what_a_slice_leaves_out(marks, counted, left_out):
    made = tables(marks=marks, sentences=20, edits=False)
    own = sum(row.worker == "worker 1" for row in made.judgments)
    assert own > 0
    found = build_report(made, QUICK)
    assert found.counts.judgments == len(made.judgments) - (0 if counted else own)
    assert getattr(found.counts, left_out) == (0 if counted else own)
    turned = build_report(made, replace(QUICK, **{left_out: not counted}))
    assert turned.counts.judgments == len(made.judgments) - (own if counted else 0)


def test_a_simulated_study_is_shown_and_says_so():
    made = tables(sentences=20, edits=False)
    everybody = tuple(replace(row, marks=frozenset({"simulated"})) for row in made.judgments)
    found = build_report(replace(made, judgments=everybody), QUICK)
    assert found.counts.judgments == len(everybody)
    assert found.marks == ("simulated",)


def test_interim_is_said():
    found = build_report(tables(sentences=20, facts=Facts("x", interim=True), edits=False), QUICK)
    assert "interim" in found.marks
    assert found.answer.startswith("So far")


def test_exclusions_are_shown_before_and_after():
    made = tables(sentences=40, marks={"worker 3": {"excluded"}}, edits=False)
    quality = build_report(made, QUICK).quality
    own = sum(row.worker == "worker 3" for row in made.judgments)
    assert quality.before.judgments - quality.after.judgments == own
    row = next(row for row in quality.participants if row.judge.name == "worker 3")
    assert row.exclusion == "slept"
    assert row.judge.judgments == own


def test_other_groups():
    made = tables(sentences=60, edits=False)
    found = build_report(made, replace(QUICK, covariate="length", groups=3))
    assert [group.name for group in found.grouping.groups] == ["third"] * 3
    assert [group.sentences for group in found.grouping.groups] == [20] * 3
    cut = build_report(made, replace(QUICK, cuts=(20.0, 35.0)))
    assert cut.grouping.cuts == (20.0, 35.0)
    below = sum(s.covariates["bleu1"] < 20 for s in made.sentences)
    assert cut.grouping.groups[0].sentences == below


def test_sentences_without_a_covariate_are_in_no_group():
    made = tables(sentences=40, edits=False)
    some = tuple(
        replace(s, covariates={} if n < 10 else s.covariates) for n, s in enumerate(made.sentences)
    )
    found = build_report(replace(made, sentences=some), QUICK)
    assert found.grouping.without == 10
    assert sum(group.sentences for group in found.grouping.groups) == 30
    assert found.preferences.overall.sentences == 40
    assert sum(part.sentences for part in found.preferences.groups) == 30


def test_without_any_covariate_the_answer_is_overall():
    made = tables(sentences=20, edits=False)
    bare = tuple(replace(s, covariates={}) for s in made.sentences)
    found = build_report(replace(made, sentences=bare, covariates={}), QUICK)
    assert found.grouping is None
    assert found.answer.startswith("Overall")


def test_before_anybody_judged():
    found = build_report(replace(tables(sentences=10), judgments=(), edits=()), QUICK)
    assert found.answer == "Nobody has compared best with diverse yet."
    assert found.preferences.overall.difference.estimate is None
    json.dumps(to_plain(found), allow_nan=False)


def test_when_everybody_says_the_same():
    made = tables(sentences=40, edits=False)
    same = tuple(replace(row, outcome=0) for row in made.judgments)
    found = build_report(replace(made, judgments=same), QUICK)
    assert found.answer.startswith(
        "In the lowest quartile every judgment says that the two are the same. In the highest "
        "quartile every judgment says that the two are the same. The data do not show"
    )


def test_a_group_without_sentences():
    made = tables(sentences=40, edits=False)
    found = build_report(made, replace(QUICK, cuts=(-5.0, 40.0)))
    assert "In the lowest group there are too few judged sentences to say anything (0 of the 8" in (
        found.answer
    )
    assert "In the highest group edits from" in found.answer or "outputs of" in found.answer


def test_too_few_sentences_to_say_anything():
    assert (
        "too few judged sentences" in build_report(tables(sentences=12, edits=False), QUICK).answer
    )


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"first": "worst"}, "no condition 'worst'. Choose from best, diverse"),
        ({"first": "best", "second": "best"}, "cannot be compared with itself"),
        ({"covariate": "weather"}, "no covariate 'weather'. Choose from bleu1, length"),
    ],
)
def test_a_slice_that_the_study_does_not_have(study, wrong, problem):
    with pytest.raises(InputError, match=problem):
        build_report(study, replace(QUICK, **wrong))


def test_one_condition_cannot_be_compared():
    with pytest.raises(InputError, match="two conditions"):
        build_report(Tables(Facts("x"), ("best",), {}, (), ()), QUICK)


def test_edits_and_lists_are_plain_means(study, report):
    ordered = sorted(study.sentences, key=lambda s: s.covariates["bleu1"])
    lowest = {s.name for s in ordered[:50]}
    edits = [e for e in study.edits if e.condition == "diverse" and e.sentence in lowest]
    found = next(row for row in report.edits if (row.condition, row.group) == ("diverse", 0))
    assert found.bleu1.estimate == pytest.approx(np.mean([e.bleu1 for e in edits]))
    changed = 100 * sum(e.changes for e in edits) / sum(e.length for e in edits)
    assert found.hter.estimate == pytest.approx(changed)
    lists = [row for row in study.lists if row.condition == "best" and row.sentence in lowest]
    shown = next(row for row in report.lists if (row.condition, row.group) == ("best", 0))
    assert shown.minimum.estimate == pytest.approx(np.mean([row.minimum for row in lists]))
    assert shown.coverage.estimate == pytest.approx(np.mean([row.coverage for row in lists]))
    others = next(row for row in report.edits if (row.condition, row.group) == ("best", 0))
    gap = next(row for row in report.edit_differences if row.group == 0)
    assert gap.bleu1.estimate == pytest.approx(found.bleu1.estimate - others.bleu1.estimate)
    effort = report.effort.conditions[0]
    parts = (effort.kept_first, effort.kept_others, effort.new)
    assert sum(part.estimate for part in parts) == pytest.approx(1)


def guessing(study, noise):
    """The study with guesses of BLEU+1 that are as far off as ``noise``."""
    rng = np.random.default_rng(9)
    return replace(
        study,
        covariates=dict(study.covariates) | {"guess": "guessed BLEU+1"},
        sentences=tuple(
            replace(s, covariates=s.covariates | {"guess": s.covariates["bleu1"] + noise * e})
            for s, e in zip(study.sentences, rng.normal(size=len(study.sentences)), strict=True)
        ),
    )


def test_a_perfect_guess_has_the_quartiles_of_the_truth(study, report):
    found = build_report(guessing(study, 0.0), QUICK)
    part = found.confidence
    assert part.groups == report.preferences.groups
    assert part.worth.error == 0
    assert part.worth.same_quartile == 1
    assert part.advice.right == 1
    assert part.advice.crossed
    assert part.advice.below == report.preferences.crossover.logistic.at.estimate
    # Where the advice is to show diverse lists they are preferred, and elsewhere the best.
    assert part.advice.under.difference.high < 0 < part.advice.over.difference.low
    assert from_plain(Report, json.loads(json.dumps(to_plain(found)))) == found
    assert "ridge regression" in " ".join(found.method)


def test_a_worse_guess_is_worth_less(study):
    made = guessing(study, 20.0)
    part = build_report(made, QUICK).confidence
    truth, guess = (
        np.array([s.covariates[name] for s in made.sentences]) for name in ("bleu1", "guess")
    )
    assert part.worth.error == pytest.approx(np.abs(truth - guess).mean())
    assert 0.25 < part.worth.same_quartile < 0.7
    below = {s.name for s in made.sentences if s.covariates["guess"] < part.advice.below}
    assert part.advice.sentences == len(below)
    shares = [part.advice.under.first, part.advice.under.same, part.advice.under.second]
    assert [share.estimate for share in shares] == pytest.approx(plain_shares(made, below))


def test_no_guesses_no_confidence(report):
    assert report.confidence is None


def test_more_than_two_conditions_are_ranked():
    made = tables(sentences=30, edits=False)
    third = tuple(
        replace(row, right="third", pair=row.pair + "t")
        if row.left == "best"
        else replace(row, left="third", pair=row.pair + "t")
        for row in made.judgments[::3]
        if "best" in (row.left, row.right)
    )
    mixed = replace(
        made, conditions=("best", "diverse", "third"), judgments=(*made.judgments, *third)
    )
    found = build_report(mixed, QUICK)
    assert {row.condition for row in found.standings} == {"best", "diverse", "third"}
    strengths = [row.strength.estimate for row in found.standings]
    assert strengths == sorted(strengths, reverse=True)
    assert build_report(made, QUICK).standings == ()


def test_joined_systems_each_get_the_judgment():
    made = tables(sentences=10, edits=False)
    both = tuple(
        replace(row, left="best+twin" if row.left == "best" else row.left,
                right="best+twin" if row.right == "best" else row.right)
        for row in made.judgments
    )  # fmt: skip
    joined = replace(made, conditions=("best+twin", "diverse"), judgments=both, joined=True)
    plain = build_report(made, QUICK)
    for name in ("best", "twin"):
        found = build_report(joined, replace(QUICK, first=name, second="diverse"))
        assert found.preferences.overall == plain.preferences.overall
        ours, theirs = found.quality.agreement, plain.quality.agreement
        assert (ours.strict.agree, ours.strict.comparable) == (
            theirs.strict.agree,
            theirs.strict.comparable,
        )
        assert ours.fleiss.estimate == pytest.approx(theirs.fleiss.estimate)


def test_the_method_names_what_was_done(report):
    text = " ".join(report.method)
    for part in ("200 sentences", "5,400 judgments", "1,200 sentences", "1,000 samples", "seed 1",
                 "cut points", "Holm", "No answer was left out", "Fleiss' kappa",
                 "Krippendorff's alpha", "a local regression puts it at", "times the keys"):  # fmt: skip
        assert part in text
