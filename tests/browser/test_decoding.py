"""Corpora, systems, recipes, lists, playground: the whole way, and every page of it."""

from __future__ import annotations

import gzip
import json

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from decoding.actions.jobs import claim_job
from decoding.actions.systems import add_pool
from decoding.core.formats.nbest import NBestEntry
from decoding.jobs import run_claimed
from decoding.models import Corpus, Job, Recipe, System, TranslationList, TuningRun
from tests.browser.hands import Keys, Pointer
from tests.browser.test_every_page import ARABIC, LONG
from tests.decoding.test_playground import small  # noqa: F401 - a fixture
from tests.decoding.test_systems import ARPA, INI, TABLE
from tests.factories import make_corpus, make_list, make_recipe, make_system, make_tuning_run


def work() -> None:
    """What a worker would do: also come back to a job that gave way to another."""
    queued = Job.objects.filter(state="queued").order_by("pk")
    while (job := queued.first()) is not None:
        run_claimed(claim_job(job.pk))


@pytest.fixture
def moses_archive(tmp_path):
    import zipfile

    path = tmp_path / "small.zip"
    with zipfile.ZipFile(path, "w") as packed:
        more = "das ||| that ||| 0.3\nhaus ||| home ||| 0.2\n"
        for name, content in {
            "moses.ini": INI, "model/table": TABLE + more, "model/lm.arpa": ARPA,
        }.items():  # fmt: skip
            packed.writestr(name, content)
    return path


@pytest.mark.parametrize("means", [Pointer, Keys])
def test_the_whole_way(
    page, context, live_server, administrator, sign_in, tmp_path, moses_archive, assert_accessible,
    means, watch,
):  # fmt: skip
    sign_in(context, administrator)
    hand = means(page)
    source, reference = tmp_path / "a.de.gz", tmp_path / "a.en.gz"
    source.write_bytes(gzip.compress(b"das haus\ndas\nhaus\n"))
    reference.write_bytes(gzip.compress(b"the home\nthat\nhome\n"))

    page.goto(live_server.url)
    hand.click(page.get_by_role("link", name="add one"))
    hand.fill(page.get_by_label("Name"), "houses")
    hand.fill(page.get_by_label("Source language"), "de")
    hand.fill(page.get_by_label("Target language"), "en")
    hand.upload(page.get_by_label("Source file"), [reference])
    hand.upload(page.get_by_label("Reference files"), [reference, source])
    hand.click(page.get_by_role("button", name="Add the corpus"))
    expect(page.get_by_role("heading", name="houses")).to_be_visible()
    hand.click(page.get_by_role("link", name="Delete"))
    hand.click(page.get_by_role("button", name="Delete it"))
    expect(page.get_by_text("houses is deleted.")).to_be_visible()

    hand.click(page.get_by_role("link", name="Add a corpus"))
    hand.fill(page.get_by_label("Name"), "houses")
    hand.fill(page.get_by_label("Source language"), "de")
    hand.fill(page.get_by_label("Target language"), "en")
    hand.upload(page.get_by_label("Source file"), [source])
    hand.upload(page.get_by_label("Reference files"), [reference])
    hand.click(page.get_by_role("button", name="Add the corpus"))
    expect(page.get_by_role("cell", name="the home")).to_be_visible()

    hand.click(page.get_by_role("link", name="Systems", exact=True))
    hand.click(page.get_by_role("link", name="Import from Moses"))
    hand.fill(page.get_by_label("Name"), "small")
    hand.fill(page.get_by_label("Source language"), "de")
    hand.fill(page.get_by_label("Target language"), "en")
    hand.upload(page.get_by_label("Archive"), [moses_archive])
    hand.click(page.get_by_role("button", name="Import the system"))
    expect(page.get_by_role("heading", name="Import small from Moses")).to_be_visible()
    work()
    hand.click(page.get_by_role("link", name="Show the system"))
    expect(page.get_by_role("cell", name="0.4")).to_be_visible()

    hand.click(page.get_by_role("link", name="Recipes"))
    hand.click(page.get_by_role("link", name="Five diverse"))
    hand.click(page.get_by_role("link", name="Change it"))
    hand.fill(page.get_by_label("n, order of the dissimilarity"), "1")
    hand.fill(page.get_by_label("λ, weight of the dissimilarity"), "1")
    hand.click(page.get_by_role("button", name="Save", exact=True))
    expect(page.get_by_text("From now on version 2: diverse 5, n=1 λ=1.")).to_be_visible()
    expect(page.get_by_text("the paper tried n from 2 to 9")).to_be_visible()
    page.wait_for_load_state()

    page.goto(live_server.url + reverse("decoding:systems"))
    hand.click(page.get_by_role("link", name="small"))
    hand.click(page.get_by_role("link", name="Make lists", exact=True).first)
    hand.choose(page.get_by_label("Corpus"), "houses")
    hand.click(page.get_by_role("button", name="Make the lists"))
    page.wait_for_url("**/jobs/*/")
    work()
    hand.click(page.get_by_role("link", name="Browse the lists"))
    expect(page.get_by_role("heading", name="3 segments")).to_be_visible()
    page.wait_for_load_state()  # what a choice does is the script's
    hand.choose(page.get_by_label("Sort by"), "gain in coverage, falling")
    page.wait_for_url("**sort=-gain**")
    hand.click(page.get_by_role("link", name="das haus"))
    expect(page.get_by_role("heading", name="Segment 1")).to_be_visible()
    page.wait_for_load_state()
    expect(page.get_by_text("3 of 3")).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_text("2 of 3")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("j")
    expect(page.get_by_text("3 of 3")).to_be_visible()
    hand.choose(page.get_by_label("Show text"), "readable: detokenised, with capitals")
    hand.click(page.get_by_role("button", name="Show"))
    expect(page.locator(".entries .sentence").first).to_have_text("The house")

    hand.click(page.get_by_role("link", name="Playground"))
    hand.choose(page.get_by_label("Or pick from"), "houses")
    hand.fill(page.get_by_label("Segment"), "1")
    expect(page.get_by_text("in both lists")).to_be_visible()
    slider = page.get_by_label("λ, by sliding")
    hand.fill(page.get_by_label("λ", exact=True), "2.5")
    expect(page.get_by_role("heading", name="λ=2.5")).to_be_visible()
    expect(slider).to_have_value("1")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("heading", name="λ=0")).to_be_visible()
    hand.fill(page.get_by_label("λ", exact=True), "0.5")
    expect(page.get_by_role("heading", name="λ=0.5")).to_be_visible()
    expect(slider).to_have_value("0.5")
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    hand.fill(page.get_by_label("Name"), "Five best")
    hand.click(page.get_by_role("button", name="Make this a recipe"))
    expect(page.get_by_text("Recipe with this Name already exists.")).to_be_visible()
    watch.expect("422")
    expect(page.get_by_role("heading", name="λ=0.5")).to_be_visible()
    expect(page.get_by_label("Segment")).to_have_value("1")
    hand.fill(page.get_by_label("Name"), "Half")
    hand.click(page.get_by_role("button", name="Make this a recipe"))
    expect(page.get_by_text("Half is a recipe now: diverse 5, n=4 λ=0.5.")).to_be_visible()


