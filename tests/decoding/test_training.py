"""Training as a job: the very system that the command makes, by workers that may die."""

from __future__ import annotations

import random
import shutil

import pytest
from django.core.management import call_command
from django.urls import reverse

from decoding.actions import jobs as job_actions
from decoding.actions.jobs import announce, cancel_job, claim_job, retry_job
from decoding.actions.lists import ask_for_lists
from decoding.actions.training import ask_for_training, forget_old_trainings
from decoding.core.corpus import training as core
from decoding.core.corpus.entropy import EntropyOptions
from decoding.jobs import run_claimed
from decoding.models import Job, Recipe, System, TranslationList
from decoding.training import SHARES, TrainingSettings, folder_of, looks_tokenised, usual_settings
from evaluation.core.errors import InputError
from tests.factories import make_corpus, make_system
from tests.queueing import finished, wait_until

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

PLAIN = TrainingSettings(order=3)


def pairs(count: int, seed: int = 1) -> list[tuple[str, list[str]]]:
    """Sentences whose words translate one by one, now and then in another order."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        words = [rng.choice("abcdefgh") for _ in range(rng.randrange(2, 9))]
        translated = [word.upper() for word in words]
        if rng.random() < 0.3:
            translated[:2] = translated[1::-1]
        made.append((" ".join(words), [" ".join(translated)]))
    return made


@pytest.fixture
def corpus(user):
    return make_corpus(user, pairs(200))


@pytest.fixture
def dev(user):
    return make_corpus(user, [("a b z", ["A B Z"]), ("c", ["C"])], name="dev")


@pytest.fixture
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)


def run(job: Job) -> Job:
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    return job


def asked(corpus, **said) -> Job:
    return ask_for_training(
        corpus, owner=corpus.owner, **{"name": "trained", "settings": PLAIN} | said
    )


def by_command(corpus, folder, **options) -> None:
    """The same training by ``manage.py train_system``."""
    for side, lines in (
        ("source", [one.source for one in corpus.segments.all()]),
        ("target", [one.references.get().text for one in corpus.segments.all()]),
    ):
        (folder / side).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    call_command(
        "train_system", source=folder / "source", target=folder / "target",
        output=folder / "system", verbosity=0, **options,
    )  # fmt: skip


def test_it_is_the_system_that_the_command_makes(user, corpus, tmp_path, no_broker):
    job = run(asked(corpus))
    assert (job.state, job.error, job.done, job.total) == ("done", "", 100, 100)
    by_command(corpus, tmp_path, order=3)
    languages = {"source_language": "de", "target_language": "en"}
    call_command("add_system", str(tmp_path / "system"), name="b", owner="rosa", **languages)
    trained, added = System.objects.order_by("pk")
    assert job.result["system"] == trained.pk
    assert (trained.name, trained.kind, trained.owner) == ("trained", "trained", user)
    assert trained.checksum == added.checksum
    report = trained.card["training"]
    assert report.keys() == added.card["training"].keys()
    assert report["prepare"] == added.card["training"]["prepare"]
    assert trained.card["provenance"]["corpus"] == {
        "pk": corpus.pk, "name": corpus.name, "checksum": corpus.checksum, "reference": 1,
    }  # fmt: skip
    assert not folder_of(job.pk).exists()


def test_text_as_people_write_it_is_trained_as_by_the_command(user, tmp_path, no_broker):
    raw = [(f"{s.capitalize()}.", [f"{r.lower()}!"]) for s, (r,) in pairs(100)]
    corpus = make_corpus(user, raw)
    assert usual_settings(corpus) == TrainingSettings("de", "en", case="true")
    job = run(asked(corpus, settings=TrainingSettings("de", "en", case="true", order=2)))
    by_command(corpus, tmp_path, order=2, source_language="de", target_language="en")
    languages = {"source_language": "de", "target_language": "en"}
    call_command("add_system", str(tmp_path / "system"), name="b", owner="rosa", **languages)
    trained, added = System.objects.order_by("pk")
    assert job.state == "done"
    assert trained.checksum == added.checksum


def test_such_a_system_makes_lists_of_text_as_people_write_it(user, tmp_path, no_broker):
    raw = [(f"{s.capitalize()}.", [f"{r.lower().capitalize()}!"]) for s, (r,) in pairs(300)]
    corpus = make_corpus(user, raw)
    job = run(ask_for_training(corpus, owner=user, name="raw"))
    system = System.objects.get(pk=job.result["system"])
    recipe = Recipe.objects.get(name="Five best").newest
    text = make_corpus(user, [("A b c.", ["A b c!"])])
    made = run(ask_for_lists(text, system, [recipe], owner=user))
    assert made.result == {"lists made": 1, "lists failed": 0}
    first = TranslationList.objects.get().entries.first()
    assert first.text == "a b c !"
    assert first.bleu1 == pytest.approx(100)


def test_the_report_of_the_dev_corpus_and_more_text(user, corpus, dev, no_broker):
    more = make_corpus(user, [("X Y Z W", [])] * 20, source_language="en", target_language="fr")
    job = run(asked(corpus, dev=dev, monolingual=[more]))
    card = System.objects.get(pk=job.result["system"]).card
    assert card["training"]["dev"]["unknown_rate"] == pytest.approx(1 / 4)
    assert card["training"]["dev"]["perplexity"] > 1
    assert card["provenance"]["dev"]["name"] == "dev"
    assert [one["name"] for one in card["provenance"]["monolingual"]] == [more.name]
    with_less = run(asked(corpus, name="less"))
    less = System.objects.get(pk=with_less.result["system"]).card
    assert card["training"]["language"]["ngrams"][2] > less["training"]["language"]["ngrams"][2]


def test_every_step_has_its_share(corpus):
    assert tuple(SHARES) == core.STEPS


class Killed(BaseException):
    """What no handler catches, as a killed process is told nothing."""


@pytest.mark.parametrize("step", ["align", "system"])
def test_what_was_done_is_not_done_again(corpus, monkeypatch, no_broker, step):
    job = asked(corpus)
    taken = core._STEPS[step]
    told = []

    def killed(training):
        raise Killed

    monkeypatch.setitem(core._STEPS, step, killed)
    with pytest.raises(Killed):
        run_claimed(claim_job(job.pk))
    before = sum(
        share for name, share in SHARES.items() if core.STEPS.index(name) < core.STEPS.index(step)
    )
    job.refresh_from_db()
    assert (job.state, job.done) == ("running", before)
    job_actions.release_running_jobs()
    for name, function in list(core._STEPS.items()):
        monkeypatch.setitem(core._STEPS, name, lambda t, n=name, f=function: told.append(n) or f(t))
    monkeypatch.setitem(core._STEPS, step, lambda t: told.append(step) or taken(t))
    assert run(job).state == "done"
    assert told == list(core.STEPS[core.STEPS.index(step) :])
    assert System.objects.count() == 1


def test_a_worker_that_died_while_it_kept_the_system(corpus, monkeypatch, no_broker):
    from decoding.tasks import training

    job = asked(corpus)
    with monkeypatch.context() as patched:
        patched.setattr(training, "keep_made", lambda folder: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            run_claimed(claim_job(job.pk))
    job_actions.release_running_jobs()
    assert run(job).state == "done"
    assert System.objects.get().card["training"]["prepare"]["kept"] == 200


def test_on_another_disk_it_begins_anew(corpus, monkeypatch, no_broker):

    job = asked(corpus)
    with monkeypatch.context() as patched:
        patched.setitem(core._STEPS, "language", lambda t: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            run_claimed(claim_job(job.pk))
    shutil.rmtree(folder_of(job.pk))
    job_actions.release_running_jobs()
    assert (run(job).state, job.done) == ("done", 100)
    assert System.objects.count() == 1


def test_the_name_may_be_taken_meanwhile(user, corpus, no_broker):
    job = asked(corpus)
    make_system(user, name="trained")
    assert run(job).state == "done"
    assert System.objects.get(pk=job.result["system"]).name == "trained (2)"


def test_text_that_is_unfit_ends_with_a_sentence_and_leaves_nothing(user, no_broker):
    corpus = make_corpus(user, [("a " * 100, ["b"])])
    job = run(asked(corpus))
    assert job.state == "failed"
    assert "none of the 1 sentence pairs is fit for training" in job.error
    assert not folder_of(job.pk).exists()
    assert not System.objects.exists()


def test_what_an_old_training_left_goes_in_the_end(corpus, no_broker):
    from datetime import timedelta

    from django.utils import timezone

    jobs = [asked(corpus, name=name) for name in ("new", "old")]
    for job in jobs:
        cancel_job(job)
        folder_of(job.pk).mkdir(parents=True)
    long_ago = timezone.now() - timedelta(days=8)
    Job.objects.filter(pk=jobs[1].pk).update(finished_at=long_ago)
    folder_of(10**9).mkdir(parents=True)
    forget_old_trainings()
    assert [folder_of(pk).exists() for pk in (jobs[0].pk, jobs[1].pk, 10**9)] == [
        True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "tokenised"),
    [
        (["ein haus .", "das haus , das"], True),
        (["ein haus", "das haus"], True),
        (["Ein Haus.", "Das Haus, das"], False),
        (["这是一个很长的没有空格的句子一二三四五六七八"], False),
        ([], True),
    ],
)
def test_whether_text_is_tokenised(texts, tokenised):
    assert looks_tokenised(texts) is tokenised


# --- Asking -------------------------------------------------------------------------------------


def test_asking_twice_gives_one_job(corpus, no_broker):
    assert asked(corpus) == asked(corpus)
    assert asked(corpus, name="other") != asked(corpus)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"reference": 2}, "has no reference 2"),
        ({"name": "taken"}, "you have a system named taken already"),
        ({"dev": "same"}, "not the training text"),
        ({"dev": "french"}, "Choose a corpus of the same languages"),
        ({"monolingual": ["french"]}, "must be in the target language"),
    ],
)
def test_what_cannot_be_trained(user, corpus, no_broker, said, says):
    make_system(user, name="taken")
    french = make_corpus(user, source_language="fr")
    known = {"same": corpus, "french": french}
    said = {
        name: [known[one] for one in value] if isinstance(value, list) else known.get(value, value)
        for name, value in said.items()
    }
    with pytest.raises(InputError, match=says):
        asked(corpus, **said)
    assert not Job.objects.exists()


# --- By real workers ----------------------------------------------------------------------------


def begun(job, done: int = 1) -> bool:
    job.refresh_from_db()
    return job.done >= done


@pytest.fixture
def larger(user):
    """Trains for some seconds."""
    return make_corpus(user, pairs(10000))


@pytest.mark.slow
def test_a_killed_worker_and_doubled_messages_give_one_system(queue, larger, tmp_path):
    job = asked(larger)
    first = queue.worker()
    announce(job.pk)
    wait_until(lambda: begun(job, SHARES["prepare"]), seconds=60)
    first.kill()
    queue.worker()
    queue.worker()
    announce(job.pk)
    announce(job.pk)
    wait_until(lambda: finished(job), seconds=120)
    assert (job.state, job.error, job.attempts) == ("done", "", 2)
    system = System.objects.get()
    by_command(larger, tmp_path, order=3)
    languages = {"source_language": "de", "target_language": "en"}
    call_command("add_system", str(tmp_path / "system"), name="b", owner="rosa", **languages)
    assert System.objects.exclude(pk=system.pk).get().checksum == system.checksum


@pytest.mark.slow
def test_cancelled_in_the_middle_and_tried_again(queue, larger):
    job = asked(larger)
    queue.worker()
    wait_until(lambda: begun(job), seconds=60)
    cancel_job(job)
    wait_until(lambda: finished(job), seconds=30)
    assert job.state == "cancelled"
    assert not System.objects.exists()
    retry_job(job)
    wait_until(lambda: finished(job), seconds=120)
    assert job.state == "done"
    assert System.objects.count() == 1


@pytest.mark.slow
def test_small_jobs_do_not_wait_for_two_trainings(queue, larger):
    trainings = [asked(larger, name=name) for name in ("one", "other")]
    queue.worker()  # with two threads
    wait_until(lambda: any(begun(job) for job in trainings), seconds=60)
    small = job_actions.submit_job(
        "self-test", owner=larger.owner, parameters={"pieces": 1, "seconds_per_piece": 0}
    )
    wait_until(lambda: finished(small), seconds=20)
    assert {job.state for job in Job.objects.filter(kind="train-system")} == {"running", "queued"}
    for job in trainings:
        wait_until(lambda job=job: finished(job), seconds=120)
    assert System.objects.count() == 2


# --- The page -----------------------------------------------------------------------------------


def test_a_system_in_a_few_clicks(client, user, corpus, dev, no_broker):
    client.force_login(user)
    assert "Train a system" in client.get(corpus.get_absolute_url()).content.decode()
    address = reverse("decoding:train", args=[corpus.pk])
    page = client.get(address)
    assert "It takes about 1 minute;" in " ".join(page.content.decode().split())
    form = page.context["form"]
    said = {name: form[name].value() or "" for name in form.fields}
    answer = client.post(address, said | {"dev": dev.pk})
    job = Job.objects.get()
    assert answer["Location"] == job.get_absolute_url()
    assert job.parameters["settings"] == TrainingSettings().as_dict()
    assert run(job).state == "done"
    page = client.get(job.get_absolute_url()).content.decode()
    system = System.objects.get()
    assert f'href="{system.get_absolute_url()}">Show the system' in page


def test_bad_input_gets_a_sentence(client, user, corpus, no_broker):
    client.force_login(user)
    make_system(user, name="taken")
    address = reverse("decoding:train", args=[corpus.pk])
    good = {"name": "x", "case": "as-is", "aligner": "hmm", "order": 5}
    for said, says in (
        ({"name": "taken"}, "you have a system named taken already"),
        ({"name": ""}, "This field is required"),
        ({"order": 8}, "Select a valid choice"),
        ({"dev": corpus.pk}, "Select a valid choice"),
    ):
        page = client.post(address, good | said)
        assert page.status_code == 422
        assert says in page.content.decode()
    assert not Job.objects.exists()
    assert client.post(address, good).status_code == 302


def test_table_and_language_model_as_asked_for(client, user, corpus, no_broker):
    client.force_login(user)
    said = {"name": "x", "case": "as-is", "aligner": "hmm", "order": 3}
    said |= {"pruning": "entropy", "smoothing": "witten-bell"}
    assert client.post(reverse("decoding:train", args=[corpus.pk]), said).status_code == 302
    options = TrainingSettings(**Job.objects.get().parameters["settings"]).options()
    assert options.entropy == EntropyOptions()
    assert options.pruning is None
    assert (options.language.order, options.language.smoothing) == (3, "witten-bell")


def test_only_of_what_one_may_see(client, user, colleague, corpus, dev, no_broker):
    client.force_login(colleague)
    assert client.get(reverse("decoding:train", args=[corpus.pk])).status_code == 404
    own = make_corpus(colleague)
    page = client.get(reverse("decoding:train", args=[own.pk])).content.decode()
    assert f">{dev.name}<" not in page
    bare = make_corpus(colleague, [("das", [])])
    page = client.get(reverse("decoding:train", args=[bare.pk])).content.decode()
    assert "This corpus has no references" in page
