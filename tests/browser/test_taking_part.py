"""EDITING and EVAL by hand, in a real browser: by keyboard, offline, after a crash, on a phone."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from studies.actions.planning import freeze_study
from studies.models import Assignment, Edit, Judgment, Participant, Slot
from tests.studies.making import make_participant, make_running_study, make_study
from tests.studies.views.test_researchers import play


@pytest.fixture
def study(user):
    return make_running_study(user, sentences=2)


def address(study, page: str = "arrive") -> str:
    return reverse(f"studies:{page}", args=[study.code])


def come(page, live_server, study) -> None:
    page.goto(live_server.url + address(study))
    page.wait_for_load_state("networkidle")  # or the icon's request is cut off
    page.get_by_role("button", name="I agree and take part").press("Enter")
    page.get_by_role("button", name="Begin").press("Enter")
    page.wait_for_url("**/task/")


def saved(page) -> None:
    expect(page.get_by_text("saved", exact=True)).to_be_visible()


def test_the_way_of_a_participant_by_keyboard_alone(page, live_server, study):
    come(page, live_server, study)
    field = page.get_by_label("Your sentence")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    page.keyboard.press("Alt+2")
    second = page.locator("p.sentence").nth(1).inner_text()
    expect(field).to_have_value(second)
    page.keyboard.type(" indeed")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("1 task done")).to_be_visible()
    edit = Edit.objects.get()
    assert edit.text == f"{second} indeed"
    assert edit.copied_from == 2
    assert edit.keystrokes >= 7
    assert edit.active_seconds > 0
    # The next task is there, empty, and ready to type.
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def test_judging_by_keys_with_differences_and_undo(page, live_server, study):
    play(study, people=6)
    Edit.objects.filter(task__condition__place=1).update(text="The talks broke up on Monday.")
    Edit.objects.filter(task__condition__place=2).update(text="The talks began on Monday.")
    come(page, live_server, study)
    page.keyboard.press("d")
    expect(page.locator("ins").first).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_text("1 task done")).to_be_visible()
    judgment = Judgment.objects.get()
    assert judgment.saw_differences
    assert judgment.choice == ("second" if judgment.swapped else "first")
    page.keyboard.press("z")
    expect(page.get_by_role("button", name="Keep my answer")).to_be_visible()
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Keep my answer")).to_be_hidden()
    assert Judgment.objects.get(standing="counted").choice == "same"


def test_a_browser_that_is_killed_finds_its_text_again(
    page, live_server, study, new_context, watch
):
    come(page, live_server, study)
    page.get_by_label("Your sentence").type("half a sentence")
    saved(page)
    cookies = page.context.cookies()
    page.context.close()
    # Another profile with the same cookie has nothing of its own: the server has the text.
    context = new_context()
    context.add_cookies(cookies)
    again = context.new_page()
    watch.over(again)
    again.goto(live_server.url + address(study))
    expect(again.get_by_label("Your sentence")).to_have_value("half a sentence")


def test_what_is_written_offline_is_there_after_a_reload_and_reaches_the_server(
    page, live_server, study, context, watch
):
    come(page, live_server, study)
    context.set_offline(True)
    page.get_by_label("Your sentence").type("written in a tunnel")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(page.get_by_text("kept on this device")).to_be_visible()
    assert Assignment.objects.get().draft == ""
    # The tab dies in the tunnel; outside, the page is opened anew.
    page.close()
    context.set_offline(False)
    assert Assignment.objects.get().draft == ""
    again = context.new_page()
    watch.over(again)
    again.goto(live_server.url + address(study))
    expect(again.get_by_label("Your sentence")).to_have_value("written in a tunnel")
    saved(again)
    assert Assignment.objects.get().draft == "written in a tunnel"
    watch.expect("ERR_INTERNET_DISCONNECTED", "failed: ")


def test_an_answer_sent_offline_arrives_once_the_network_is_back(
    page, live_server, study, context, watch
):
    come(page, live_server, study)
    page.get_by_label("Your sentence").fill("sent in a tunnel")
    saved(page)
    context.set_offline(True)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    assert not Edit.objects.exists()
    context.set_offline(False)
    expect(page.get_by_text("1 task done")).to_be_visible(timeout=10_000)
    expect(page.get_by_role("alert")).to_be_hidden()
    assert Edit.objects.get().text == "sent in a tunnel"
    watch.expect("ERR_INTERNET_DISCONNECTED", "failed: ")


def test_a_selection_is_inserted_where_one_writes(page, live_server, study):
    come(page, live_server, study)
    field = page.get_by_label("Your sentence")
    field.fill("They said:")
    page.locator("p.sentence").first.evaluate(
        """(sentence) => {
            const range = document.createRange();
            range.setStart(sentence.firstChild, 0);
            range.setEnd(sentence.firstChild, 4);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }"""
    )
    start = page.locator("p.sentence").first.inner_text()[:4]
    page.get_by_role("button", name="Copy 1").click()
    expect(field).to_have_value(f"They said: {start}")


def test_without_scripts_both_tasks_can_be_done(new_context, live_server, study, watch):
    play(study, people=5)
    context = new_context(java_script_enabled=False)
    page = context.new_page()
    watch.over(page)
    come(page, live_server, study)
    page.get_by_role("button", name="Copy 3").click()
    text = page.locator("p.sentence").nth(2).inner_text()
    expect(page.get_by_label("Your sentence")).to_have_value(text)
    page.get_by_role("button", name="Submit").click()
    assert Edit.objects.order_by("pk").last().text == text
    # Who is new judges: the first sentence is complete.
    other = new_context(java_script_enabled=False).new_page()
    watch.over(other)
    Slot.objects.filter(kind="editing", state="open").update(state="void")
    come(other, live_server, study)
    other.get_by_role("link", name="Show differences").click()
    other.get_by_role("button", name="the same").click()
    assert Judgment.objects.get().choice == "same"


@pytest.mark.parametrize("kind", ["editing", "eval"])
def test_tasks_are_accessible(page, live_server, study, assert_accessible, kind):
    if kind == "eval":
        play(study, people=6)
    page.goto(live_server.url + address(study))
    assert_accessible(page)
    page.get_by_role("button", name="I agree and take part").click()
    assert_accessible(page)
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(f"form[data-kind={kind}]")).to_be_visible()
    assert_accessible(page)
    page.goto(live_server.url + address(study, "leave"))
    assert_accessible(page)
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert_accessible(page)


def test_right_to_left(new_context, live_server, user, watch, assert_accessible):
    study = make_running_study(user, sentences=1)
    type(study.corpus).objects.update(target_language="ar", target_direction="rtl")
    context = new_context(locale="ar")
    page = context.new_page()
    watch.over(page)
    page.goto(live_server.url + address(study))
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.locator("main button").click()
    page.locator("main button").click()
    expect(page.locator("textarea")).to_have_attribute("dir", "rtl")
    expect(page.get_by_role("button", name=re.compile("إرسال"))).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize(
    "name",
    ["studies", "study", "step", "new", "participants", "participant", "tasks", "task", "amend"],
)
def test_researchers_pages_are_accessible(
    page, live_server, context, user, sign_in, assert_accessible, name
):
    if name in ("step", "new"):
        study = make_study(user)
    else:
        study = make_running_study(user, sentences=1)
        play(study, people=8)
        make_participant(study, is_simulated=True)
    pseudonym = Participant.objects.first().pseudonym if Participant.objects.exists() else ""
    where = {
        "studies": "/studies/",
        "study": study.get_absolute_url(),
        "step": reverse("studies:step", args=[study.pk, "design"]),
        "new": f"/studies/new/?corpus={study.corpus_id}",
        "participants": reverse("studies:participants", args=[study.pk]),
        "participant": pseudonym and reverse("studies:participant", args=[study.pk, pseudonym]),
        "tasks": reverse("studies:tasks", args=[study.pk, "eval"]),
        "task": reverse("studies:study-task", args=[study.pk, "eval", 1]),
        "amend": reverse("studies:amend", args=[study.pk]),
    }
    sign_in(context, user)
    page.goto(live_server.url + where[name])
    expect(page.get_by_role("heading").first).to_be_visible()
    assert_accessible(page)


def test_freezing_by_hand(page, live_server, context, user, sign_in):
    study = make_study(user)
    sign_in(context, user)
    page.goto(live_server.url + reverse("studies:step", args=[study.pk, "design"]))
    page.get_by_role("button", name="Freeze the plan").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("running")).to_be_visible()
    assert freeze_study(study).is_running
