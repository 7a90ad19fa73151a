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


def test_a_recipes_history_tells_n_from_capital_n(
    page, context, live_server, administrator, sign_in
):
    recipe = Recipe.objects.get(name="Five diverse")
    sign_in(context, administrator)
    page.goto(live_server.url + reverse("admin:decoding_recipe_change", args=[recipe.pk]))
    heads = page.locator(".inline-group th").all_inner_texts()  # as they are seen
    for small in ("n, order of", "λ, weight of", "λ of each"):
        assert any(head.startswith(small) for head in heads), heads
    assert any(head.startswith("N, TRANSLATIONS") for head in heads)
