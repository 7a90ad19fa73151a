from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.urls import reverse
from django.utils.html import escape

from decoding.models import Job, ListEntry
from studies.actions.handing_out import lease_next, submit_edit, submit_judgment
from studies.actions.participants import exclude, reinstate
from studies.actions.planning import freeze_study
from studies.core.conduct import Conduct
from studies.models import Assignment, Edit, Judgment, Participant, Slot, Study
from tests.factories import make_list, make_system
from tests.studies.making import make_lists, make_participant, make_running_study, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client, user):
    client.force_login(user)
    return client


def address(study, page: str, *more) -> str:
    return reverse(f"studies:{page}", args=[study.pk, *more])


def play(study, people: int = 40, **fields) -> None:
    """Let people do all they may."""
    for _ in range(people):
        one = make_participant(study, **fields)
        while (task := lease_next(one.pk)) is not None:
            if task.kind == "editing":
                submit_edit(one.pk, task.key, f"edit of task {task.task.number}")
            else:
                submit_judgment(one.pk, task.key, "a")


# --- Designing ----------------------------------------------------------------------------------


def test_from_nothing_to_a_running_study(client, user):
    corpus, conditions = make_lists(user, 12)
    assert b"No studies yet" in client.get("/studies/").content
    page = client.get("/studies/new/").content.decode()
    assert f"?corpus={corpus.pk}" in page
    lists = [f"{system.pk}-{version.pk}" for _, system, version in conditions]
    answer = client.post(
        f"/studies/new/?corpus={corpus.pk}",
        {"name": "Pilot", "lists_1": lists[0], "name_1": "best", "lists_2": lists[1],
         "name_2": "diverse", "lists_3": "", "name_3": ""},
    )  # fmt: skip
    study = Study.objects.get()
    assert answer.url == address(study, "step", "design")
    page = client.get(answer.url).content.decode()
    assert "Sentences to choose from" in page
    form = client.get(answer.url).context["form"].initial
    fields = {
        name: value for name, value in form.items() if value is not False and value is not None
    }
    answer = client.post(answer.url, fields | {"sample_size": 10, "seed": 5, "excluded": "3, 4"})
    assert answer.status_code == 302
    study.refresh_from_db()
    assert (study.the_design.sample_size, study.excluded) == (10, [3, 4])
    page = client.get(address(study, "step", "design")).content.decode()
    assert "60" in page  # EDITING tasks
    assert client.post(address(study, "freeze")).url == address(study, "study")
    study.refresh_from_db()
    assert (study.state, study.slots.filter(kind="eval").count()) == ("frozen", 270)
    client.post(address(study, "change-state", "start"))
    study.refresh_from_db()
    assert study.is_running
    assert b"Pilot" in client.get("/").content


def test_a_design_that_cannot_be_is_refused_in_words(client, user):
    study = make_study(user)
    initial = client.get(address(study, "step", "design")).context["form"].initial
    fields = {
        name: value for name, value in initial.items() if value is not False and value is not None
    }
    page = client.post(address(study, "step", "design"), fields | {"shown": 6})
    assert page.status_code == 422
    assert "6 translations cannot be shown of a list of 5" in page.content.decode()
    study.refresh_from_db()
    assert study.the_design.shown == 3


def test_a_sample_that_is_too_large_is_said_before_freezing(client, user):
    study = make_study(user)
    Study.objects.update(design=study.design | {"sample_size": 50})
    page = client.get(address(study, "step", "design")).content.decode()
    assert "only 3 sentences can be chosen, not 50" in page
    assert "Freeze the plan" not in page
    client.post(address(study, "freeze"))
    study.refresh_from_db()
    assert study.is_draft


