from __future__ import annotations

import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from evaluation.core.errors import InputError
from studies.actions import handing_out, handing_out_statements
from studies.actions.handing_out import (
    NotNow,
    Telemetry,
    last_judgment,
    lease_next,
    pass_task,
    revise_judgment,
    save_draft,
    submit_edit,
    submit_judgment,
)
from studies.actions.running import pause_study, stop_study
from studies.core.assignment import Meeting, Place, kinds_to_try, next_place
from studies.core.conduct import Conduct
from studies.models import Assignment, Edit, Judgment, Participant, Slot
from tests.studies.making import make_participant, make_running_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(user):
    return make_running_study(user)


def let_time_pass(study, **by) -> None:
    """Every lease was given, and every answer made, so much earlier."""
    before = timedelta(**by)
    Slot.objects.filter(study=study, state="leased").update(expires_at=F("expires_at") - before)
    Judgment.objects.filter(slot__study=study).update(answered_at=F("answered_at") - before)


def finish_editing(study) -> None:
    """Three sentences, six edits each: six people edit one of each."""
    for _ in range(6):
        editor = make_participant(study)
        for _ in range(study.the_design.sample_size):
            task = lease_next(editor.pk)
            submit_edit(editor.pk, task.key, f"edit of {task.task_id}")
    assert not Slot.objects.filter(study=study, kind="editing").exclude(state="filled").exists()


def test_the_first_of_the_plan_is_handed_out_first(study):
    one, two = make_participant(study), make_participant(study)
    first, second = lease_next(one.pk), lease_next(two.pk)
    assert [first.slot.position, second.slot.position] == [1, 2]
    assert first.slot.task.kind == "editing"


def test_asking_again_gives_the_same_task(study):
    one = make_participant(study)
    assert lease_next(one.pk).key == lease_next(one.pk).key
    assert Slot.objects.filter(study=study, state="leased").count() == 1


def test_nobody_meets_a_sentence_twice(study):
    one = make_participant(study)
    met = []
    while (task := lease_next(one.pk)) is not None:
        met.append(task.segment_id)
        submit_edit(one.pk, task.key, "a sentence")
    assert len(met) == len(set(met)) == 3


def test_an_edit_fills_its_slot_and_is_kept_as_sent(study):
    one = make_participant(study)
    task = lease_next(one.pk)
    telemetry = Telemetry(active_seconds=12.5, keystrokes=40, copied_from=2)
    receipt = submit_edit(one.pk, task.key, "  A\nsentence\u202e. ", telemetry)
    edit = Edit.objects.get()
    assert receipt.standing == edit.standing == "counted"
    assert (edit.text, edit.keystrokes, edit.copied_from) == ("A sentence.", 40, 2)
    assert edit.seconds >= 0
    task.slot.refresh_from_db()
    assert (task.slot.state, task.slot.participant) == ("filled", one)


def test_a_form_sent_twice_is_one_answer(study):
    one = make_participant(study)
    task = lease_next(one.pk)
    assert not submit_edit(one.pk, task.key, "one").repeated
    again = submit_edit(one.pk, task.key, "another")
    assert (again.standing, again.repeated) == ("counted", True)
    assert Edit.objects.get().text == "one"


@pytest.mark.parametrize("text", ["", " \n ", "\u200e\u202e", "\x00\x1b"])
def test_nothing_is_not_a_sentence(study, text):
    one = make_participant(study)
    with pytest.raises(InputError, match="no sentence yet"):
        submit_edit(one.pk, lease_next(one.pk).key, text)


def test_the_form_of_another_is_refused(study):
    one, two = make_participant(study), make_participant(study)
    task = lease_next(one.pk)
    with pytest.raises(NotNow):
        submit_edit(two.pk, task.key, "mine")
    with pytest.raises(NotNow):
        submit_edit(two.pk, uuid4(), "mine")
    with pytest.raises(NotNow):
        submit_judgment(one.pk, task.key, "a")
    assert not save_draft(two.pk, task.key, "mine")
    assert not Edit.objects.exists()


