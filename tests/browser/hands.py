"""Two ways to use a page: with a pointer, and with the keyboard alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Locator, Page

_MOST_STEPS = 150
_IS_FOCUSED = "element => element === document.activeElement"
_SHOWS_FOCUS = """element => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
        || style.boxShadow !== "none";
}"""


class Pointer:
    """Whoever has a mouse, or a finger."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def click(self, where: Locator) -> None:
        where.click()

    def tick(self, where: Locator) -> None:
        where.click()

    def fill(self, where: Locator, text: str) -> None:
        where.fill(text)

    def choose(self, where: Locator, label: str) -> None:
        where.select_option(label=label)

    def upload(self, where: Locator, files: Sequence[Path]) -> None:
        where.set_input_files(files)


class Keys(Pointer):
    """Tab, Enter, arrows and letters, and seeing where one is. Only the system's own dialog, in
    which files are chosen, is out of a test's reach.
    """

    def reach(self, where: Locator) -> None:
        """Press Tab until it has the focus, and shows it."""
        for _ in range(_MOST_STEPS):
            if where.evaluate(_IS_FOCUSED):
                assert where.evaluate(_SHOWS_FOCUS), f"one cannot see the focus on {where}"
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no way leads to {where} by Tab")

    def click(self, where: Locator) -> None:
        self.reach(where)
        self.page.keyboard.press("Enter")

    def tick(self, where: Locator) -> None:
        self.reach(where)
        self.page.keyboard.press("Space")

    def fill(self, where: Locator, text: str) -> None:
        self.reach(where)
        if where.get_attribute("type") == "range":
            self._slide(where, text)
            return
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def choose(self, where: Locator, label: str) -> None:
        self.reach(where)
        self.page.keyboard.press("Home")
        for _ in range(_MOST_STEPS):
            if where.evaluate("element => element.selectedOptions[0].label.trim()") == label:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{label} cannot be chosen")

    def _slide(self, where: Locator, text: str) -> None:
        self.page.keyboard.press("Home")
        for _ in range(_MOST_STEPS):
            if where.input_value() == text:
                return
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(f"the slider never stands at {text}")

    def upload(self, where: Locator, files: Sequence[Path]) -> None:
        self.reach(where)
        where.set_input_files(files)
