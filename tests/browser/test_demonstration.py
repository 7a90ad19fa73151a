"""A visitor's first minutes: the tour, an edit, a judgment, the wizard; nothing complains."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from config import demonstration
from studies.models import Edit, Judgment, Study

SMALL = demonstration.Size(
    training=500, dev=8, news=14, sentences=8, open_sentences=2, draws=1, rounds=1, tuned=3
)  # fmt: skip


def take_part(page, words: str) -> None:
    page.get_by_role("link", name=words, exact=True).click()
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/task/")
    page.wait_for_load_state("networkidle")


@pytest.mark.slow
def test_a_visitor_follows_the_tour(
    page, live_server, context, administrator, sign_in, assert_accessible, settings, tmp_path
):
    settings.DATA_DIR = tmp_path
    demonstration.want()
    sign_in(context, administrator)
    home = live_server.url + "/"
    page.goto(home)
    expect(page.get_by_role("heading", name="A demonstration is being made")).to_be_visible()
    assert_accessible(page)

    demonstration.make(lambda *told: None, here=True, size=SMALL)
    page.goto(home)
    assert_accessible(page)
    for link, heading in (
        ("The report of a finished study", demonstration.FINISHED),
        ("The lists", demonstration.NEWS),
        ("The playground", "Playground"),
        ("A tuning surface", "overage"),
        ("A study of your own", "study"),
    ):
        page.goto(home)
        page.get_by_role("link", name=link, exact=True).click()
        page.wait_for_load_state("networkidle")
        expect(page.locator("h1")).to_contain_text(heading)

    page.goto(home)
    take_part(page, "Write a sentence")
    page.get_by_label("Your sentence").fill("The visitors wrote a good sentence.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("1 task done")).to_be_visible()
    assert Edit.objects.filter(participant__is_simulated=False).count() == 1

    page.goto(home)
    take_part(page, "Compare two")
    page.keyboard.press("1")
    expect(page.get_by_text("1 task done")).to_be_visible()
    assert Judgment.objects.filter(participant__is_simulated=False).count() == 1

    page.goto(home)
    page.get_by_role("link", name="A study of your own", exact=True).click()
    page.get_by_role("link", name=demonstration.NEWS, exact=True).click()
    page.get_by_label("Name", exact=True).fill("Mine")
    page.get_by_role("button", name="Go on to the design").click()
    page.get_by_role("spinbutton", name="Sentences", exact=True).fill("4")
    page.get_by_label("Draws for each sentence and condition").fill("1")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    for step in ("Screening and training", "Time and pay", "Texts", "Arrival", "Conditions"):
        page.get_by_role("link", name=step, exact=True).click()
        expect(page.locator("#step-title")).to_have_text(step)
    page.get_by_role("button", name="Freeze the plan").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    mine = Study.objects.get(name="Mine")
    assert (mine.state, mine.slots.filter(kind="editing").count()) == ("running", 4 * 2)
    page.goto(f"{live_server.url}/take/{mine.code}/")
    expect(page.get_by_role("button", name="I agree and take part")).to_be_visible()

    page.goto(home)
    page.get_by_role("link", name="Delete the demonstration").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("it is needed by: Mine")).to_be_visible()
    page.get_by_role("link", name="Mine", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("link", name="Delete the study").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("Mine is deleted.")).to_be_visible()

    page.goto(home)
    page.get_by_role("link", name="Delete the demonstration").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("The demonstration is deleted.")).to_be_visible()
    expect(page.get_by_text("No studies yet")).to_be_visible()