def test_a_lease_that_ran_out_goes_to_others_and_the_late_answer_is_kept(study):
    one, two = make_participant(study), make_participant(study)
    task = lease_next(one.pk)
    save_draft(one.pk, task.key, "half a")
    let_time_pass(study, hours=1)
    taken = lease_next(two.pk)
    assert taken.slot_id == task.slot_id
    assert submit_edit(two.pk, taken.key, "in time").standing == "counted"
    assert submit_edit(one.pk, task.key, "too late").standing == "late"
    assert {edit.text: edit.standing for edit in Edit.objects.all()} == {
        "in time": "counted",
        "too late": "late",
    }


def test_a_lease_that_ran_out_is_renewed_while_nobody_has_taken_it(study):
    one = make_participant(study)
    task = lease_next(one.pk)
    let_time_pass(study, hours=1)
    assert save_draft(one.pk, task.key, "still here")
    task.slot.refresh_from_db()
    assert task.slot.state == "leased"
    let_time_pass(study, hours=1)
    assert handing_out.expire(study.pk) == 1
    # Opened, but not taken: what was begun goes on.
    again = lease_next(one.pk)
    assert (again.key, again.draft) == (task.key, "still here")
    let_time_pass(study, hours=1)
    handing_out.expire(study.pk)
    assert submit_edit(one.pk, task.key, "done").standing == "counted"


def test_who_lost_their_task_gets_another_of_another_sentence(study):
    one, two = make_participant(study), make_participant(study)
    lost = lease_next(one.pk)
    let_time_pass(study, hours=1)
    lease_next(two.pk)
    new = lease_next(one.pk)
    assert new.segment_id != lost.segment_id
    lost.refresh_from_db()
    assert lost.state == "lost"


def test_a_draft_is_kept_even_when_the_task_is_gone(study):
    one, two = make_participant(study), make_participant(study)
    task = lease_next(one.pk)
    let_time_pass(study, hours=1)
    lease_next(two.pk)
    assert not save_draft(one.pk, task.key, "written offline")
    task.refresh_from_db()
    assert task.draft == "written offline"


def test_a_task_that_makes_no_sense_goes_to_others_and_then_ends(user):
    study = make_running_study(user, sentences=1, conduct=Conduct(most_passes=2))
    for expected in ("open", "void"):
        one = make_participant(study)
        task = lease_next(one.pk)
        assert task.slot.position == 1
        assert pass_task(one.pk, task.key).standing == "passed"
        assert pass_task(one.pk, task.key).repeated
        task.slot.refresh_from_db()
        assert task.slot.state == expected
    for _ in range(5):
        one = make_participant(study)
        task = lease_next(one.pk)
        submit_edit(one.pk, task.key, "a sentence")
    # Of its 9 pairs the 3 with that edit are not judged.
    states = Slot.objects.filter(study=study, kind="eval").values_list("state", flat=True)
    assert sorted(states) == ["open"] * 18 + ["void"] * 9


def test_a_sentence_is_judged_as_soon_as_its_edits_are_there(study):
    sentence = Slot.objects.get(study=study, kind="editing", position=1).segment_id
    for _ in range(6):
        one = make_participant(study)
        task = lease_next(one.pk)
        assert task.segment_id == sentence
        waiting = Slot.objects.filter(study=study, kind="eval", state="waiting")
        assert waiting.count() == 81
        submit_edit(one.pk, task.key, "a sentence")
    open_ = Slot.objects.filter(study=study, kind="eval", state="open")
    assert set(open_.values_list("segment_id", flat=True)) == {sentence}
    assert open_.count() == 27


def test_judging_can_wait_for_all_edits(user):
    study = make_running_study(user, conduct=Conduct(eval_follows=False))
    one = make_participant(study)
    for _ in range(6):
        other = make_participant(study)
        submit_edit(other.pk, lease_next(other.pk).key, "a sentence")
    assert lease_next(one.pk).kind == "editing"
    assert not Slot.objects.filter(study=study, kind="eval", state="open").exists()
    for _ in range(5):
        other = make_participant(study)
        while (task := lease_next(other.pk)) and task.kind == "editing":
            submit_edit(other.pk, task.key, "a sentence")
    while (task := lease_next(one.pk)) and task.kind == "editing":
        submit_edit(one.pk, task.key, "a sentence")
    other = make_participant(study)
    while (task := lease_next(other.pk)) and task.kind == "editing":
        submit_edit(other.pk, task.key, "a sentence")
    assert not Slot.objects.filter(study=study, kind="eval", state="waiting").exists()


