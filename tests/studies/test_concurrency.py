"""Forty people at once on two web servers, with delays, crashes, doubled posts and late answers."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.db.models import Count, F

from studies.core.conduct import Conduct
from studies.crowd import Browser, Page, Person
from studies.models import Assignment, Edit, Judgment, Slot
from tests.studies.making import make_running_study


class Clumsy(Person):
    """A person whose browser dies, whose network doubles, and who falls asleep."""

    accepted: dict[str, str]

    def work(self, study, deadline: float) -> None:
        page = self.arrive()
        while time.monotonic() < deadline:
            if not page.kind:
                if page.path.endswith("/done/") or "Thank you" in page.text:
                    return
                time.sleep(self.rng.uniform(0.05, 0.2))  # others are at what is left
                page = self.browser.get(f"/take/{study.code}/task/")
                continue
            page = self._step(study, page)

    def _step(self, study, page: Page) -> Page:
        chance = self.rng.random()
        fields = page.fields | self.reply(page)
        if page.kind == "editing":
            fields["text"] = f"{fields['text']} {fields['key']}"
        if chance < 0.06:  # the browser is killed and comes back: the same task is there
            self.browser.close()
            return self.browser.get(f"/take/{study.code}/task/")
        if chance < 0.12:  # asleep for so long that the lease runs out
            Slot.objects.filter(assignments__key=fields["key"], state="leased").update(
                expires_at=F("expires_at") - timedelta(days=1)
            )
            connections.close_all()  # back to the pool, which forty threads share
            time.sleep(self.rng.uniform(0, 0.05))
        if chance > 0.85:  # the same form twice at once, over two connections
            twin = Browser(self.addresses[1])
            twin.cookies = dict(self.browser.cookies)
            other = threading.Thread(target=twin.post, args=(page.action, fields))
            other.start()
            answer = self.browser.post(page.action, fields)
            other.join()
            twin.close()
        else:
            answer = self.browser.post(page.action, fields)
        assert answer.status in (200, 409), (answer.status, answer.text)
        if answer.status == 200:
            self.accepted[fields["key"]] = fields.get("text", fields["action"])
        else:
            answer = self.browser.get(f"/take/{study.code}/task/")
        self.answered += 1
        return answer


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_forty_at_once(user, web_servers):
    """On PostgreSQL 50 sentences, two web processes; SQLite, which has one writer, gets fewer."""
    sentences = 50 if connection.vendor == "postgresql" else 5
    study = make_running_study(
        user,
        sentences=sentences,
        draws=2,
        judges=3,
        pairs_per_comparison=2,
        conduct=Conduct(),
    )
    addresses = [server.address for server in web_servers]
    deadline = time.monotonic() + 150
    crowd, problems = [], []

    def run(person: Clumsy) -> None:
        try:
            person.work(study, deadline)
        except BaseException as error:  # noqa: BLE001 (asserted below)
            problems.append(error)
        finally:
            person.browser.close()
            connections.close_all()

    for number in range(40):
        person = Clumsy(
            Browser(addresses[number % 2]), f"/take/{study.code}/", random.Random(number)
        )
        person.accepted = {}
        person.addresses = addresses[number % 2], addresses[(number + 1) % 2]
        crowd.append(person)
    threads = [threading.Thread(target=run, args=(person,)) for person in crowd]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    check_all(study, crowd)


def check_all(study, crowd) -> None:
    # Every slot filled exactly once, and no more answers counted than slots.
    slots = Slot.objects.filter(study=study)
    assert Counter(slots.values_list("state", flat=True)) == {"filled": slots.count()}
    edits = Edit.objects.filter(slot__study=study)
    judgments = Judgment.objects.filter(slot__study=study)
    counted = {"standing": "counted"}
    assert edits.filter(**counted).count() == study.the_design.editing_tasks
    assert judgments.filter(**counted).count() == study.the_design.judgments
    # No pair has a judgment too many, and nobody judged one twice.
    per_pair = judgments.filter(**counted).order_by().values("task").annotate(n=Count("pk"))
    assert {row["n"] for row in per_pair} == {study.the_design.judges}
    # Nobody met a sentence twice, in whatever role.
    met = Assignment.objects.filter(slot__study=study).order_by()
    twice = met.values("participant", "segment").annotate(n=Count("pk")).filter(n__gt=1)
    assert not twice.exists()
    # No accepted text is missing, in time or late.
    kept = {str(edit.form_key): edit.text for edit in edits}
    kept |= {str(one.form_key): one.choice for one in judgments}
    for person in crowd:
        for key, said in person.accepted.items():
            assert key in kept
            if said not in ("a", "b", "same"):
                assert kept[key] == said
    assert sum(len(person.accepted) for person in crowd) <= len(kept)
    # The faults were there: something came late, or was taken over.
    assert edits.filter(standing="late").exists() or judgments.filter(standing="late").exists()
