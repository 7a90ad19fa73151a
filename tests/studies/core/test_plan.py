from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from studies.core.design import Design, design_from
from studies.core.plan import draw_ranks, plan_from_json, plan_study

PAPER = Design(seed=2013, conditions=("best", "diverse"))


@st.composite
def designs(draw):
    length = draw(st.integers(2, 8))
    shown = draw(st.integers(1, length))
    draws = draw(st.integers(1, 4))
    conditions = draw(st.integers(2, 4))
    design = Design(
        seed=draw(st.integers(0, 2**32)),
        conditions=tuple(f"c{number}" for number in range(conditions)),
        sample_size=draw(st.integers(1, 8)),
        list_length=length,
        shown=shown,
        draws=draws,
        judges=draw(st.integers(1, 5)),
        shuffle_shown=draw(st.booleans()),
        pairs_per_comparison=draw(st.none() | st.integers(1, draws**2)),
    )
    distinct = draw(st.booleans()) and draws <= design.possible_draws
    return Design(**{**design.as_dict(), "distinct_draws": distinct})


def test_the_papers_numbers():
    plan = plan_study(PAPER, range(200))
    assert (PAPER.editing_tasks, PAPER.eval_tasks, PAPER.judgments) == (1200, 1800, 5400)
    assert len(plan.editing) == 1200
    assert len(plan.evaluation) == 1800
    assert sum(len(task.swapped) for task in plan.evaluation) == 5400


@given(designs())
@settings(deadline=None, max_examples=60)
def test_what_holds_of_every_plan(design):
    segments = range(100, 100 + design.sample_size)
    plan = plan_study(design, segments)
    assert len(plan.editing) == design.editing_tasks
    assert len(plan.evaluation) == design.eval_tasks
    assert sum(len(task.swapped) for task in plan.evaluation) == design.judgments

    by_draw = {}
    for task in plan.editing:
        assert task.ranks.count(1) == 1
        assert len(set(task.ranks)) == design.shown
        assert set(task.ranks) <= set(range(1, design.list_length + 1))
        by_draw.setdefault((task.segment, task.draw), []).append(task)
    for tasks in by_draw.values():
        # Each condition once, all with the same ranks.
        assert sorted(task.condition for task in tasks) == sorted(design.conditions)
        assert len({frozenset(task.ranks) for task in tasks}) == 1

    keys = [(task.segment, task.first, task.second) for task in plan.evaluation]
    assert len(set(keys)) == len(keys)
    for task in plan.evaluation:
        assert (task.first[0], task.second[0]) in design.compared
        assert abs(sum(task.swapped) * 2 - design.judges) <= 1

    # Handed out sentence by sentence.
    for tasks in (plan.editing, plan.evaluation):
        order = [task.segment for task in tasks]
        assert order == sorted(order)


@given(designs())
@settings(deadline=None, max_examples=30)
def test_a_plan_is_its_design_and_can_be_read_back(design):
    plan = plan_study(design, range(design.sample_size))
    assert plan_study(design, range(design.sample_size)).checksum == plan.checksum
    assert plan_from_json(plan.to_json()) == plan
    assert design_from(design.as_dict()) == design


def test_another_seed_is_another_plan():
    other = Design(seed=2014, conditions=("best", "diverse"))
    assert plan_study(PAPER, range(9)).checksum != plan_study(other, range(9)).checksum


def test_a_plan_is_the_same_for_ever():
    """A change here breaks every registered plan: the checksum was taken in November 2026."""
    checksum = plan_study(PAPER, range(20)).checksum
    assert checksum == "443111bef26a1df35d0923a229d9cde26353ba7b281361354f9efb09779ff23e"


def test_a_sentence_keeps_its_tasks_whatever_the_others_are():
    one, many = plan_study(PAPER, [7]), plan_study(PAPER, range(20))
    assert set(one.editing) == {task for task in many.editing if task.segment == 7}
    assert set(one.evaluation) == {task for task in many.evaluation if task.segment == 7}


def test_draws_are_uniform():
    """6 sets of two of four, 3 draws for each of 2,000 sentences: 1,000 times each, within 5 sd."""
    seen = Counter(ranks for segment in range(2000) for ranks in draw_ranks(PAPER, segment))
    assert len(seen) == 6
    assert all(abs(count - 1000) < 5 * 29 for count in seen.values())


def test_distinct_draws_show_different_translations():
    design = Design(seed=1, conditions=("best", "diverse"), draws=6, distinct_draws=True)
    for segment in range(50):
        assert len(set(draw_ranks(design, segment))) == 6


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"conditions": ("best",)}, "two or more conditions"),
        ({"conditions": ("best", "diverse", "best")}, "named twice"),
        ({"sample_size": 0}, "sample is empty"),
        ({"shortest_reference": 30}, "no reference has 30 to 25 words"),
        ({"shown": 6}, "6 translations cannot be shown of a list of 5"),
        ({"draws": 0}, "no draw"),
        ({"draws": 7, "distinct_draws": True}, "only 6 different draws"),
        ({"judges": 0}, "nobody judges"),
        ({"pairs_per_comparison": 10}, "a comparison has 9 pairs"),
        ({"comparisons": (("best", "human"),)}, "not in the study"),
        ({"comparisons": (("best", "best"),)}, "one twice"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        Design(**{"seed": 1, "conditions": ("best", "diverse")} | wrong)


def test_a_design_of_a_newer_version_is_refused():
    with pytest.raises(InputError, match="unknown parts: colour"):
        design_from(PAPER.as_dict() | {"colour": "red"})