def test_who_edited_does_not_judge_the_sentence(study):
    finish_editing(study)
    for editor in Participant.objects.filter(study=study):
        assert lease_next(editor.pk) is None


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("choice", "expected"), [("a", "first"), ("b", "second"), ("same", "same")]
)
def test_a_choice_is_of_the_pair_not_of_the_page(study, swapped, choice, expected):
    finish_editing(study)
    Slot.objects.filter(study=study, kind="eval").update(swapped=swapped)
    judge = make_participant(study)
    task = lease_next(judge.pk)
    submit_judgment(judge.pk, task.key, choice, Telemetry(saw_differences=True))
    judgment = Judgment.objects.get()
    other = {"first": "second", "second": "first", "same": "same"}
    assert judgment.choice == (other[expected] if swapped else expected)
    assert judgment.first.task == task.slot.task.first
    assert judgment.saw_differences


def test_an_unknown_choice_is_refused(study):
    finish_editing(study)
    judge = make_participant(study)
    with pytest.raises(InputError, match="no choice"):
        submit_judgment(judge.pk, lease_next(judge.pk).key, "c")


def test_the_last_judgment_can_be_taken_back_for_a_while(study):
    finish_editing(study)
    judge = make_participant(study)
    task = lease_next(judge.pk)
    submit_judgment(judge.pk, task.key, "a")
    held = lease_next(judge.pk)
    judge.refresh_from_db()
    old = last_judgment(judge)
    key = uuid4()
    assert revise_judgment(judge.pk, old.form_key, key, "same").standing == "counted"
    assert revise_judgment(judge.pk, old.form_key, key, "b").repeated
    standings = list(Judgment.objects.order_by("pk").values_list("standing", "choice"))
    assert [standing for standing, _ in standings] == ["undone", "counted"]
    assert standings[1][1] == "same"
    # The task in hand was not touched.
    assert lease_next(judge.pk).key == held.key
    let_time_pass(study, minutes=2)
    with pytest.raises(NotNow, match="no longer"):
        revise_judgment(judge.pk, key, uuid4(), "b")


def test_no_pair_gets_a_fourth_judgment(study):
    finish_editing(study)
    answers = 0
    for _ in range(40):
        judge = make_participant(study)
        while (task := lease_next(judge.pk)) is not None:
            submit_judgment(judge.pk, task.key, "same")
            answers += 1
    assert answers == 81
    assert not Slot.objects.filter(study=study).exclude(state="filled").exists()


def test_one_may_judge_several_pairs_of_a_sentence_if_the_study_says_so(user):
    study = make_running_study(user, sentences=2, conduct=Conduct(pairs_per_judge=4))
    finish_editing(study)
    judge = make_participant(study)
    tasks = []
    while (task := lease_next(judge.pk)) is not None:
        submit_judgment(judge.pk, task.key, "a")
        tasks.append((task.segment_id, task.task_id))
    assert len(tasks) == len(set(tasks)) == 8
    for editor in Participant.objects.filter(study=study, edits__isnull=False).distinct():
        assert lease_next(editor.pk) is None


def test_a_limit_ends_a_persons_part(user):
    study = make_running_study(user, conduct=Conduct(tasks_per_participant=2))
    one = make_participant(study)
    for _ in range(2):
        submit_edit(one.pk, lease_next(one.pk).key, "a sentence")
    assert lease_next(one.pk) is None


def test_a_paused_study_hands_out_nothing_and_takes_everything(study):
    one, two = make_participant(study), make_participant(study)
    task = lease_next(one.pk)
    assert pause_study(study)
    with pytest.raises(NotNow, match="not running"):
        lease_next(two.pk)
    assert lease_next(one.pk).key == task.key
    assert submit_edit(one.pk, task.key, "done").standing == "counted"


