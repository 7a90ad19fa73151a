"""Weight tuning as a job: the weights that the command finds, a history, a new system."""

from __future__ import annotations

import csv
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from decoding.actions import jobs as job_actions
from decoding.actions.deletion import delete_unless_used
from decoding.actions.jobs import announce, cancel_job, claim_job, retry_job
from decoding.actions.systems import keep_system
from decoding.actions.weights import ask_for_weights, keep_best_so_far
from decoding.core.tuning import TunableSystem
from decoding.jobs import run_claimed
from decoding.models import Job, Measurement, System, WeightTuning
from decoding.storage import fetch_folder
from decoding.training import folder_of
from evaluation.core.errors import InputError
from tests.decoding.moses_toy import write_toy
from tests.factories import make_corpus, make_system
from tests.queueing import finished, wait_until

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

SEGMENTS = [
    ("das haus ist klein", ["that building is little", "that building is little indeed"]),
    ("haus ist das", ["building is that"]),
    ("klein ist das haus", ["little is that building"]),
    ("das ist klein", []),
]


@pytest.fixture
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)
    monkeypatch.setattr("decoding.parts.announce", lambda *keys: None)


@pytest.fixture
def folder(tmp_path):
    from decoding.core.translation.moses import read_moses_system

    read_moses_system(write_toy(tmp_path)).save(tmp_path / "system")
    return tmp_path / "system"


@pytest.fixture
def system(user, folder):
    from decoding.cards import card_of_folder

    return keep_system(
        folder, owner=user, kind="imported", card=card_of_folder(folder), name="toy",
        source_language="de", target_language="en",
    )  # fmt: skip


@pytest.fixture
def dev(user):
    return make_corpus(user, SEGMENTS, name="dev")


def asked(system, dev, **said) -> WeightTuning:
    return ask_for_weights(
        system, dev, owner=system.owner, **{"name": "tuned", "rounds": 4, "kbest": 50} | said
    )


def test_a_second_click_gives_the_same_tuning(system, dev, no_broker):
    first = asked(system, dev)
    assert asked(system, dev) == first
    assert asked(system, dev, seed=2) != first


def run(job: Job) -> Job:
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    return job


@pytest.fixture
def tuned(system, dev, no_broker) -> WeightTuning:
    tuning = asked(system, dev)
    job = run(tuning.job)
    assert (job.state, job.error) == ("done", "")
    tuning.refresh_from_db()
    return tuning


def by_command(folder, tmp_path, **options) -> dict:
    """The same by ``manage.py tune_system``; its history."""
    texts = [(source, references) for source, references in SEGMENTS if references]
    (tmp_path / "source").write_text("".join(f"{source}\n" for source, _ in texts))
    # The command wants as many references of each sentence; one twice counts once.
    for number in (0, 1):
        lines = [references[min(number, len(references) - 1)] for _, references in texts]
        (tmp_path / f"reference{number}").write_text("".join(f"{line}\n" for line in lines))
    call_command(
        "tune_system", system=folder, source=tmp_path / "source", method="mert", rounds=4,
        reference=[tmp_path / "reference0", tmp_path / "reference1"], kbest=50, verbosity=0,
    )  # fmt: skip
    return json.loads((folder / "tuning.json").read_text())


def test_it_finds_what_the_command_finds(tuned, system, folder, tmp_path):
    known = by_command(folder, tmp_path)
    assert tuned.history["rounds"] == known["rounds"]
    assert tuned.history["stopped"] == known["stopped"]
    made = tuned.made
    assert (made.name, made.kind, made.parent) == ("tuned", "imported", system)
    assert made.card["tuning"] == tuned.history
    assert made.card["facts"] == system.card["facts"]
    assert made.card["features"] != system.card["features"]
    assert made.card["provenance"]["parent"]["name"] == "toy"
    assert made.card["provenance"]["tuned on"]["checksum"] == tuned.corpus.checksum
    call_command(
        "add_system", str(folder), name="b", owner="rosa", source_language="de",
        target_language="en",
    )  # fmt: skip
    added = System.objects.get(name="b")
    assert made.checksum == added.checksum
    assert not folder_of(tuned.job_id).exists()


