"""``python -m tests.browser.pictures ADDRESS PASSWORD`` takes the README's pictures.

Of a running application with its demonstration (`make run`), so that they show what there is.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent.parent / "docs/pictures"


def main(address: str, password: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_context(viewport={"width": 1280, "height": 1300}).new_page()
        page.goto(f"{address}/account/login/")
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="The report of a finished study").click()
        page.locator("svg, canvas").first.wait_for()
        take(page, "report")
        page.goto(address)
        link = page.get_by_role("link", name="Write a sentence", exact=True).get_attribute("href")
        visitor = browser.new_context(viewport={"width": 1100, "height": 700}).new_page()
        visitor.goto(f"{address}{link}")
        while not visitor.locator("textarea").count():
            visitor.locator("button.primary").click()
            visitor.wait_for_load_state()
        take(visitor, "editing")
        browser.close()


def take(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
