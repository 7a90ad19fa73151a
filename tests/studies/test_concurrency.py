"""Forty people at once on two web servers, with delays, crashes, doubled posts and late answers;
and researchers who exclude, reinstate and erase people while they work.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.db.models import Count, F, Q

from studies.actions.participants import erase, exclude, reinstate
from studies.core.conduct import Conduct
from studies.crowd import Browser, Page, Person
from studies.models import Assignment, Edit, Judgment, Participant, Slot
from tests.studies.making import make_running_study


class Clumsy(Person):
    """A person whose browser dies, whose network doubles, and who falls asleep."""

    accepted: dict[str, str]
    expected = (200, 409)

    def work(self, study, deadline: float) -> None:
        page = self.arrive()
        while time.monotonic() < deadline:
            if not page.kind:
                if page.path.endswith("/done/") or "Thank you" in page.text or page.status == 403:
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
        assert answer.status in self.expected, (answer.status, answer.text)
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


class Watched(Clumsy):
    """Somebody whom a researcher may exclude or erase at any moment; then somebody else comes."""

    expected = (200, 403, 409)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("eval_follows", [True, False])
def test_people_are_excluded_and_erased_while_they_work(user, web_servers, eval_follows):
    """Locks are taken in one order, so nothing waits in a circle; and the books balance."""
    study = make_running_study(
        user,
        sentences=6 if connection.vendor == "postgresql" else 3,
        draws=1,
        judges=2,
        conduct=Conduct(eval_follows=eval_follows, pairs_per_judge=2),
    )
    addresses = [server.address for server in web_servers]
    deadline = time.monotonic() + 15
    problems: list[BaseException] = []
    accepted: dict[str, str] = {}

    def guarded(work) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (asserted below)
            problems.append(error)
        finally:
            connections.close_all()

    def take_part(number: int) -> None:
        rng = random.Random(number)
        while time.monotonic() < deadline and not problems:
            person = Watched(Browser(addresses[number % 2]), f"/take/{study.code}/", rng)
            person.accepted, person.addresses = accepted, addresses
            person.work(study, deadline)
            person.browser.close()

    def interfere(number: int) -> None:
        rng = random.Random(number)
        while time.monotonic() < deadline and not problems:
            crowd = list(Participant.objects.filter(study=study).exclude(state="erased"))
            if crowd:
                one = rng.choice(crowd)
                chance = rng.random()
                if one.is_excluded and chance < 0.7:
                    reinstate(one)
                elif chance < 0.8:
                    exclude(one, "for the test")
                else:
                    erase(one)
            connections.close_all()
            time.sleep(rng.uniform(0.01, 0.1))

    jobs = [lambda n=n: take_part(n) for n in range(12)] + [
        lambda n=n: interfere(n) for n in range(3)
    ]
    threads = [threading.Thread(target=guarded, args=(work,)) for work in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert Participant.objects.filter(state="erased").exists()
    assert Participant.objects.exclude(excluded_at=None).exists()
    check_books(study)
    # What was accepted is there, unless its author had it erased.
    kept = {str(edit.form_key): edit for edit in Edit.objects.filter(slot__study=study)}
    erased = Participant.objects.filter(study=study, state="erased")
    gone = set(
        map(str, Assignment.objects.filter(participant__in=erased).values_list("key", flat=True))
    )
    alive = set(map(str, Assignment.objects.values_list("key", flat=True))) - gone
    for key, said in accepted.items():
        if key in alive and said not in ("a", "b", "same"):
            assert kept[key].text == said
    # Nothing waits for ever: when those who were at work have fallen silent, others complete it.
    Slot.objects.filter(study=study, state="leased").update(
        expires_at=F("expires_at") - timedelta(days=1)
    )
    last = [
        Clumsy(Browser(addresses[n % 2]), f"/take/{study.code}/", random.Random(n))
        for n in range(30)
    ]
    for person in last:
        person.accepted, person.addresses = {}, addresses
        page = person.arrive()
        while page.kind:
            page = person.answer(page)
        person.browser.close()
    assert set(Slot.objects.filter(study=study).values_list("state", flat=True)) == {"filled"}
    check_books(study)


def check_books(study) -> None:
    """Slots, answers and people tell the same story."""
    for answers, kind in ((Edit, "editing"), (Judgment, "eval")):
        filled = Slot.objects.filter(study=study, kind=kind, state="filled")
        counted = answers.objects.filter(slot__study=study, standing="counted")
        assert sorted(counted.values_list("slot", "participant")) == sorted(
            filled.values_list("pk", "participant")
        )
        assert not counted.exclude(participant__excluded_at=None).exists()
    about_nothing = ~Q(first__standing="counted") | ~Q(second__standing="counted")
    assert not Judgment.objects.filter(about_nothing, standing="counted").exists()
    # Who is erased holds nothing and has said nothing.
    erased = Participant.objects.filter(study=study, state="erased")
    assert not Slot.objects.filter(participant__in=erased).exists()
    assert not Judgment.objects.filter(participant__in=erased).exists()
    assert not Edit.objects.filter(participant__in=erased).exclude(text="").exists()
    # A pair can be judged exactly while both its edits are there.
    for slot in Slot.objects.filter(study=study, kind="eval").select_related("task"):
        edits = Edit.objects.filter(
            task__in=[slot.task.first_id, slot.task.second_id], standing="counted"
        )
        assert slot.state == "waiting" or edits.count() == 2, slot
