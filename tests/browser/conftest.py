"""A real Chromium that nothing escapes: every console error, failed request, refused answer and
request to another machine fails the test in which it happened.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as django_settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, Request

# Playwright's loop runs in the thread in which the tests ask the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

DESKTOP, PHONE = (1280, 800), (390, 844)
# 320 CSS pixels are 1280 at 400% zoom: what WCAG 1.4.10 asks to fit without scrolling sideways.
ZOOMED = (320, 640)
WCAG_2_2_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def pytest_collection_modifyitems(items):
    for item in items:
        if "page" in item.fixturenames or "new_context" in item.fixturenames:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    return browser_type_launch_args | {
        "executable_path": chromium,
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    }


@dataclass
class Watch:
    """What a browser complained about, and what it asked for."""

    home: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", self._failed)
        page.on("request", self._request)
        page.on("response", self._response)

    def _failed(self, request: Request) -> None:
        # What the page gave up itself, being left or asking anew, was not missed by anybody.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"failed: {request.url}")

    def expect(self, *parts: str) -> None:
        """These complaints, and no others, belong to what the test tries."""
        for complaint in self.complaints:
            assert any(part in complaint for part in parts), complaint
        for part in parts:
            assert any(part in complaint for complaint in self.complaints), (
                f"{part} was expected; there was: {self.complaints}"
            )
        self.complaints.clear()

    def _console(self, message) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"console: {message.text}")

    def _request(self, request) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((self.home, "data:")):
            self.complaints.append(f"left the machine: {request.url}")

    def _response(self, response) -> None:
        if response.status >= 400:
            self.complaints.append(f"answer {response.status}: {response.url}")


@pytest.fixture
def watch(live_server):
    watching = Watch(live_server.url)
    yield watching
    assert watching.complaints == []


@pytest.fixture
def page(page, watch, live_server) -> Page:
    watch.over(page)
    return page


@pytest.fixture
def sign_in(live_server) -> Callable[[BrowserContext, object], None]:
    """Give a browser the session of a user, without the way through the login page."""

    def give(context: BrowserContext, user) -> None:
        client = Client()
        client.force_login(user)
        name = django_settings.SESSION_COOKIE_NAME
        context.add_cookies(
            [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
        )

    return give


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """No violation of WCAG 2.2 AA that axe can find, wide and narrow, light and dark; and no page
    wider than its window, down to 400% zoom.
    """
    axe = Axe()
    options = {
        "runOnly": {"type": "tag", "values": WCAG_2_2_AA},
        "resultTypes": ["violations"],
        # axe leaves it out unless it is asked for by name.
        "rules": {"target-size": {"enabled": True}},
    }

    def check(page: Page) -> None:
        for width, height in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                found = axe.run(page, options=options).response["violations"]
                assert [
                    (rule["id"], node["html"], node.get("failureSummary"))
                    for rule in found
                    for node in rule["nodes"]
                ] == [], f"{page.url}, {width} wide, {theme}"
        for width, height in (PHONE, ZOOMED):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (
                f"{page.url} scrolls sideways at {width}"
            )

    return check
