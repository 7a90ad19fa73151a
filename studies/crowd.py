"""A simulated crowd: it comes by the link, reads the real pages over HTTP and sends real forms.

For pilots, load tests and the test suite. It knows of a study what a participant knows, and is
marked as simulated by a proof in its link that only this installation can make.
"""

from __future__ import annotations

import http.client
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

_MOST_REDIRECTS = 5
_BEFORE_TASKS = ("screening", "instructions", "training")
_SECONDS_BETWEEN = 1.0  # from telling how many answers there are to telling it again


@dataclass(slots=True)
class Page(HTMLParser):
    """An answer, and what of it a person could see and send."""

    status: int
    path: str
    text: str
    headers: list[tuple[str, str]] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    kind: str = ""  # of the task on it: editing, eval or none
    action: str = ""  # where its form is sent
    _inside: str = ""

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)
        self.feed(self.text)

    def __hash__(self) -> int:
        return id(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.kind = found.get("data-kind", self.kind)
            self.action = found.get("action", "") or self.path
        elif tag == "input" and found.get("name"):
            self.fields[found["name"]] = found.get("value", "")
        elif tag == "textarea":
            self.fields[found["name"]] = ""
            self._inside = "textarea"
        elif tag == "p" and "sentence" in found.get("class", "").split():
            self.sentences.append("")
            self._inside = "sentence"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("textarea", "p"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "sentence":
            self.sentences[-1] += data
        elif self._inside == "textarea":
            self.fields["text"] += data


class Browser:
    """Cookies, redirects and one kept connection: as much of a browser as the pages need."""

    def __init__(self, address: str, *, timeout: float = 60) -> None:
        parts = urlsplit(address)
        make = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self.connection = make(parts.hostname or "", parts.port, timeout=timeout)
        self.cookies: dict[str, str] = {}
        self.bytes_received = 0

    def get(self, path: str) -> Page:
        return self.ask("GET", path)

    def post(self, path: str, fields: Mapping[str, str], *, script: bool = True) -> Page:
        """Send a form as the page's script does, or as a browser without scripts."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if script:
            headers["X-Take"] = "script"
        return self.ask("POST", path, urlencode(fields), headers)

    def ask(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] = {}
    ) -> Page:
        for _ in range(_MOST_REDIRECTS):
            response, content = self._once(method, path, body, headers)
            if response.status not in (301, 302, 303):
                return Page(response.status, path, content, response.getheaders())
            method, path, body = "GET", urljoin(path, response.headers["Location"]), None
        raise OSError(f"{path} redirects for ever")

    def close(self) -> None:
        self.connection.close()

    def _once(
        self, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[http.client.HTTPResponse, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            self.connection.request(method, path, body, {**headers, "Cookie": cookies})
            response = self.connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # A kept connection that the server had closed. Forms can be sent again.
            self.connection.close()
            self.connection.request(method, path, body, {**headers, "Cookie": cookies})
            response = self.connection.getresponse()
        content = response.read()
        self.bytes_received += len(content)
        for header in response.headers.get_all("Set-Cookie") or []:
            name, _, value = header.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        return response, content.decode()


@dataclass(slots=True)
class Person:
    """One who takes part: comes, agrees, reads, and answers until there is nothing left."""

    browser: Browser
    link: str  # path and query
    rng: random.Random
    answered: int = 0

    def arrive(self) -> Page:
        page = self.browser.get(self.link)
        if "consent" not in page.action:
            return page  # they were here before
        page = self.browser.post(page.action, page.fields, script=False)
        while page.status == 200 and (
            (step := page.path.partition("?")[0].split("/")[-2]) in _BEFORE_TASKS
        ):
            page = getattr(self, step)(page)
        return page

    def screening(self, page: Page) -> Page:
        return self.browser.post(page.path, page.fields, script=False)

    def instructions(self, page: Page) -> Page:
        return self.browser.post(page.path, page.fields, script=False)

    def training(self, page: Page) -> Page:
        """Answer an item, or go on from what is said about it."""
        if not page.kind:
            return self.browser.get(page.path.partition("?")[0])
        return self.browser.post(page.path, page.fields | self.reply(page), script=False)

    def answer(self, page: Page) -> Page:
        """Do the task on the page; the next page."""
        fields = page.fields | self.reply(page)
        self.answered += 1
        return self.browser.post(page.action, fields)

    def reply(self, page: Page) -> dict[str, str]:
        """What this person has to say to a task."""
        active = {"active": str(self.rng.randrange(2_000, 60_000)), "pauses": "0", "blurs": "0"}
        if page.kind == "editing":
            text = self._edit(page.sentences)
            return active | {"action": "submit", "text": text, "keys": str(len(text))}
        return active | {"action": self._judge(*page.sentences)}

    def _edit(self, shown: list[str]) -> str:
        """Mostly one of the translations, at times the ends of two of them."""
        one, other = self.rng.choice(shown).split(), self.rng.choice(shown).split()
        if self.rng.random() < 0.3:
            one = one[: len(one) // 2] + other[len(other) // 2 :]
        return " ".join(one) or "nothing"

    def _judge(self, reference: str, first: str, second: str) -> str:
        """The one that shares more words with the reference, as far as a tired eye can tell."""
        wanted = set(reference.lower().split())
        one, other = (
            len(wanted & set(text.lower().split())) + self.rng.gauss(0, 1)
            for text in (first, second)
        )
        if abs(one - other) < 0.5:
            return "same"
        return "a" if one > other else "b"


def play(
    address: str,
    link: Callable[[int], str],
    *,
    people: int,
    seed: int,
    most_answers: int | None = None,
    at_once: int = 8,
    done: Callable[[], None] = lambda: None,
    tell: Callable[[int], None] = lambda answers: None,
) -> int:
    """Let so many people do all they may; how many answers they gave.

    ``link`` gives each their way in. They come ``at_once`` at a time; ``done`` is called after
    each answer, in the thread that gave it; ``tell`` is told now and then how many there are, in
    the caller's. Either ends the play by raising.
    """
    numbers = iter(range(people))
    lock = threading.Lock()
    answers = 0
    problems: list[BaseException] = []

    def work() -> None:
        nonlocal answers
        while not problems:
            with lock:
                number = next(numbers, None)
            if number is None or (most_answers is not None and answers >= most_answers):
                return
            browser = Browser(address)
            try:
                person = Person(browser, link(number), random.Random(f"{seed}-{number}"))
                page = person.arrive()
                while page.kind and not problems:
                    page = person.answer(page)
                    with lock:
                        answers += 1
                        done()
                        if most_answers is not None and answers >= most_answers:
                            return
            except BaseException as error:  # noqa: BLE001 (told to whoever let them play)
                problems.append(error)
            finally:
                browser.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for thread in threads:
            thread.join(_SECONDS_BETWEEN / at_once)
        try:
            tell(answers)
        except BaseException as error:  # noqa: BLE001 (raised when all have stopped)
            problems.append(error)
    if problems:
        raise problems[0]
    return answers