@pytest.mark.parametrize("step", ["conditions", "design", "conduct", "wordings", "arrival"])
def test_every_step_shows_and_saves(client, user, step):
    study = make_study(user)
    form = client.get(address(study, "step", step)).context["form"]
    fields = {
        name: value
        for name in form.fields
        if (value := form[name].value()) is not False and value is not None
    }
    assert client.post(address(study, "step", step), fields).status_code == 302
    before = study.design, study.conduct, study.is_open
    study.refresh_from_db()
    assert json.loads(json.dumps([study.design, study.conduct, study.is_open])) == json.loads(
        json.dumps(before)
    )
    assert study.wordings.count() == 3


def test_a_frozen_design_stands(client, user):
    study = freeze_study(make_study(user))
    assert client.get(address(study, "step", "design")).status_code == 302
    assert client.post(address(study, "step", "conduct"), {}).status_code == 302
    client.post(
        address(study, "step", "wordings"),
        {"consent": "New.", "editing": "E.", "eval": "V.", "reason": "clearer"},
    )
    versions = study.wordings.filter(kind="consent").values_list("version", "text")
    assert versions[0] == (2, "New.")


def test_an_amendment_is_recorded_with_its_reason(client, user):
    study = freeze_study(make_study(user))
    form = client.get(address(study, "amend")).context["form"]
    fields = {
        name: value
        for name in form.fields
        if (value := form[name].value()) is not False and value is not None
    }
    fields |= {"editing_seconds": 1200}
    assert client.post(address(study, "amend"), fields).status_code == 422
    client.post(address(study, "amend"), fields | {"reason": "People needed longer."})
    amendment = study.amendments.get()
    assert (amendment.what, amendment.before, amendment.after, amendment.author) == (
        "editing_seconds",
        {"editing_seconds": 900},
        {"editing_seconds": 1200},
        user,
    )
    study.refresh_from_db()
    assert study.the_conduct.editing_seconds == 1200
    assert b"People needed longer." in client.get(address(study, "amend")).content


def test_the_plan_as_a_file_is_the_same_for_the_same_study(client, user):
    study = freeze_study(make_study(user))
    first = client.get(address(study, "registration"))
    assert first["Content-Disposition"].endswith('-plan.json"')
    assert json.loads(first.content)["plan_checksum"] == study.checksum
    assert client.get(address(study, "registration")).content == first.content


@pytest.mark.slow
def test_power_says_what_can_be_found(client, user):
    study = make_study(user, sentences=20)
    page = client.get(address(study, "power")).content.decode()
    assert "12 points" in page


@pytest.mark.parametrize("page", ["consent", "instructions", "editing", "eval"])
@pytest.mark.parametrize("frozen", [False, True])
def test_a_preview_shows_the_page_and_leases_nothing(client, user, page, frozen):
    study = make_study(user)
    if frozen:
        study = freeze_study(study)
    answer = client.get(address(study, "preview", page))
    assert answer.status_code == 200
    assert "This is a preview" in answer.content.decode()
    assert not Assignment.objects.exists()
    assert not Participant.objects.exists()


# --- Running ------------------------------------------------------------------------------------


def test_the_dashboard_says_how_far_it_is(client, user):
    study = make_running_study(user, sentences=1)
    play(study, people=6)
    editing, judging = client.get(address(study, "study")).context["dashboard"].stages
    assert (editing.counts.filled, editing.counts.total) == (6, 6)
    assert (judging.counts.open, judging.counts.filled) == (27, 0)
    play(study, people=27)
    shown = client.get(address(study, "study")).context["dashboard"]
    assert (shown.complete, shown.sentences) == (1, 1)
    assert shown.stages[1].per_second > 0
    page = client.get(address(study, "study"), headers={"HX-Request": "true"}).content.decode()
    assert page.lstrip().startswith("<section")
    page = client.get(address(study, "participants"), headers={"HX-Request": "true"})
    assert page.content.decode().lstrip().startswith("<section")
    assert 'hx-trigger="every 5s"' in page.content.decode()


