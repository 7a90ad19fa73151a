"""What people do on the pages: by keyboard alone, without scripts, without a server for a while."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import expect

from decoding.models import Job
from tests.browser.test_every_page import make_job
from tests.factories import make_corpus, make_list, make_recipe, make_system


@pytest.fixture
def job(user) -> Job:
    return make_job(user, "running")


@pytest.fixture
def job_page(page, context, live_server, user, sign_in, job):
    """The job's page, with a clock that stands still until the test moves it."""
    sign_in(context, user)
    page.clock.install()
    page.goto(live_server.url + job.get_absolute_url())
    return page


def finish(job: Job, state: str = "done") -> None:
    Job.objects.filter(pk=job.pk).update(
        state=state, claim=None, finished_at=timezone.now(), done=job.total
    )


def next_poll(page) -> None:
    with page.expect_response(lambda response: "hx-request" in response.request.headers):
        page.clock.run_for(1000)


def test_signing_in_and_out_by_keyboard(page, live_server, user):
    page.goto(live_server.url + "/jobs/")
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type("rosa")
    page.keyboard.press("Tab")
    page.keyboard.type("a long passphrase")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    # The first stop on a page leads past the navigation, to its content.
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Sign out")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_every_stop_of_the_keyboard_can_be_seen(page, live_server, watch):
    page.goto(live_server.url + "/styleguide")
    stops = page.locator("a, button, input, select, textarea").count()
    assert stops > 50
    seen = 0
    for _ in range(stops):
        page.keyboard.press("Tab")
        seen += page.evaluate(
            """() => {
                const style = getComputedStyle(document.activeElement);
                return document.activeElement === document.body
                    || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
            }"""
        )
    assert seen == stops