def test_it_shares_its_models_with_the_system_that_was_tuned(tuned, system):
    folders = [fetch_folder(one.checksum, one.storage_key) for one in (system, tuned.made)]
    names = {path.name for path in folders[0].rglob("*") if path.is_file()}
    different = {
        name
        for name in names
        if not next(folders[0].rglob(name)).samefile(next(folders[1].rglob(name)))
    }
    assert different == {"system.json"}


def test_the_history_says_what_its_bleu_is(tuned):
    history = tuned.history
    assert history["signature"].startswith("nrefs:var|case:mixed|eff:no|tok:none|smooth:exp|")
    scores = [done["score"] for done in history["rounds"]]
    assert history["best"] == scores.index(max(scores))
    assert max(scores) > scores[0]


def test_the_new_system_is_measured_on_the_dev_corpus(tuned):
    job = Job.objects.get(kind="measure-system")
    assert (run(job).state, job.error) == ("done", "")
    measured = Measurement.objects.get(system=tuned.made)
    best = tuned.history["rounds"][tuned.history["best"]]["score"]
    assert measured.bleu == pytest.approx(best)


class Killed(BaseException):
    """What no handler catches, as a killed process is told nothing."""


def broken_off_in_round(number: int, monkeypatch, tuning, error=Killed) -> None:
    """Run its job until a round, in which the worker dies."""
    decode, calls = TunableSystem.decode, []

    def decode_until(self, weights):
        calls.append(weights)
        if len(calls) == number:
            raise error
        return decode(self, weights)

    with monkeypatch.context() as patched:
        patched.setattr(TunableSystem, "decode", decode_until)
        if error is Killed:
            with pytest.raises(Killed):
                run_claimed(claim_job(tuning.job_id))
        else:
            run_claimed(claim_job(tuning.job_id))
    tuning.refresh_from_db()


def test_a_worker_that_died_in_a_round(tuned, system, dev, monkeypatch):
    other = asked(system, dev, name="other")
    broken_off_in_round(2, monkeypatch, other)
    assert len(other.history["rounds"]) == 1
    job_actions.release_running_jobs()
    assert run(other.job).state == "done"
    other.refresh_from_db()
    assert other.history["rounds"] == tuned.history["rounds"]
    assert other.made.checksum == tuned.made.checksum
    assert System.objects.count() == 3


def test_the_best_so_far_of_a_cancelled_one_can_be_kept(system, dev, no_broker, monkeypatch):
    from decoding.jobs import Cancelled

    tuning = asked(system, dev)
    broken_off_in_round(2, monkeypatch, tuning, Cancelled)
    tuning.job.refresh_from_db()
    assert tuning.job.state == "cancelled"
    assert tuning.made is None
    keep_best_so_far(tuning)
    assert run(tuning.job).state == "done"
    tuning.refresh_from_db()
    assert len(tuning.history["rounds"]) == 1
    assert tuning.history["stopped"] == "ended by hand"
    best = tuning.history["rounds"][tuning.history["best"]]["weights"]
    features = tuning.made.card["features"]
    assert {name: features[name] for name in best} == {
        name: pytest.approx(values, abs=1e-6) for name, values in best.items()
    }


def test_before_the_first_round_there_is_nothing_to_keep(system, dev, no_broker):
    with pytest.raises(InputError, match="Wait for the first"):
        keep_best_so_far(asked(system, dev))


def test_a_tuning_goes_with_its_system_and_the_made_one_stays(tuned, system):
    delete_unless_used(system)
    made = System.objects.get()
    assert (made.name, made.parent) == ("tuned", None)
    assert fetch_folder(made.checksum, made.storage_key).is_dir()


@pytest.mark.slow
def test_a_killed_worker_and_doubled_messages_give_one_system(queue, system, user):
    dev = make_corpus(user, SEGMENTS * 100)
    tuning = asked(system, dev, rounds=5, patience=5)
    first = queue.worker()

    def rounds() -> int:
        tuning.refresh_from_db()
        return len(tuning.history.get("rounds", ()))

    wait_until(lambda: rounds() >= 1, seconds=150)  # a cold worker compiles first
    first.kill()
    announce(tuning.job_id)
    queue.worker()
    announce(tuning.job_id)
    wait_until(lambda: finished(tuning.job), seconds=120)
    assert (tuning.job.state, tuning.job.error) == ("done", "")
    assert System.objects.filter(parent=system).count() == 1