def test_states_change_one_way(client, user):
    study = make_running_study(user)
    for change, expected in (
        ("pause", "paused"), ("pause", "paused"), ("start", "running"), ("stop", "ended"),
        ("start", "ended"),
    ):  # fmt: skip
        client.post(address(study, "change-state", change))
        study.refresh_from_db()
        assert study.state == expected
    assert client.post(address(study, "change-state", "delete")).status_code == 404


def test_participants_tasks_and_answers_can_be_looked_at(client, user, django_assert_num_queries):
    study = make_running_study(user, sentences=1)
    play(study, people=8)
    page = client.get(address(study, "participants")).content.decode()
    one = Edit.objects.first().participant
    assert one.pseudonym in page
    page = client.get(address(study, "participant", one.pseudonym)).content.decode()
    assert one.edits.get().text in page
    for kind in ("editing", "eval"):
        assert client.get(address(study, "tasks", kind)).status_code == 200
        assert client.get(address(study, "study-task", kind, 1)).status_code == 200
    assert client.get(address(study, "study-task", "eval", 99)).status_code == 404
    assert client.get(address(study, "tasks", "other")).status_code == 404


def test_a_list_of_participants_takes_as_many_queries_for_ten(
    client, user, django_assert_max_num_queries
):
    study = make_running_study(user)
    counts = []
    for _ in range(2):
        play(study, people=5)
        with django_assert_max_num_queries(30) as caught:
            client.get(address(study, "participants"))
        counts.append(len(caught))
    assert counts[0] == counts[1]


def test_an_exclusion_needs_a_reason_opens_tasks_and_can_be_undone(client, user):
    study = make_running_study(user, sentences=1, conduct=Conduct(pairs_per_judge=9))
    play(study, people=9)
    assert set(Slot.objects.values_list("state", flat=True)) == {"filled"}
    edit = Edit.objects.order_by("pk").first()
    page = address(study, "participant", edit.participant.pseudonym)
    assert client.post(page, {"action": "exclude", "reason": ""}).status_code == 422
    client.post(page, {"action": "exclude", "reason": "pasted from a machine"})
    edit.refresh_from_db()
    assert (edit.standing, edit.text != "") == ("excluded", True)
    states = sorted(Slot.objects.values_list("kind", "state"))
    assert states.count(("editing", "open")) == 1
    # Three pairs of three judgments were about that edit.
    assert states.count(("eval", "waiting")) == 9
    assert Judgment.objects.filter(standing="stale").count() == 9
    client.post(page, {"action": "reinstate"})
    assert set(Slot.objects.values_list("state", flat=True)) == {"filled"}
    assert not Judgment.objects.exclude(standing="counted").exists()


def test_who_was_replaced_meanwhile_is_kept_as_late(user):
    study = make_running_study(user, sentences=1)
    play(study, people=6)
    old = Edit.objects.order_by("pk").first()
    exclude(old.participant, "too fast")
    play(study, people=1)
    new = Edit.objects.get(slot=old.slot, standing="counted")
    reinstate(old.participant)
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.standing, new.standing) == ("late", "counted")


def test_an_excluded_judge_opens_the_pairs(user):
    study = make_running_study(user, sentences=1)
    play(study, people=7)
    judgment = Judgment.objects.get()
    exclude(judgment.participant, "always A")
    assert Slot.objects.get(pk=judgment.slot_id).state == "open"
    reinstate(judgment.participant)
    judgment.refresh_from_db()
    assert judgment.standing == "counted"
    assert Slot.objects.get(pk=judgment.slot_id).participant == judgment.participant


def test_erasure_goes_down_to_the_database(client, user):
    study = make_running_study(user, sentences=1)
    play(study, people=7, identity=None)
    one = Edit.objects.order_by("pk").first().participant
    text = one.edits.get().text
    client.post(address(study, "participant", one.pseudonym), {"action": "erase"})
    from django.db import connection

    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            if table.startswith("studies_"):
                cursor.execute(f'SELECT * FROM "{table}"')
                for row in cursor.fetchall():
                    assert text not in map(str, row), table
                    assert one.pseudonym not in map(str, row), table
    assert Participant.objects.get(pk=one.pk).state == "erased"