def test_nothing_that_has_the_focus_is_covered(page, live_server):
    """WCAG 2.4.11, on a phone, where a participant's field sticks to the bottom."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(live_server.url + "/styleguide")
    page.locator("#answer").fill("A sentence that needs some lines. " * 6)
    page.evaluate("scrollTo(0, 0)")
    page.locator("#lambda").focus()
    for key in ["Tab"] * 15 + ["Shift+Tab"] * 15:
        page.keyboard.press(key)
        assert page.evaluate(
            """() => {
                const box = document.activeElement.getBoundingClientRect();
                const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
                return document.activeElement.contains(document.elementFromPoint(x, y));
            }"""
        ), page.evaluate("document.activeElement.outerHTML")


def test_a_running_job_is_followed_until_it_ends(job_page, job, watch):
    expect(job_page.locator("#panel").get_by_text("11,843 of 29,000")).to_be_visible()
    Job.objects.filter(pk=job.pk).update(done=20_000, message="round 4")
    next_poll(job_page)
    expect(job_page.locator("#panel").get_by_text("20,000 of 29,000")).to_be_visible()
    expect(job_page.get_by_text("round 4")).to_be_visible()
    finish(job)
    next_poll(job_page)
    expect(job_page.locator("#panel").get_by_text("done")).to_be_visible()
    watch.requests.clear()
    job_page.clock.run_for(60_000)
    assert watch.requests == []


def test_a_screen_reader_hears_each_state_once(job_page, job):
    heard = job_page.evaluate_handle(
        """() => {
            const heard = [];
            const region = document.getElementById("announcement");
            new MutationObserver(() => heard.push(region.textContent))
                .observe(region, { childList: true, characterData: true, subtree: true });
            return heard;
        }"""
    )
    expect(job_page.locator("#announcement")).to_have_text("Running")
    expect(job_page.locator("#announcement")).to_have_attribute("role", "status")
    for done in (12_000, 13_000):
        Job.objects.filter(pk=job.pk).update(done=done)
        next_poll(job_page)
        expect(job_page.locator("#panel").get_by_text(f"{done:,} of 29,000")).to_be_visible()
    finish(job)
    next_poll(job_page)
    expect(job_page.locator("#announcement")).to_have_text("Done")
    assert heard.json_value() == ["Done"]
    # The other place that is read aloud is left alone as long as there is no message.
    assert job_page.locator("#toasts").evaluate("(toasts) => toasts.innerHTML.trim()") == ""
    assert job_page.locator("#toasts").evaluate("(toasts) => toasts.childNodes.length") <= 1


def test_a_job_is_cancelled_and_tried_again_by_keyboard(job_page, job):
    cancel = job_page.get_by_role("button", name="Cancel the job")
    for _ in range(20):
        job_page.keyboard.press("Tab")
        if cancel.evaluate("(button) => button === document.activeElement"):
            break
    expect(cancel).to_be_focused()
    # The panel is renewed under the reader's hands, and the focus stays where it was.
    next_poll(job_page)
    next_poll(job_page)
    expect(cancel).to_be_focused()
    job_page.keyboard.press("Enter")
    expect(job_page.locator("#panel").get_by_text("stopping")).to_be_visible()
    job.refresh_from_db()
    assert job.cancel_requested_at is not None
    finish(job, "cancelled")
    next_poll(job_page)
    again = job_page.get_by_role("button", name="Try again")
    again.press("Enter")
    expect(job_page.locator("#panel").get_by_text("queued")).to_be_visible()
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED


@pytest.mark.parametrize("address", ["/", "/jobs/"])
def test_a_list_that_is_renewed_leaves_the_focus_where_it_is(
    page, context, live_server, user, sign_in, job, address
):
    sign_in(context, user)
    page.clock.install()
    page.goto(live_server.url + address)
    link = page.get_by_role("link", name="Make lists")
    link.focus()
    Job.objects.filter(pk=job.pk).update(done=12_000)
    with page.expect_response(lambda response: "hx-request" in response.request.headers):
        page.clock.run_for(2000)
    expect(page.get_by_text("12,000 of 29,000")).to_be_visible()
    expect(link).to_be_focused()


def test_a_message_reaches_the_page_and_can_be_dismissed(job_page, job):
    finish(job)
    job_page.get_by_role("button", name="Cancel the job").click()
    message = job_page.locator("#toasts").get_by_text("The job had ended already.")
    expect(message).to_be_in_viewport()
    job_page.get_by_role("button", name="Dismiss").click()
    expect(message).to_be_hidden()


def test_a_server_out_of_reach_is_said_and_taken_back(job_page, context, watch):
    context.set_offline(True)
    with job_page.expect_event("requestfailed"):
        job_page.clock.run_for(1000)
    expect(job_page.get_by_role("alert")).to_contain_text("cannot be reached")
    context.set_offline(False)
    next_poll(job_page)
    expect(job_page.get_by_role("alert")).to_be_hidden()
    watch.expect("failed: ", "ERR_INTERNET_DISCONNECTED", "htmx:sendError", "htmx:afterRequest")


def test_a_refusal_is_said_on_the_page(job_page, job, watch):
    job_page.context.clear_cookies(name="csrftoken")
    job_page.get_by_role("button", name="Cancel the job").click()
    expect(job_page.get_by_role("alert")).to_contain_text("That did not work (403).")
    job.refresh_from_db()
    assert job.cancel_requested_at is None
    watch.expect("403")


def test_who_was_signed_out_gets_the_login_page_and_comes_back(job_page, job):
    Session.objects.all().delete()
    job_page.clock.run_for(1000)
    expect(job_page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(job_page.locator("#panel")).to_have_count(0)
    job_page.get_by_label("Username").fill("rosa")
    job_page.get_by_label("Password").fill("a long passphrase")
    job_page.keyboard.press("Enter")
    expect(job_page).to_have_url(re.compile(job.get_absolute_url() + "$"))


def test_a_dialog_takes_the_focus_and_gives_it_back(page, live_server):
    page.goto(live_server.url + "/styleguide")
    opener = page.get_by_role("link", name="Open a dialog")
    dialog = page.get_by_role("dialog", name="Delete the 200 lists?")
    expect(dialog).to_be_hidden()
    opener.press("Enter")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("link", name="Close")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Delete them")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    dialog.get_by_role("link", name="Close").click()
    expect(dialog).to_be_hidden()
    assert page.url.endswith("/styleguide")


def test_a_corpus_is_corrected_and_deleted_by_keyboard(page, context, live_server, user, sign_in):
    corpus = make_corpus(user, name="huoses")
    make_list(corpus.segments.first(), make_system(user), make_recipe(), ["a house"])
    sign_in(context, user)
    page.goto(live_server.url + corpus.get_absolute_url())
    page.get_by_role("link", name="Edit").press("Enter")
    page.get_by_label("Name").press("Control+a")
    page.keyboard.type("houses")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="houses")).to_be_visible()
    page.get_by_role("link", name="Delete").press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("1 translation list.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("houses is deleted.")).to_be_visible()


def test_everything_works_without_scripts(new_context, live_server, user, sign_in, job, watch):
    context = new_context(java_script_enabled=False)
    sign_in(context, user)
    page = context.new_page()
    watch.over(page)
    page.goto(live_server.url + "/")
    page.get_by_role("link", name="Make lists").click()
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.get_by_text("stopping")).to_be_visible()
    finish(job, "cancelled")
    page.reload()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("queued")).to_be_visible()
    page.goto(live_server.url + "/styleguide")
    page.get_by_role("link", name="Open a dialog").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("dialog").get_by_role("link", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Dismiss")).to_have_count(0)


def test_a_real_job_runs_before_the_eyes_of_its_owner(
    page, context, live_server, user, sign_in, queue
):
    """Form, queue, a real worker, database and back to the page, without a reload."""
    queue.worker()
    sign_in(context, user)
    page.goto(live_server.url + "/jobs/")
    page.get_by_label("Pieces").fill("5")
    page.get_by_label("Seconds per piece").fill("0.3")
    page.get_by_role("button", name="Run the self-test").click()
    page.evaluate("window.sameDocument = true")
    panel = page.locator("#panel")
    expect(panel.get_by_text("running")).to_be_visible(timeout=30_000)
    expect(panel.get_by_text("5 of 5")).to_be_visible(timeout=30_000)
    expect(panel.get_by_text("done", exact=True)).to_be_visible()
    expect(panel.get_by_text("[0, 1, 2, 3, 4]")).to_be_visible()
    assert page.evaluate("window.sameDocument")
