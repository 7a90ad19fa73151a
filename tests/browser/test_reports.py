"""Reports in a real browser: charts drawn under the strict policy, by keyboard, light and dark."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from evaluation.actions import peek
from studies.actions.participants import exclude
from tests.evaluation.answered import make_answered, make_report


@pytest.fixture
def study(user):
    made = make_answered(user, sentences=16)
    make_report(made)
    return made


@pytest.fixture
def opened(page, live_server, context, user, sign_in, study):
    sign_in(context, user)
    page.goto(live_server.url + reverse("evaluation:study-report", args=[study.pk]))
    expect(page.locator(".plot svg").last).to_be_visible()
    return page


def test_a_report_is_accessible_and_its_charts_are_drawn(opened, assert_accessible):
    assert opened.locator(".plot svg").count() == opened.locator("figure.chart").count() == 9
    assert_accessible(opened)


def test_charts_have_the_colours_of_the_page(opened):
    def colours():
        plot = opened.locator("[data-plot=preferences-spec] svg")
        return set(re.findall(r'"(#[0-9a-f]{6})"', plot.evaluate("(svg) => svg.outerHTML")))

    assert {"#0a5c9e", "#b34a00"} <= colours()
    opened.emulate_media(color_scheme="dark")
    expect(
        opened.locator("[data-plot=preferences-spec] svg [stroke='#74b9f3']").first
    ).to_be_attached()
    assert "#0a5c9e" not in colours()


def test_a_chart_is_read_by_keyboard(opened):
    plot = opened.locator("[data-plot=preferences-spec]")
    plot.focus()
    expect(plot).to_have_accessible_name(re.compile("quartile 1: best"))
    opened.keyboard.press("ArrowRight")
    expect(plot.locator("output")).to_contain_text("group quartile 1, condition best")
    opened.keyboard.press("ArrowRight")
    expect(plot.locator("output")).to_contain_text("condition same")


def test_the_same_as_a_table(opened):
    figure = opened.locator("figure#preferences")
    figure.get_by_text("The same as a table").click()
    expect(figure.get_by_role("row")).to_have_count(13)


def test_a_figure_is_downloaded(opened):
    with opened.expect_download() as waiting:
        opened.locator("figure#preferences").get_by_role("link", name="SVG").click()
    assert waiting.value.suggested_filename == "preferences.svg"


def test_a_slice_is_chosen(opened, live_server):
    opened.get_by_label("Groups", exact=True).fill("2")
    opened.get_by_role("button", name="Show").click()
    expect(opened).to_have_url(re.compile(r"\?groups=2$"))


def test_without_scripts_there_are_pictures(new_context, live_server, user, sign_in, study):
    context = new_context(java_script_enabled=False)
    sign_in(context, user)
    page = context.new_page()
    page.goto(live_server.url + reverse("evaluation:study-report", args=[study.pk]))
    picture = page.locator("figure#preferences img")
    expect(picture).to_be_visible()
    assert picture.evaluate("(image) => image.naturalWidth") > 300


@pytest.mark.parametrize("ended", [True, False])
def test_the_pages_around_it(page, live_server, context, user, sign_in, assert_accessible, ended):
    study = make_answered(user, sentences=8, ended=ended)
    make_report(study)
    sign_in(context, user)
    for name, arguments in (
        ("reports", []),
        ("upload", []),
        ("import", []),
        ("study-report", [study.pk]),
    ):
        page.goto(live_server.url + reverse(f"evaluation:{name}", args=arguments))
        assert_accessible(page)


@pytest.mark.slow
def test_studies_are_chosen_and_shown_together(
    page, live_server, context, user, sign_in, assert_accessible
):
    studies = [make_answered(user, sentences=24, seed=seed, judges=1) for seed in (1, 2)]
    for study in studies:
        make_report(study)
    sign_in(context, user)
    page.goto(live_server.url + reverse("evaluation:reports"))
    for study in studies:
        page.locator(f'input[name=study][value="{study.pk}"]').check()
    page.get_by_role("button", name="Show those chosen together").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 studies together")
    expect(page.locator("figure#overlaid .plot svg")).to_be_visible()
    expect(page.locator("figure#studies .plot svg")).to_be_visible()
    assert_accessible(page)


@pytest.mark.slow
def test_a_report_with_guesses_is_accessible_and_can_be_printed(
    page, live_server, context, user, sign_in, assert_accessible
):
    study = make_answered(user, sentences=24, judges=1)
    make_report(study)
    sign_in(context, user)
    page.goto(live_server.url + reverse("evaluation:study-report", args=[study.pk]))
    expect(page.get_by_role("heading", name="Confidence", exact=True)).to_be_visible()
    expect(page.locator("figure#guessed .plot svg")).to_be_visible()
    assert_accessible(page)
    page.emulate_media(media="print", color_scheme="light")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 less its margins
    for table in page.locator(".table").all():
        if table.is_visible():
            assert table.evaluate("(region) => region.scrollWidth - region.clientWidth") <= 1


@pytest.mark.slow
def test_the_report_of_a_running_study_renews_itself(page, live_server, context, user, sign_in):
    study = make_answered(user, sentences=8, ended=False)
    peek(study, user)
    make_report(study)
    sign_in(context, user)
    page.goto(live_server.url + reverse("evaluation:study-report", args=[study.pk]))
    expect(page.get_by_text("interim", exact=True).first).to_be_visible()
    exclude(study.participants.filter(judgments__isnull=False).first(), "slept")
    expect(page.get_by_text("Newer answers are being counted").first).to_be_attached(timeout=20_000)
    make_report(study)
    expect(page.get_by_text("excluded: slept").first).to_be_attached(timeout=20_000)
    expect(page.locator("figure#preferences .plot svg")).to_be_visible()