@pytest.mark.slow
def test_cancelled_by_hand_it_goes_on_when_it_is_tried_again(queue, system, user):
    # Long enough to be still at it when it hears of it.
    tuning = asked(system, make_corpus(user, SEGMENTS * 4000), rounds=2)
    queue.worker()
    wait_until(lambda: tuning.job.refresh_from_db() or tuning.job.message, seconds=90)
    cancel_job(tuning.job)
    wait_until(lambda: finished(tuning.job), seconds=30)
    assert tuning.job.state == "cancelled"
    retry_job(tuning.job)
    wait_until(lambda: finished(tuning.job), seconds=120)
    assert tuning.job.state == "done"


# --- Pages --------------------------------------------------------------------------------------


def test_from_the_systems_page_to_the_tuned_system(client, user, system, dev, no_broker):
    client.force_login(user)
    page = client.get(system.get_absolute_url()).content.decode()
    address = reverse("decoding:tune-weights", args=[system.pk])
    assert address in page
    good = {
        "corpus": dev.pk, "method": "batch-mira", "name": "t", "rounds": 2, "patience": 1,
        "kbest": 20, "seed": 3,
    }  # fmt: skip
    for said, says in (
        ({"name": "toy"}, "you have a system named toy already"),
        ({"rounds": 0}, "greater than or equal to 1"),
        ({"kbest": 1001}, "less than or equal to 1000"),
        ({"corpus": ""}, "This field is required"),
        ({"method": "guess"}, "Select a valid choice"),
    ):
        answer = client.post(address, good | said)
        assert answer.status_code == 422
        assert says in answer.content.decode()
    assert not WeightTuning.objects.exists()
    answer = client.post(address, good)
    tuning = WeightTuning.objects.get()
    assert answer["Location"] == tuning.job.get_absolute_url()
    page = client.get(tuning.job.get_absolute_url()).content.decode()
    assert tuning.get_absolute_url() in page
    assert "No round is over yet" in client.get(tuning.get_absolute_url()).content.decode()
    run(tuning.job)
    page = client.get(tuning.get_absolute_url()).content.decode()
    assert "The system that came of it is" in page
    made = System.objects.get(parent=system)
    card = client.get(made.get_absolute_url()).content.decode()
    for words in ("Weights by round", "Where it is from", "toy (", "batch-mira"):
        assert words in card


@pytest.mark.parametrize("name", ["bleu", "weights"])
def test_the_charts_of_a_history(client, user, tuned, name):
    client.force_login(user)
    for route, pk in (("weight-history", tuned.pk), ("system-history", tuned.made.pk)):

        def get(kind, route=route, pk=pk):
            return client.get(reverse(f"decoding:{route}", args=[pk, name, kind]))

        assert get("svg").content.startswith(b"<svg")
        assert get("gif").status_code == 404
        spec = json.loads(get("json").content)
        rounds = {one["round"] for one in spec["data"]["values"]}
        assert rounds == set(range(1, len(tuned.history["rounds"]) + 1))
        rows = list(csv.DictReader(get("csv").content.decode().splitlines()))
        if name == "bleu":
            assert [float(row["bleu"]) for row in rows] == [
                done["score"] for done in tuned.history["rounds"]
            ]
        else:
            first = [abs(float(row["weight"])) for row in rows if row["round"] == "1"]
            assert sum(first) == pytest.approx(1, abs=1e-4)
    assert (
        client.get(reverse("decoding:weight-history", args=[tuned.pk, "x", "svg"])).status_code
        == 404
    )


def test_what_is_not_yours(client, colleague, system, tuned):
    client.force_login(colleague)
    for name, pk in (("tune-weights", system.pk), ("weight-tuning", tuned.pk)):
        assert client.get(reverse(f"decoding:{name}", args=[pk])).status_code == 404
    assert client.post(reverse("decoding:keep-best", args=[tuned.pk])).status_code == 404
    address = reverse("decoding:weight-history", args=[tuned.pk, "bleu", "svg"])
    assert client.get(address).status_code == 404


def test_an_external_system_has_no_weights(user, dev):
    with pytest.raises(InputError, match="is external"):
        asked(make_system(user), dev)
