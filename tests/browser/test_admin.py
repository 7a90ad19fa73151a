"""The admin stays Django's own; under our policy it works without a complaint of the browser."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse
from playwright.sync_api import expect

from decoding.models import Recipe
from tests.browser.test_every_page import make_job


@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model._meta.label_lower)
def test_the_lists_and_forms_of_every_model(
    page, context, live_server, administrator, sign_in, model
):
    sign_in(context, administrator)
    names = model._meta.app_label, model._meta.model_name
    page.goto(live_server.url + reverse("admin:{}_{}_changelist".format(*names)))
    expect(page.locator("#changelist")).to_be_visible()
    add = page.locator(".addlink")
    if add.count():
        add.first.click()
        expect(page.locator("#content form").first).to_be_visible()


def test_a_job_can_be_found_and_looked_at(page, context, live_server, administrator, sign_in):
    job = make_job(administrator, "failed", title="Import of the model")
    make_job(administrator, "done", title="Another")
    sign_in(context, administrator)
    page.goto(live_server.url + reverse("admin:decoding_job_changelist"))
    page.locator("#searchbar").fill("Import")
    page.keyboard.press("Enter")
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    page.goto(live_server.url + reverse("admin:decoding_job_change", args=[job.pk]))
    expect(page.get_by_text("x.gz:17: too short")).to_be_visible()


def test_a_recipes_history_fits_a_page_and_tells_its_settings(
    page, context, live_server, administrator, sign_in
):
    recipe = Recipe.objects.get(name="Five diverse")
    sign_in(context, administrator)
    page.goto(live_server.url + reverse("admin:decoding_recipe_change", args=[recipe.pk]))
    expect(page.locator(".inline-group")).to_contain_text("diverse 5, n=4 λ=0.1")
    labels = page.locator("fieldset label").all_inner_texts()
    for small in ("n, order of", "λ, weight of", "λ of each", "N, translations"):
        assert any(label.startswith(small) for label in labels), labels
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