def test_what_comes_after_the_end_is_kept_as_late(study):
    one = make_participant(study)
    task = lease_next(one.pk)
    assert stop_study(study)
    assert submit_edit(one.pk, task.key, "done").standing == "late"


def test_without_consent_there_is_no_task(study):
    one = make_participant(study, state="arrived")
    with pytest.raises(NotNow):
        lease_next(one.pk)


def test_the_query_agrees_with_the_rules_in_plain_words(user):
    """A random crowd; before every step the database's choice is compared with the core's."""
    pairs = 2
    study = make_running_study(user, sentences=4, conduct=Conduct(pairs_per_judge=pairs))
    rng = random.Random(3)
    crowd = [make_participant(study) for _ in range(9)]
    for _ in range(160):
        one = rng.choice(crowd)
        one.refresh_from_db()
        held = Assignment.objects.filter(participant=one, state="held").first()
        expected = held and held.slot.position, held and held.kind
        if held is None:
            free = [
                Place(slot.kind, slot.segment_id, slot.task_id, slot.position)
                for slot in Slot.objects.filter(study=study, state="open")
            ]
            met = [
                Meeting(past.kind, past.segment_id, past.task_id) for past in one.assignments.all()
            ]
            place = next(
                (
                    found
                    for kind in kinds_to_try(one.kind)
                    if (found := next_place(free, met, kind, pairs_per_judge=pairs))
                ),
                None,
            )
            expected = place and place.position, place and place.kind
        task = lease_next(one.pk)
        assert (task and task.slot.position, task and task.kind) == expected
        if task is not None and rng.random() < 0.8:
            if task.kind == "editing":
                submit_edit(one.pk, task.key, "a sentence")
            else:
                submit_judgment(one.pk, task.key, rng.choice(["a", "b", "same"]))


def test_the_number_of_queries_does_not_grow_with_the_study(user, django_assert_num_queries):
    small = make_running_study(user, sentences=1)
    large = make_running_study(user, sentences=12)
    for study in (small, large):
        one = make_participant(study)
        with django_assert_num_queries(9):  # two of them the transaction's
            task = lease_next(one.pk)
        with django_assert_num_queries(10):
            submit_edit(one.pk, task.key, "a sentence")


@pytest.mark.parametrize("pairs", [1, 9])
@pytest.mark.parametrize("first", ["editing", "eval"])
def test_the_database_keeps_editors_and_judges_of_a_sentence_apart(user, pairs, first):
    """Whatever a claim would choose: the statement that assigns cannot write it down."""
    study = make_running_study(user, sentences=1, conduct=Conduct(pairs_per_judge=pairs))
    one = make_participant(study)
    slots = {
        kind: Slot.objects.filter(study=study, kind=kind).last() for kind in ("editing", "eval")
    }

    def assign(kind) -> None:
        slot = slots[kind]
        handing_out_statements.ASSIGN.run(
            participant=one.pk, slot=slot.pk, task=slot.task_id, kind=kind,
            segment=slot.segment_id, key=uuid4().hex,
        )  # fmt: skip
        Assignment.objects.update(state="done")

    assign(first)
    with pytest.raises(IntegrityError), transaction.atomic():
        assign({"editing": "eval", "eval": "editing"}[first])


def test_the_database_refuses_a_second_judgment_of_a_pair_by_one_person(study):
    finish_editing(study)
    judge = make_participant(study)
    submit_judgment(judge.pk, lease_next(judge.pk).key, "a")
    first = Judgment.objects.get()
    other = Slot.objects.filter(task=first.task).exclude(pk=first.slot_id).first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Slot.objects.filter(pk=other.pk).update(state="filled", participant=judge)
    for standing in ("counted", "late", "excluded", "stale"):
        again = Judgment.objects.get(pk=first.pk)
        again.pk, again.form_key, again.slot, again.standing = None, uuid4(), other, standing
        with pytest.raises(IntegrityError), transaction.atomic():
            again.save(force_insert=True)


def test_times_are_the_databases(study):
    one = make_participant(study)
    task = lease_next(one.pk)
    slot = Slot.objects.annotate(left=F("expires_at") - Now()).get(pk=task.slot_id)
    assert timedelta(seconds=880) < slot.left <= timedelta(seconds=900)
