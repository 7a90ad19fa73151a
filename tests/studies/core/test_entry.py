from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evaluation.core.errors import InputError
from studies.core.design import Design
from studies.core.entry import (
    AGAIN,
    ASKED,
    FAILED,
    LONGEST_SECONDS,
    NO_ENTRY,
    PASSED,
    Entry,
    Item,
    Progress,
    Question,
    entry_from,
    progress,
    reading_seconds,
    training_seconds,
)
from studies.core.plan import plan_from_json, plan_study
from studies.wordings import DEFAULTS, TRAININGS, training_for

NATIVE = Question("Your first language?", ("English", "another"), ("English",))
EDIT = Item(
    "editing",
    ("the minister rejected yesterday the demands of strikers", "turned down the minister"),
    ("Yesterday the minister rejected the strikers' demands.",),
)
PAIR = Item("eval", ("The talks failed.", "The talks began."), ("a",), reference="They failed.")
ENTRY = Entry((NATIVE,), (EDIT, PAIR), pass_mark=1)
PLAN_OF = Design(seed=3, conditions=("best", "diverse"), sample_size=2)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("Yesterday the minister rejected the strikers' demands.", True),
        ("yesterday the minister rejected the demands of the strikers", True),
        ("The minister yesterday turned down what the strikers asked for", False),
        ("I like cheese.", False),
        # Copied as it stood, however close it is.
        ("The minister rejected yesterday the demands of strikers.", False),
        ("  ", False),
    ],
)
def test_an_edit_is_right_when_it_is_close_to_a_good_sentence(answer, right):
    assert EDIT.is_right(answer, closeness=60) is right


def test_a_translation_that_is_good_as_it_stands_may_be_copied():
    item = replace(EDIT, texts=(*EDIT.texts, EDIT.good[0]))
    assert item.is_right(EDIT.good[0], closeness=60)


def test_a_choice_is_right_or_not():
    assert [PAIR.is_right(one, closeness=60) for one in ("a", "b", "same", "")] == [
        True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Question(" ", ("a", "b"), ("a",)), "has no words"),
        (lambda: Question("q", ("a",), ("a",)), "needs two or more"),
        (lambda: Question("q", ("a", "a"), ("a",)), "needs two or more"),
        (lambda: Question("q", ("a", "b"), ()), "admits nobody"),
        (lambda: Question("q", ("a", "b"), ("c",)), "does not offer"),
        (lambda: Item("other", ("a",), ("b",)), "no training for 'other'"),
        (lambda: Item("editing", (), ("b",)), "no translations, or no good sentence"),
        (lambda: Item("eval", ("a", "b"), ("a",)), "no reference, or not two sentences"),
        (lambda: Item("eval", ("x", "y"), ("x",), reference="r"), "no right answer"),
        (lambda: replace(ENTRY, pass_mark=3), "3 right answers cannot be given to 2 items"),
        (lambda: replace(ENTRY, attempts=0), "nobody may try"),
        (lambda: replace(ENTRY, closeness=0), "closeness is from 1 to 100"),
    ],
)
def test_what_cannot_be_is_refused_in_words(make, problem):
    with pytest.raises(InputError, match=problem):
        make()


def test_it_is_written_and_read_back():
    assert entry_from(json.loads(json.dumps(ENTRY.as_dict()))) == ENTRY
    assert NO_ENTRY.as_dict() == {}
    assert entry_from({}) == NO_ENTRY
    with pytest.raises(InputError, match="unknown parts: colour"):
        entry_from(ENTRY.as_dict() | {"colour": 1})


def test_it_is_part_of_the_plan_and_of_its_checksum():
    plain, with_entry = plan_study(PLAN_OF, (1, 2)), plan_study(PLAN_OF, (1, 2), ENTRY)
    assert plan_from_json(with_entry.to_json()) == with_entry
    other = plan_study(PLAN_OF, (1, 2), replace(ENTRY, pass_mark=2))
    assert len({plain.checksum, with_entry.checksum, other.checksum}) == 3
    # A plan without it has the checksum that it had before there was such a thing.
    assert "entry" not in json.loads(plain.to_json())


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ([], Progress(ASKED, 1, 1)),
        ([(1, 1, False)], Progress(ASKED, 1, 2)),
        ([(1, 1, True), (1, 2, False)], Progress(PASSED, 1, right=1)),
        ([(1, 1, False), (1, 2, False)], Progress(AGAIN, 1)),
        ([(1, 1, False), (1, 2, False), (2, 1, True)], Progress(ASKED, 2, 2, 1)),
        ([(a, n, False) for a in (1, 2) for n in (1, 2)], Progress(FAILED, 2)),
    ],
)
def test_where_somebody_is_in_the_training(given, where):
    assert progress(ENTRY, given) == where


def test_a_training_without_a_mark_is_passed_by_everybody():
    entry = replace(ENTRY, pass_mark=0)
    assert progress(entry, [(1, 1, False), (1, 2, False)]).state == PASSED


@pytest.mark.parametrize("language", list(TRAININGS))
def test_the_shipped_training_is_short_and_can_be_passed(language):
    entry = training_for(language)
    assert training_seconds(entry.items) <= LONGEST_SECONDS
    for item in entry.items:
        assert item.is_right(item.good[0], closeness=entry.closeness)
        wrong = item.texts[0] if item.kind == "editing" else "a"
        assert not item.is_right(wrong, closeness=entry.closeness)


def test_consent_and_instructions_are_read_in_two_minutes():
    assert reading_seconds(DEFAULTS["consent"]) <= LONGEST_SECONDS
    assert reading_seconds(DEFAULTS["editing"], DEFAULTS["eval"]) <= LONGEST_SECONDS


def test_other_languages_have_none():
    assert training_for("de") == NO_ENTRY
    assert training_for("en-GB").items