@pytest.mark.parametrize("means", [Pointer, Keys])
def test_from_a_grid_to_a_recipe(
    page, context, live_server, user, sign_in, assert_accessible, small, means  # noqa: F811
):  # fmt: skip
    make_corpus(user, [("das haus", ["the home"]), ("haus das", ["that house"])] * 5, name="houses")
    sign_in(context, user)
    hand = means(page)
    page.goto(live_server.url)
    hand.click(page.get_by_role("link", name="Tuning", exact=True))
    hand.click(page.get_by_role("link", name="Tune n and λ"))
    hand.choose(page.get_by_label("System"), "small")
    hand.choose(page.get_by_label("Corpus"), "houses")
    for order in range(4, 10):
        hand.tick(page.get_by_role("checkbox", name=str(order)))
    hand.fill(page.get_by_label("λ", exact=True), "0.1, 1")
    hand.click(page.get_by_role("button", name="Begin"))
    expect(page.get_by_role("heading", name="Tune n and λ of small on houses")).to_be_visible()
    work()
    hand.click(page.get_by_role("link", name="Show the surface"))
    expect(page.get_by_text("10 of 50 asked for")).to_be_visible()
    expect(page.get_by_text("The best cell is n = ")).to_be_visible()
    expect(
        page.get_by_role("table", name="Values for each n and λ").locator("tbody tr")
    ).to_have_count(2)
    # The script that draws is bundled when it is first asked for.
    expect(page.locator("#surface-picture canvas")).to_be_visible(timeout=30_000)
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    second = page.get_by_label("Cell", exact=True).locator("option").nth(1).inner_text()
    hand.choose(page.get_by_label("Cell", exact=True), second)
    hand.fill(page.get_by_label("Name of the recipe"), "Tuned")
    hand.click(page.get_by_role("button", name="Make a recipe of it"))
    cell = second.partition(":")[0]
    expect(page.get_by_text(f"Tuned is a recipe now: diverse 5, {cell}.")).to_be_visible()
    expect(page.get_by_role("heading", name="Tuned")).to_be_visible()


