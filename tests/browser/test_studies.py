"""The wizard, the dashboard, and what stands before a participant's first task, by keyboard alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from studies.actions.handing_out import lease_next, submit_edit
from studies.actions.participants import Identity, add_participant, consent, finish, instruct
from studies.actions.planning import freeze_study
from studies.actions.running import start_study
from studies.core.conduct import Conduct
from studies.core.entry import Question
from studies.models import EntryAnswer, Participant, Study, Task
from studies.wordings import training_for
from tests.browser.test_every_page import LONG
from tests.studies.making import make_running_study, make_study
from tests.studies.views.test_researchers import play

NATIVE = Question("Which language did you learn first?", ("English", "another"), ("English",))
ENTRY = replace(training_for("en"), questions=(NATIVE,))


def step(study, name: str) -> str:
    return reverse("studies:step", args=[study.pk, name])


def through_the_doors(page, live_server, study, check) -> None:
    """From the link to the first task, without a mouse."""
    page.goto(live_server.url + reverse("studies:arrive", args=[study.code]))
    page.wait_for_load_state("networkidle")
    check(page)
    page.locator("button.primary").press("Enter")
    page.wait_for_url("**/screening/")
    check(page)
    page.get_by_label("English").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions/")
    check(page)
    page.locator("button.primary").press("Enter")
    page.wait_for_url("**/training/")
    check(page)
    page.keyboard.type("No train leaves tomorrow morning.")
    page.keyboard.press("Control+Enter")
    for number, key in ((1, "1"), (2, "3"), (3, "")):
        page.wait_for_url(f"**after=1-{number}")
        check(page)
        page.keyboard.press("Enter")
        if key:
            page.wait_for_url("**/training/")
            check(page)
            page.keyboard.press(key)
    page.wait_for_url("**/task/")
    check(page)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_screening_and_training_by_keyboard(page, live_server, user, assert_accessible, language):
    study = make_study(user, sentences=2)
    study.entry, study.interface = ENTRY.as_dict(), language
    study.save()
    study = freeze_study(study)
    start_study(study)
    Task.objects.update(texts=[LONG * 3, "x", "a short one"])
    through_the_doors(page, live_server, study, assert_accessible)
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    assert Participant.objects.get().trained_at is not None
    right = EntryAnswer.objects.values_list("is_right", flat=True)
    assert list(right) == [True, True, False, True]


def test_the_wizard_by_keyboard_shows_what_follows(
    page, context, live_server, user, sign_in, assert_accessible
):
    draft = make_study(user, sentences=8)
    sign_in(context, user)
    page.goto(live_server.url + step(draft, "design"))
    follows = page.get_by_role("region", name="What follows from it")
    expect(follows).to_contain_text("216")
    field = page.get_by_label("Sentences", exact=True)
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("5")
    expect(follows).to_contain_text("it is not saved yet")
    expect(follows).to_contain_text("135")
    expect(field).to_be_focused()
    assert_accessible(page)
    page.keyboard.press("Control+A")
    page.keyboard.type("50")
    expect(follows).to_contain_text("only 8 sentences can be chosen, not 50")
    page.keyboard.press("Control+A")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert Study.objects.get().the_design.sample_size == 6
    page.get_by_role("button", name="Freeze the plan").press("Enter")
    page.get_by_role("button", name="Start").press("Enter")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


@pytest.mark.parametrize("name", ["conditions", "entry", "conduct", "wordings", "arrival"])
def test_a_step_of_the_wizard(page, context, live_server, user, sign_in, assert_accessible, name):
    draft = make_study(user)
    draft.name, draft.entry = LONG[:100], ENTRY.as_dict()
    draft.save()
    sign_in(context, user)
    page.goto(live_server.url + step(draft, name))
    assert_accessible(page)


def test_pages_of_a_study_that_runs(page, context, live_server, user, sign_in, assert_accessible):
    study = make_running_study(user, sentences=4, conduct=Conduct(bonus_per_edit=0.1))
    play(study, people=3)
    for number in range(2):
        one, _ = add_participant(study, Identity("prolific", f"p{number}"))
        consent(one, 1)
        instruct(one)
        submit_edit(one.pk, lease_next(one.pk).key, "a sentence")
        finish(one)
    sign_in(context, user)
    for address in ("study", "participants", "pay"):
        page.goto(live_server.url + reverse(f"studies:{address}", args=[study.pk]))
        assert_accessible(page)
    page.get_by_role("button", name="List bonuses that are due").press("Enter")
    page.wait_for_load_state("networkidle")
    lists = page.locator("table").first
    expect(lists).to_contain_text("bonuses, Prolific")
    expect(lists).to_contain_text("0.20 EUR")


def test_the_dashboard_renews_itself(page, context, live_server, user, sign_in):
    study = make_running_study(user, sentences=1)
    sign_in(context, user)
    page.goto(live_server.url + study.get_absolute_url())
    expect(page.get_by_role("row", name="All 0 of 6")).to_be_visible()
    play(study, people=1)
    expect(page.get_by_role("row", name="All 1 of 6")).to_be_visible(timeout=10_000)
