from __future__ import annotations

import pytest
from django.core.management import call_command

from decoding.actions import jobs as job_actions
from decoding.actions.systems import add_external_system, add_pool
from decoding.core.formats.nbest import NBestEntry
from decoding.models import Job, TranslationList
from evaluation.core.errors import InputError, VariorumError
from tests.factories import make_corpus, make_recipe
from tests.queueing import finished, wait_until

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pool(user):
    """Four sentences that a system elsewhere translated in three ways."""
    corpus = make_corpus(user, [(f"satz {n}", [f"sentence {n}"]) for n in range(4)], name="text")
    system = add_external_system(
        owner=user, name="elsewhere", source_language="de", target_language="en"
    )
    lists = [
        [NBestEntry(n, f"{word} {n}", {}, -float(rank)) for rank, word in enumerate("abc")]
        for n in range(4)
    ]
    add_pool(system, corpus, lists, name="nbest")
    make_recipe("Two", kind="pool-best", length=2)
    make_recipe("Three", kind="pool-best", length=3)
    return corpus


def make(recipes=("Two",), **options):
    call_command(
        "make_lists", "text", owner="rosa", system="elsewhere", recipe=list(recipes), **options
    )


def test_in_this_process_where_no_worker_runs(pool, monkeypatch, capsys):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)
    monkeypatch.setattr("decoding.parts.announce", lambda *keys: None)
    make(["Two", "Three"], segments=3, here=True)
    assert capsys.readouterr().out.splitlines() == [
        "3 of 4 segments have lists by Two.",
        "3 of 4 segments have lists by Three.",
    ]
    make(here=True)
    assert capsys.readouterr().out == "4 of 4 segments have lists by Two.\n"
    assert TranslationList.objects.count() == 4 + 3


def test_a_worker_does_it_while_the_command_waits(pool, queue, capsys):
    queue.worker()
    make()
    said = capsys.readouterr()
    assert said.out == "4 of 4 segments have lists by Two.\n"
    assert "waits for a worker" in said.err
    job = Job.objects.get(parent=None)
    wait_until(lambda: finished(job))
    assert job.state == "done"


def test_names_that_nothing_has_are_answered_with_those_that_there_are(pool, colleague):
    for changed, problem in (
        ({"system": "ours"}, "no system named ours .* There are: elsewhere"),
        ({"recipe": ["Nine"]}, "no recipe named Nine.*Two.*add_recipe"),
        ({"owner": "kurt"}, "no corpus named text that kurt may see. There is none yet"),
    ):
        given = {"owner": "rosa", "system": "elsewhere", "recipe": ["Two"]} | changed
        with pytest.raises(InputError, match=problem):
            call_command("make_lists", "text", **given)
    with pytest.raises(VariorumError, match="elsewhere"):
        make(["Five best"], here=True)  # an external system decodes nothing
    assert not Job.objects.exists()