@pytest.fixture
def full(user):
    """A corpus of Arabic with lists of all sorts, and a system with a long name."""
    corpus = make_corpus(
        user, [(ARABIC, [LONG, "short"])] * 60, name=LONG[:100], source_language="ar",
        source_direction="rtl",
    )  # fmt: skip
    system = make_system(user, name=LONG[100:200], source_language="ar", notes=LONG)
    versions = [Recipe.objects.get(name="Five best").newest, make_recipe("Pooled " + LONG[:80])]
    for segment in corpus.segments.all()[:40]:
        for version in versions:
            make_list(segment, system, version, [LONG, "one " * 30, "a b c"], coverage=20.5,
                      first_bleu1=float(segment.number), oracle_bleu1=60)  # fmt: skip
    make_tuning_run(user, corpus, system, n4_01=31.5, n4_02=44.2, n3_01=30, n3_0005=20.25)
    lists = [[NBestEntry(number, "a", {}, -1.0)] for number in range(60)]
    add_pool(system, corpus, lists, name="x")
    return corpus, system


PAGES = [
    "corpora", "add-corpus", "corpus", "edit-corpus", "systems", "add-external", "add-moses",
    "system", "edit-system", "upload", "make-lists", "recipes", "recipe", "lists", "browse", "compare", "playground", "tuning",
    "start-tuning", "tuning-run",
]  # fmt: skip


def address(name, corpus, system):
    arguments = {
        "corpus": [corpus.pk],
        "edit-corpus": [corpus.pk],
        "system": [system.pk],
        "edit-system": [system.pk],
        "upload": [system.pk],
        "make-lists": [system.pk],
        "recipe": [Recipe.objects.first().pk],
        "browse": [corpus.pk, system.pk],
        "compare": [corpus.pk, system.pk, 2],
        "tuning-run": [TuningRun.objects.values_list("pk", flat=True).first()],
    }
    return reverse(f"decoding:{name}", args=arguments.get(name, []))


@pytest.mark.parametrize("name", PAGES)
def test_a_page(page, context, live_server, user, sign_in, assert_accessible, full, name):
    sign_in(context, user)
    page.goto(live_server.url + address(name, *full))
    assert_accessible(page)


@pytest.mark.parametrize("name", ["corpora", "systems", "lists", "playground", "tuning"])
def test_a_page_before_there_is_anything(
    page, context, live_server, user, sign_in, assert_accessible, name
):
    sign_in(context, user)
    page.goto(live_server.url + reverse(f"decoding:{name}"))
    assert_accessible(page)


def test_a_bad_upload_is_told_by_keyboard_alone(
    page, context, live_server, user, sign_in, tmp_path, watch, assert_accessible
):
    sign_in(context, user)
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({"source": "das haus"}) + "\n{}\n")
    page.goto(live_server.url + reverse("decoding:add-corpus"))
    page.get_by_label("Name").focus()
    page.keyboard.type("houses")
    page.keyboard.press("Tab")
    page.keyboard.type("de")
    page.keyboard.press("Tab")
    page.keyboard.type("en")
    page.keyboard.press("Tab")
    page.keyboard.type("JSON")
    page.get_by_label("Source file").set_input_files(bad)
    page.get_by_label("Name").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text('bad.jsonl:2: "source" is not a string')
    assert not Corpus.objects.exists()
    assert_accessible(page)
    watch.expect("422")


def test_a_surface_answers_to_the_pointer(page, context, live_server, user, sign_in, full):
    sign_in(context, user)
    page.goto(live_server.url + address("tuning-run", *full))
    drawn = page.locator("#surface-picture canvas")
    expect(drawn).to_be_visible()
    drawn.hover(position={"x": 60, "y": 45})
    expect(page.locator("#vg-tooltip-element")).to_contain_text("against the best cell")


def test_without_scripts(new_context, live_server, user, sign_in, full):
    context = new_context(java_script_enabled=False)
    sign_in(context, user)
    page = context.new_page()
    corpus, system = full
    page.goto(live_server.url + reverse("decoding:browse", args=[corpus.pk, system.pk]))
    page.get_by_label("Quartile").select_option("2")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="10 segments")).to_be_visible()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="Segment 11")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", name="Segment 12")).to_be_visible()
    assert System.objects.count() == 1
    assert TranslationList.objects.count() == 80
