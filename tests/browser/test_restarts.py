"""The server is killed in the middle of a task, the network cut, the browser closed: nothing is lost.

Here the pages come from a real web server in a process of its own, which dies and is started again.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

from studies.models import Assignment, Edit, Judgment
from tests.browser.test_taking_part import address, come, saved
from tests.studies.conftest import WebServer
from tests.studies.making import make_running_study
from tests.studies.views.test_researchers import play


@pytest.fixture
def server(transactional_db) -> Iterator[WebServer]:
    started = WebServer()
    yield started
    started.kill()


@pytest.fixture
def study(user, server):
    return make_running_study(user, sentences=1)


def begin(page: Page, server: WebServer, study) -> None:
    come(page, SimpleNamespace(url=server.address), study)


def unreachable(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached", timeout=15_000)


def back(page: Page) -> None:
    expect(page.get_by_role("alert")).to_be_hidden(timeout=20_000)


def test_an_edit_goes_on_through_a_restart_of_the_server(new_context, server, study):
    page = new_context().new_page()
    begin(page, server, study)
    field = page.get_by_label("Your sentence")
    field.type("half a sentence")
    saved(page)
    server.kill()
    field.type(" and its other half")
    unreachable(page)
    expect(page.get_by_text("kept on this device")).to_be_visible()
    assert Assignment.objects.get().draft == "half a sentence"
    # It is sent while nobody is there to take it.
    page.get_by_role("button", name="Submit").click()
    server.start()
    expect(page.get_by_text("1 task done")).to_be_visible(timeout=20_000)
    back(page)
    assert Edit.objects.get().text == "half a sentence and its other half"


def test_the_page_itself_saves_what_was_written_once_the_server_is_back(new_context, server, study):
    page = new_context().new_page()
    begin(page, server, study)
    server.kill()
    page.get_by_label("Your sentence").type("written to nobody")
    unreachable(page)
    server.start()
    back(page)
    saved(page)
    assert Assignment.objects.get().draft == "written to nobody"


def test_server_and_browser_die_together(new_context, server, study):
    context = new_context()
    page = context.new_page()
    begin(page, server, study)
    page.get_by_label("Your sentence").type("before the lights went out")
    saved(page)
    server.kill()
    page.get_by_label("Your sentence").type(", and after")
    unreachable(page)
    device = context.storage_state()  # what the disk of the person's computer keeps
    context.close()
    server.start()
    again = new_context(storage_state=device).new_page()
    again.goto(server.address + address(study))
    expect(again.get_by_label("Your sentence")).to_have_value(
        "before the lights went out, and after"
    )
    saved(again)
    # A computer that lost its disk too has what the server was told.
    del device["origins"]
    other = new_context(storage_state=device).new_page()
    other.goto(server.address + address(study))
    expect(other.get_by_label("Your sentence")).to_have_value(
        "before the lights went out, and after"
    )


def test_a_judgment_goes_on_through_a_restart_of_the_server(new_context, server, study):
    play(study, people=6)
    page = new_context().new_page()
    begin(page, server, study)
    expect(page.locator("form[data-kind=eval]")).to_be_visible()
    server.kill()
    page.keyboard.press("1")
    unreachable(page)
    assert not Judgment.objects.exists()
    server.start()
    expect(page.get_by_text("1 task done")).to_be_visible(timeout=20_000)
    judgment = Judgment.objects.get()
    assert judgment.choice == ("second" if judgment.swapped else "first")


def test_an_answer_whose_receipt_was_lost_is_one_answer(new_context, server, study):
    """The server has the sentence and dies before it can say so: it is sent again, and is one."""
    page = new_context().new_page()
    begin(page, server, study)
    page.get_by_label("Your sentence").type("sent twice")
    lost = []

    def lose(route) -> None:
        if route.request.method == "POST" and not lost:
            route.fetch()
            lost.append(route.request.url)
            server.kill()
            route.abort("connectionreset")
            server.start()
        else:
            route.continue_()

    page.route("**/task/", lose)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("1 task done")).to_be_visible(timeout=20_000)
    assert lost
    assert Edit.objects.get().text == "sent twice"