def test_invitations_are_links(client, user):
    study = make_running_study(user)
    answer = client.post(address(study, "invite"), {"count": 3})
    links = answer.content.decode().split()
    assert len(set(links)) == 3
    assert all(f"/take/{study.code}/?invitation=" in link for link in links)


def test_the_crowd_is_a_job(client, user):
    study = make_running_study(user)
    answer = client.post(address(study, "crowd"), {"people": 4, "seed": 2})
    job = Job.objects.get()
    assert answer.url == job.get_absolute_url()
    assert (job.kind, job.parameters["people"]) == ("simulate-crowd", 4)


# --- Files --------------------------------------------------------------------------------------


def table(client, study, name, form="csv", query=""):
    answer = client.get(address(study, "export", name, form) + query)
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode()
    if form == "csv":
        return list(csv.DictReader(io.StringIO(text)))
    return [json.loads(line) for line in text.splitlines()]


def test_everything_can_be_taken_away(client, user):
    study = make_running_study(user, sentences=1, conduct=Conduct(pairs_per_judge=9))
    play(study, people=9)
    edits = table(client, study, "edits")
    assert len(edits) == 6
    assert {row["condition"] for row in edits} == {"best", "diverse"}
    assert all(row["text"] == f"edit of task {row['task']}" for row in edits)
    judgments = table(client, study, "judgments")
    assert len(judgments) == 27
    # The choice is of what stood first and second on the page.
    assert {row["choice"] for row in judgments} == {"a"}
    assert {(row["condition a"], row["condition b"]) for row in judgments} == {
        ("best", "diverse"),
        ("diverse", "best"),
    }
    for row in judgments:
        saved = Judgment.objects.get(participant__pseudonym=row["worker"], task__number=row["pair"])
        shown = saved.second if saved.swapped else saved.first
        assert (row["text a"], row["condition a"]) == (shown.text, shown.task.condition.name)
    assert len(table(client, study, "tasks")) == 6 + 9
    assert len(table(client, study, "participants")) == 9
    assert len(table(client, study, "assignments")) == 6 + 27
    for name in ("edits", "judgments", "tasks", "participants", "assignments", "wordings"):
        assert len(table(client, study, name, "jsonl")) == len(table(client, study, name))
    assert table(client, study, "amendments") == []


def test_what_does_not_count_is_left_out_unless_it_is_asked_for(client, user):
    study = make_running_study(user, sentences=1)
    play(study, people=2, is_simulated=True)
    assert table(client, study, "edits") == []
    rows = table(client, study, "edits", query="?all=1")
    assert [row["simulated"] for row in rows] == ["yes", "yes"]
    answer = client.get(address(study, "export", "edits", "csv") + "?all=1")
    assert "with-simulated" in answer["Content-Disposition"]
    assert "simulated" in client.get(address(study, "study")).content.decode()


def test_a_spreadsheet_runs_no_formula_of_a_stranger(client, user):
    study = make_running_study(user, sentences=1)
    one = make_participant(study)
    submit_edit(one.pk, lease_next(one.pk).key, "=HYPERLINK(1)")
    assert table(client, study, "edits")[0]["text"] == "'=HYPERLINK(1)"
    assert table(client, study, "edits", "jsonl")[0]["text"] == "=HYPERLINK(1)"


# --- For whom -----------------------------------------------------------------------------------


