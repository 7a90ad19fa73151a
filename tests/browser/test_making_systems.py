"""From parallel text to a tuned system: the whole way, and every page of it."""

from __future__ import annotations

import os

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from decoding.actions.measurements import ask_for_comparison
from decoding.actions.training import ask_for_training
from decoding.actions.weights import ask_for_weights
from decoding.models import Comparison, System
from tests.browser.test_decoding import work
from tests.decoding.test_training import pairs
from tests.factories import make_corpus, make_system


def write(folder, name: str, count: int, seed: int):
    """A corpus of invented text as two files."""
    made = pairs(count, seed)
    source, target = folder / f"{name}.de", folder / f"{name}.en"
    source.write_text("".join(f"{source}\n" for source, _ in made))
    target.write_text("".join(f"{references[0]}\n" for _, references in made))
    return source, target


def add_corpus(page, name: str, files) -> None:
    main = page.get_by_role("navigation", name="Main")
    main.get_by_role("link", name="Corpora", exact=True).click()
    page.get_by_role("link", name="Add a corpus").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Source language").fill("de")
    page.get_by_label("Target language").fill("en")
    page.get_by_label("Source file").set_input_files(files[0])
    page.get_by_label("Reference files").set_input_files([files[1]])
    page.get_by_role("button", name="Add the corpus").click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


@pytest.mark.slow
def test_from_two_files_to_a_tuned_system(
    page, context, live_server, user, sign_in, tmp_path, assert_accessible
):
    sign_in(context, user)
    page.goto(live_server.url)
    for number, (name, count) in enumerate((("dev", 20), ("test", 25), ("parallel", 200))):
        add_corpus(page, name, write(tmp_path, name, count, number))

    page.get_by_role("link", name="Train a system").click()
    page.get_by_label("Name").fill("first")
    page.get_by_label("Dev corpus").select_option(label="dev")
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_text("How it is trained").click()
    page.get_by_label("Order of the language model").select_option("3")
    page.get_by_role("button", name="Train it").click()
    expect(page.get_by_role("heading", name="Train first on parallel")).to_be_visible()
    work()  # the training, which asks for a measurement
    page.get_by_role("link", name="Show the system").click()
    expect(page.get_by_text("200 of 200")).to_be_visible()
    work()
    page.reload()
    expect(page.get_by_role("table", name="BLEU").get_by_text("dev")).to_be_visible()

    page.get_by_role("link", name="Tune weights").click()
    page.get_by_label("dev corpus").select_option(label="dev")
    page.get_by_label("name of the new system").fill("second")
    page.get_by_label("most rounds").fill("3")
    page.get_by_role("button", name="Tune them").click()
    expect(page.get_by_role("link", name="Show the rounds so far")).to_be_visible()
    work()
    page.get_by_role("link", name="Show the system").click()
    expect(page.get_by_role("heading", name="second")).to_be_visible()
    # The script that draws is bundled when it is first asked for.
    expect(page.locator("#weights canvas")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("table", name="Rounds")).to_be_visible()

    page.get_by_role("link", name="Compare").click()
    page.get_by_label("With").select_option(label="first")
    page.get_by_label("On the test corpus").select_option(label="test")
    page.get_by_role("button", name="Compare them").click()
    work()
    page.get_by_role("link", name="Show the comparison").click()
    expect(page.get_by_text("95% interval")).to_be_visible()
    page.get_by_role("link", name="Share").click()
    expect(page.get_by_label("Username")).to_be_visible()


@pytest.mark.slow
def test_the_pages(page, context, live_server, user, sign_in, assert_accessible):
    """One training for all of them."""
    sign_in(context, user)
    corpus, dev, test = (make_corpus(user, pairs(count, count)) for count in (200, 20, 60))
    job = ask_for_training(corpus, owner=user, name="first", dev=dev)
    work()
    job.refresh_from_db()
    first = System.objects.get(pk=job.result["system"])
    tuning = ask_for_weights(first, dev, owner=user, name="second", method="mert")
    work()
    work()
    tuning.refresh_from_db()
    ask_for_comparison(first, tuning.made, test, owner=user)
    work()
    for name, address in {
        "train": reverse("decoding:train", args=[corpus.pk]),
        "system": first.get_absolute_url(),
        "tuned": tuning.made.get_absolute_url(),
        "tune": reverse("decoding:tune-weights", args=[first.pk]),
        "compare": reverse("decoding:compare-with", args=[first.pk]),
        "history": tuning.get_absolute_url(),
        "comparison": Comparison.objects.get().get_absolute_url(),
    }.items():
        page.goto(live_server.url + address)
        assert_accessible(page)
        if folder := os.environ.get("PICTURES"):
            for theme, width in (("light", 1280), ("dark", 390)):
                page.emulate_media(color_scheme=theme)
                page.set_viewport_size({"width": width, "height": 800})
                page.wait_for_timeout(700)
                page.screenshot(path=f"{folder}/{name}-{theme}.png", full_page=True)
    page.goto(live_server.url + reverse("decoding:train", args=[corpus.pk]))
    page.get_by_label("Name").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Word alignment")).to_be_visible()


def test_a_training_that_cannot_be_is_told(
    page, context, live_server, user, sign_in, assert_accessible, watch
):
    sign_in(context, user)
    corpus = make_corpus(user, pairs(5))
    make_system(user, name="taken")
    page.goto(live_server.url + reverse("decoding:train", args=[corpus.pk]))
    page.get_by_label("Name").fill("taken")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("you have a system named taken already")
    assert_accessible(page)
    watch.expect("422")
