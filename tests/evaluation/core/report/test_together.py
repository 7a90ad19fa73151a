from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.core.errors import InputError
from evaluation.core.report.build import build_report
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import Facts
from evaluation.core.report.together import together
from tests.evaluation.core.report.simulated import CROSSING, tables

QUICK = Slice(samples=300)


@pytest.fixture(scope="module")
def reports():
    return [
        build_report(tables(seed, edits=False, facts=Facts(f"language {seed}")), QUICK)
        for seed in range(1, 5)
    ]


def test_studies_with_one_truth_find_it_together(reports):
    found = together(reports)
    low, high = found.groups[0].difference.value, found.groups[-1].difference.value
    assert low.high < 0 < high.low
    assert found.groups[0].agreeing == found.groups[-1].agreeing == 4
    assert found.crossing.value.low < CROSSING < found.crossing.value.high
    assert low.clusters == 4
    assert low.count == sum(report.preferences.groups[0].judgments for report in reports)
    estimates = [report.preferences.groups[0].difference.estimate for report in reports]
    assert min(estimates) < low.estimate < max(estimates)
    assert found.answer.startswith(
        "Over 4 studies, in the lowest quartile diverse was preferred to best by "
    )
    assert "In the highest quartile best was preferred to diverse by " in found.answer
    assert "the same way in 4 of 4" in found.answer


def test_one_study_is_not_several(reports):
    with pytest.raises(InputError, match="two or more"):
        together(reports[:1])


def test_studies_of_other_conditions_are_not_mixed(reports):
    other = replace(reports[1], preferences=replace(reports[1].preferences, second="third"))
    with pytest.raises(InputError, match="language 2 compares best with third, and language 1"):
        together([reports[0], other])


def test_studies_with_other_groups_are_not_mixed(reports):
    other = build_report(tables(2, edits=False), replace(QUICK, groups=3))
    with pytest.raises(InputError, match="different numbers of groups"):
        together([reports[0], other])


def test_without_groups_the_answer_is_overall():
    bare = [
        build_report(
            replace(
                made := tables(seed, sentences=20, edits=False),
                covariates={},
                sentences=tuple(replace(one, covariates={}) for one in made.sentences),
            ),
            QUICK,
        )
        for seed in (1, 2)
    ]
    assert together(bare).answer.startswith("Over 2 studies there is no clear difference: ")