PAGES = [
    ("study",), ("step", "design"), ("amend",), ("participants",), ("tasks", "editing"),
    ("registration",), ("power",), ("preview", "editing"), ("export", "edits", "csv"),
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_nobody_sees_the_study_of_another(client, colleague, page):
    study = make_running_study(colleague)
    assert client.get(address(study, *page)).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_visitors_are_asked_who_they_are(user, page):
    from django.test import Client

    study = make_running_study(user)
    assert "/account/login/" in Client().get(address(study, *page)).url


@pytest.mark.parametrize(
    "page",
    [("freeze",), ("change-state", "start"), ("crowd",), ("invite",)],
)
def test_a_viewer_changes_nothing(client, user, colleague, page):
    from decoding.actions.sharing import share_with

    study = make_running_study(colleague)
    share_with(study, user=user, role="viewer")
    assert client.get(address(study, "study")).status_code == 200
    assert client.post(address(study, *page)).status_code == 403


# --- Screening and training ------------------------------------------------------------------------


def formset(prefix: str, *rows: dict) -> dict:
    fields = {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": 0}
    for number, row in enumerate(rows):
        fields |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return fields


QUESTION = {"text": "First language?", "answers": "English\nother", "admitted": "English"}
ITEM = {
    "kind": "eval", "texts": "It rains.\nIt snows.", "reference": "Rain falls.", "good": "a",
    "why": "Snow is no rain.",
}  # fmt: skip
MARKS = {"pass_mark": 1, "attempts": 2, "closeness": 60}


def test_questions_and_items_are_written_by_the_wizard(client, user):
    study = make_study(user)
    form = {
        **MARKS,
        **formset("questions", QUESTION, {}),
        **formset("items", ITEM, {"kind": "editing"}),
    }
    assert client.post(address(study, "step", "entry"), form).status_code == 302
    study.refresh_from_db()
    entry = study.the_entry
    assert entry.questions[0].admitted == ("English",)
    assert (entry.items[0].texts, entry.pass_mark) == (("It rains.", "It snows."), 1)
    page = client.get(address(study, "step", "entry")).content.decode()
    for name in ("screening", "training-1", "screened", "unqualified"):
        assert address(study, "preview", name) in page
        assert client.get(address(study, "preview", name)).status_code == 200
    assert client.get(address(study, "preview", "training-2")).status_code == 404
    # Taken away again, both.
    form = {
        **MARKS,
        "pass_mark": 0,
        **formset("questions", QUESTION | {"DELETE": "on"}),
        **formset("items", ITEM | {"DELETE": "on"}),
        "questions-INITIAL_FORMS": 1,
        "items-INITIAL_FORMS": 1,
    }
    assert client.post(address(study, "step", "entry"), form).status_code == 302
    study.refresh_from_db()
    assert study.entry == {}


@pytest.mark.parametrize(
    ("question", "item", "marks", "problem"),
    [
        (QUESTION | {"admitted": "French"}, ITEM, {}, "does not offer"),
        (QUESTION, ITEM | {"good": "c"}, {}, "no right answer"),
        (QUESTION, ITEM, {"pass_mark": 2}, "2 right answers cannot be given to 1 items"),
    ],
)
def test_what_nobody_could_pass_is_refused(client, user, question, item, marks, problem):
    study = make_study(user)
    form = {**MARKS, **marks, **formset("questions", question), **formset("items", item)}
    page = client.post(address(study, "step", "entry"), form)
    assert page.status_code == 422
    assert problem in page.content.decode()
    study.refresh_from_db()
    assert study.entry == {}


def test_the_entry_stands_with_the_plan(client, user):
    study = freeze_study(make_study(user))
    form = {**MARKS, **formset("questions", QUESTION), **formset("items", ITEM)}
    assert client.post(address(study, "step", "entry"), form).url == address(study, "study")
    study.refresh_from_db()
    assert study.entry == {}


# --- What follows -----------------------------------------------------------------------------------


def filled(client, study, step: str) -> dict:
    """The step's form as it is shown."""
    form = client.get(address(study, "step", step)).context["form"]
    return {
        name: value
        for name in form.fields
        if (value := form[name].value()) is not False and value is not None
    }


def fact(page: str, name: str) -> str:
    value = page.split(f"<dt>{name}</dt>")[1].split("</dd>")[0]
    return re.sub(r"<[^>]*>", "", value).strip().split()[0]


def test_what_follows_is_shown_before_it_is_saved(client, user):
    study = make_study(user, sentences=6)
    fields = filled(client, study, "design") | {"sample_size": 5, "draws": 2}
    shown = client.post(address(study, "follows", "design"), fields)
    page = shown.content.decode()
    names = ("EDITING tasks", "EVAL tasks", "Judgments")
    assert [fact(page, name) for name in names] == ["20", "20", "60"]
    assert page.lstrip().startswith("<section")
    assert "it is not saved yet" in page
    assert "Freeze the plan" not in page
    study.refresh_from_db()
    assert study.the_design.sample_size == 6
    for wrong, words in (
        ({"sample_size": 50}, "only 6 sentences"),
        ({"shown": 9}, "9 translations"),
    ):
        page = client.post(address(study, "follows", "design"), fields | wrong).content.decode()
        assert words in page


def test_pay_follows_too(client, user):
    study = make_study(user, sentences=2)
    fields = filled(client, study, "conduct") | {"pay_per_hour": 100}
    before = client.get(address(study, "step", "conduct")).content.decode()
    after = client.post(address(study, "follows", "conduct"), fields).content.decode()
    assert int(fact(after, "Pay")) == pytest.approx(int(fact(before, "Pay")) * 100 / 12, abs=5)
    assert client.post(address(study, "follows", "nothing"), fields).status_code == 404


def test_how_translations_are_read_follows_too(client, user):
    study = make_study(user, sentences=2)
    entries = ListEntry.objects.filter(translation_list__segment__number=2)
    entries.update(text="&quot; Москва &quot; , he said .")
    fields = filled(client, study, "conduct")
    assert fields["non_ascii"] == "drop"
    for policy, shown in {
        "drop": '"", He said.', "keep": '"Москва", he said.', "transliterate": '"Moskva", he said.',
    }.items():  # fmt: skip
        said = fields | {"non_ascii": policy}
        page = client.post(address(study, "follows", "conduct"), said).content.decode()
        assert escape(shown) in page
        assert "Nothing is left" not in page
    entries.update(text="Москва .")
    page = client.post(address(study, "follows", "conduct"), fields).content.decode()
    assert "Nothing is left of it" in page
    fields["non_ascii"] = "transliterate"
    assert client.post(address(study, "step", "conduct"), fields).status_code == 302
    study.refresh_from_db()
    assert study.the_conduct.non_ascii == "transliterate"


def test_a_third_condition_of_another_system_and_the_pairs_that_are_compared(client, user):
    study = make_study(user, sentences=2)
    first = study.conditions.first()
    other = make_system(user)
    for made in study.corpus.lists.filter(recipe_version=first.recipe_version):
        make_list(made.segment, other, first.recipe_version, [f"other {n}" for n in range(5)])
    lists = f"{other.pk}-{first.recipe_version_id}"
    fields = filled(client, study, "conditions") | {"lists_3": lists, "name_3": "other"}
    assert client.post(address(study, "step", "conditions"), fields).status_code == 302
    study.refresh_from_db()
    assert study.the_design.conditions == ("best", "diverse", "other")
    assert study.conditions.get(place=3).system == other
    fields = filled(client, study, "design")
    assert fields["comparisons"] == ["0", "1", "2"]
    assert client.post(address(study, "step", "design"), fields).status_code == 302
    study.refresh_from_db()
    assert study.the_design.comparisons == ()
    fields["comparisons"] = ["1"]
    client.post(address(study, "step", "design"), fields)
    study.refresh_from_db()
    assert study.the_design.compared == (("best", "other"),)
    study = freeze_study(study)
    assert study.tasks.filter(kind="eval").count() == 2 * 9


def test_a_comparison_goes_with_its_condition(client, user):
    study = make_study(user, sentences=2)
    study.design = study.design | {"comparisons": [["best", "diverse"]]}
    study.save()
    fields = filled(client, study, "conditions") | {"name_2": "varied"}
    assert client.post(address(study, "step", "conditions"), fields).status_code == 302
    study.refresh_from_db()
    assert study.the_design.compared == (("best", "varied"),)


def test_power_is_of_the_sizes_in_the_form(client, user):
    study = make_study(user)
    few, many = (
        client.get(address(study, "power"), {"sample_size": size}).context["found"]
        for size in (10, 400)
    )
    assert few[1][1].estimate < many[1][1].estimate
    shown = client.get(address(study, "power"), {"sample_size": "x", "judges": "99999"}).context
    assert shown["sizes"] == {"sentences": 3, "draws": 3, "judges": 3, "pairs": 9}


def test_power_knows_of_pairs_that_are_drawn(client, user):
    study = make_study(user)
    one, nine = (
        client.get(
            address(study, "power"), {"sample_size": 60, "pairs_per_comparison": pairs}
        ).context["found"]
        for pairs in (1, 99)  # no more than there are
    )
    assert one[1][1].estimate < nine[1][1].estimate


def test_texts_that_are_changed_after_the_freezing_are_an_amendment(client, user):
    study = freeze_study(make_study(user))
    fields = filled(client, study, "wordings") | {"consent": "Another consent."}
    page = client.post(address(study, "step", "wordings"), fields)
    assert page.status_code == 422
    assert study.wordings.count() == 3
    fields["reason"] = "the board asked for it"
    client.post(address(study, "step", "wordings"), fields)
    client.post(address(study, "step", "wordings"), fields)  # nothing new
    made = study.amendments.get()
    assert (made.what, made.reason, made.author) == (
        "text: consent", "the board asked for it", user,
    )  # fmt: skip
    assert (made.before, made.after) == ({"text: consent": 1}, {"text: consent": 2})
    assert "text: consent" in client.get(address(study, "amend")).content.decode()


def test_a_copy_is_a_draft_with_the_same_decisions(client, user, colleague):
    study = freeze_study(make_study(user, sentences=2, conduct=Conduct(pay_per_hour=15)))
    study.wordings.filter(kind="consent").update(text="Our own consent.")
    Study.objects.update(excluded=[7], code_finished="DONE", prolific_study="p1")
    client.post(address(study, "copy"))
    answer = client.post(address(study, "copy"))
    made = Study.objects.first()
    assert answer.url == address(made, "step", "design")
    assert (made.name, made.state, made.excluded) == (f"{study.name} (3)", "draft", [7])
    assert (made.the_design, made.the_conduct) == (study.the_design, study.the_conduct)
    assert made.wordings.get(kind="consent").text == "Our own consent."
    assert (made.code_finished, made.prolific_study) == ("", "")
    assert freeze_study(made).checksum == study.checksum
    client.force_login(colleague)
    assert client.post(address(study, "copy")).status_code == 404


def test_a_study_is_deleted_with_its_answers_but_not_while_it_runs(client, user, colleague):
    study = make_running_study(user, sentences=2, draws=1, judges=1)
    play(study)
    assert Judgment.objects.exists()
    refused = client.post(address(study, "delete"), follow=True).content.decode()
    assert "is running, so it stays. Pause it or end it first." in refused
    assert "Delete the study" not in refused
    client.post(address(study, "change-state", "stop"))
    assert "Delete the study" in client.get(address(study, "study")).content.decode()
    client.force_login(colleague)
    assert client.post(address(study, "delete")).status_code == 404
    client.force_login(user)
    gone = client.post(address(study, "delete"), follow=True).content.decode()
    assert f"{study.name} is deleted." in gone
    for model in (Study, Edit, Judgment, Participant):
        assert not model.objects.exists()
    study.corpus.refresh_from_db()  # it stays


def test_a_draft_is_deleted_on_its_steps(client, user):
    draft = make_study(user)
    assert "Delete the study" in client.get(address(draft, "step", "design")).content.decode()
    client.post(address(draft, "delete"))
    assert not Study.objects.exists()
