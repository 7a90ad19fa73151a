"""Every page there is: accessible wide and narrow, light and dark, with all sorts of content."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.contenttypes.models import ContentType
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from decoding.models import Job, Share

LONG = "A title in which somebody wrote every option down, " * 3 + "and-a-word-that-never-ends" * 2
ARABIC = "قوائم لترجمات مئتي جملة من العربية إلى الإنجليزية"
ENDED = {"finished_at": timezone.now()}
HELD = {"claim": uuid4(), "claimed_at": timezone.now(), "heartbeat_at": timezone.now()}

JOBS = {
    "queued": {"state": "queued"},
    "running": {"state": "running", "total": 29000, "done": 11843, "message": "round 3", **HELD},
    "running without an end": {"state": "running", "done": 17, "message": ARABIC, **HELD},
    "stopping": {"state": "running", "cancel_requested_at": timezone.now(), **HELD},
    "done": {"state": "done", "total": 3, "done": 3, "result": {"counted": [0, 1, 2]}, **ENDED},
    "failed": {"state": "failed", "error": "x.gz:17: too short", "traceback": "Trace", **ENDED},
    "cancelled": {"state": "cancelled", "total": 200, "done": 13, **ENDED},
}


def make_job(owner, state: str, title: str = "Make lists") -> Job:
    fields = JOBS[state]
    return Job.objects.create(
        owner=owner, kind="self-test", title=title, parameters={"note": ARABIC}, **fields
    )


@pytest.mark.parametrize("address", ["/account/login/", "/styleguide"])
def test_a_page_for_everybody(page, live_server, assert_accessible, address):
    page.goto(live_server.url + address)
    assert_accessible(page)


@pytest.mark.parametrize(
    "address",
    ["/", "/jobs/", "/account/password/", "/account/password/done/"],
)
def test_a_page_before_there_is_anything(
    page, live_server, context, user, sign_in, assert_accessible, address
):
    sign_in(context, user)
    page.goto(live_server.url + address)
    assert_accessible(page)


@pytest.mark.parametrize("address", ["/", "/jobs/"])
def test_a_page_full_of_jobs(page, live_server, context, user, sign_in, assert_accessible, address):
    for number in range(60):
        state = list(JOBS)[number % len(JOBS)]
        make_job(user, state, title=(LONG, ARABIC, "Make lists")[number % 3])
    sign_in(context, user)
    page.goto(live_server.url + address)
    assert_accessible(page)


@pytest.mark.parametrize("state", list(JOBS))
def test_a_job(page, live_server, context, administrator, sign_in, assert_accessible, state):
    job = make_job(administrator, state, title=LONG)
    sign_in(context, administrator)
    page.goto(live_server.url + job.get_absolute_url())
    assert_accessible(page)


def test_sharing(page, live_server, context, user, sign_in, assert_accessible, colleague):
    job = make_job(user, "done")
    sign_in(context, user)
    page.goto(live_server.url + reverse("decoding:share", args=["job", job.pk]))
    assert_accessible(page)
    Share.objects.create(
        content_type=ContentType.objects.get_for_model(job),
        object_id=job.pk,
        user=colleague,
    )
    page.reload()
    assert_accessible(page)


def test_a_form_with_mistakes(page, live_server, context, user, sign_in, assert_accessible, watch):
    job = make_job(user, "done")
    sign_in(context, user)
    page.goto(live_server.url + reverse("decoding:share", args=["job", job.pk]))
    page.get_by_label("Username").fill("nobody here")
    page.get_by_role("button", name="Share").click()
    name = page.get_by_label("Username")
    expect(name).to_have_accessible_description(
        "Nobody here has the username nobody here. Ask your colleague for theirs, or an "
        "administrator for an account."
    )
    assert_accessible(page)
    watch.expect("422")


@pytest.mark.urls("tests.config.test_pages")
@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_an_error_page(page, live_server, watch, assert_accessible, status):
    page.goto(f"{live_server.url}/breaks/{status}")
    assert_accessible(page)
    watch.expect(str(status))


def test_too_many_attempts(page, live_server, watch, settings, assert_accessible):
    settings.AXES_FAILURE_LIMIT = 1
    page.goto(live_server.url + "/account/login/")
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Too many attempts")).to_be_visible()
    expect(page.get_by_text("Wait 15 min 00 s")).to_be_visible()
    assert_accessible(page)
    watch.expect("429")


def test_right_to_left(page, context, live_server, user, sign_in, settings, assert_accessible):
    """In a language that is written from right to left the same CSS turns every page around."""
    settings.LANGUAGE_CODE = "ar"
    make_job(user, "running", title=ARABIC)
    sign_in(context, user)
    for address in ("/styleguide", "/", "/jobs/"):
        page.goto(live_server.url + address)
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    brand = page.get_by_role("link", name="Variorum").bounding_box()
    assert brand["x"] > 640


def test_lines_of_sentences_have_at_most_70_letters(page, live_server):
    page.goto(live_server.url + "/styleguide")
    page.set_viewport_size({"width": 1920, "height": 1000})
    lines = page.locator("p.sentence, p.lead").evaluate_all(
        """(paragraphs) => paragraphs.flatMap((paragraph) => {
            const lines = new Map();
            const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const range = document.createRange();
                for (let i = 0; i < walker.currentNode.length; i++) {
                    range.setStart(walker.currentNode, i);
                    range.setEnd(walker.currentNode, i + 1);
                    const { bottom, width } = range.getBoundingClientRect();
                    if (width) lines.set(bottom, (lines.get(bottom) ?? 0) + 1);
                }
            }
            return [...lines.values()];
        })"""
    )
    assert 50 <= max(lines) <= 70


def test_letters_of_sentences_are_18_to_20_pixels(page, live_server):
    page.goto(live_server.url + "/styleguide")
    sizes = page.locator("p.sentence:not(:lang(ar))").evaluate_all(
        "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert sizes
    assert all(18 <= size <= 20 for size in sizes)


def test_motion_stops_where_the_system_asks_for_it(page, live_server):
    page.emulate_media(reduced_motion="reduce")
    page.goto(live_server.url + "/styleguide")
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((element) => {
            const style = getComputedStyle(element);
            return style.animationName !== "none"
                || style.transitionDuration.split(",").some((time) => parseFloat(time) > 0);
        }).length"""
    )
    assert moving == 0


def test_print_is_ink_on_white_without_controls(page, live_server):
    page.goto(live_server.url + "/styleguide")
    page.emulate_media(media="print", color_scheme="dark")
    paper, ink = page.evaluate(
        """() => {
            const style = getComputedStyle(document.documentElement);
            return [style.backgroundColor, style.color];
        }"""
    )
    assert paper == "rgb(255, 255, 255)"
    assert max(int(part) for part in ink[4:-1].split(",")) < 64
    expect(page.locator(".header")).to_be_hidden()
