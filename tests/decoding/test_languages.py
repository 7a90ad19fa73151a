"""Systems and corpora of other languages are refused, whoever asks."""

from __future__ import annotations

import pytest

from decoding.actions import jobs as job_actions
from decoding.actions.lists import ask_again, ask_for_lists
from decoding.actions.measurements import ask_for_comparison, ask_for_measurement
from decoding.actions.training import ask_for_training
from decoding.actions.tuning import ask_for_tuning
from decoding.actions.weights import ask_for_weights
from decoding.forms.lists import MakeListsForm
from decoding.forms.tuning import TuningForm
from decoding.languages import language_problem
from decoding.models import Corpus, Job, TuningRun, WeightTuning
from evaluation.core.errors import VariorumError
from tests.factories import make_corpus, make_recipe, make_system

pytestmark = pytest.mark.django_db

GRID = {"orders": [1], "penalties": [0.1], "sample_size": 5}


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)


@pytest.fixture
def system(user):
    return make_system(user, kind="imported", checksum="c", storage_key="k")


@pytest.fixture
def best():
    return make_recipe(kind="unique-best")


def into_french(user) -> Corpus:
    return make_corpus(user, target_language="fr")


def from_french(user) -> Corpus:
    return make_corpus(user, source_language="fr")


ASK = {
    "lists": lambda system, corpus, best, user: ask_for_lists(corpus, system, [best], owner=user),
    "tuning": lambda system, corpus, best, user: ask_for_tuning(
        owner=user, system=system, corpus=corpus, **GRID
    ),
    "weights": lambda system, corpus, best, user: ask_for_weights(
        system, corpus, owner=user, name="tuned"
    ),
    "measurement": lambda system, corpus, best, user: ask_for_measurement(
        system, corpus, owner=user
    ),
    "comparison": lambda system, corpus, best, user: ask_for_comparison(
        system, make_system(user), corpus, owner=user
    ),
    "training": lambda system, corpus, best, user: ask_for_training(
        make_corpus(user), owner=user, name="trained", dev=corpus
    ),
}


@pytest.mark.parametrize("corpus", [into_french, from_french])
@pytest.mark.parametrize("what", ASK)
def test_a_corpus_of_another_language(user, system, best, corpus, what):
    with pytest.raises(VariorumError, match=r"is fr\. Choose a corpus of the same languages"):
        ASK[what](system, corpus(user), best, user)
    assert not Job.objects.exists()
    assert not TuningRun.objects.exists()
    assert not WeightTuning.objects.exists()


def test_lists_need_the_target_language_only_where_there_are_references(user, system, best):
    without = make_corpus(user, [("das haus", [])], target_language="fr")
    job = ask_for_lists(without, system, [best], owner=user)
    without.most_references = 1
    without.save()
    with pytest.raises(VariorumError, match="The target language"):
        ask_again(job, owner=user)


def test_scripts_and_regions_of_a_language_go_together(user, best):
    chinese = make_system(
        user, kind="imported", checksum="c", storage_key="k", source_language="pt-BR",
        target_language="zh",
    )  # fmt: skip
    corpus = make_corpus(user, source_language="pt", target_language="zh-Hant")
    zhuang = make_corpus(user, source_language="pt", target_language="zha")
    assert not language_problem(chinese, corpus)
    assert language_problem(chinese, zhuang)
    form = MakeListsForm(user=user, system=chinese)
    assert list(form.fields["corpus"].queryset) == [corpus]


def test_the_form_says_so_too(user, system):
    said = {
        "system": system.pk, "corpus": into_french(user).pk, "objective": "coverage",
        "orders": [1], "penalties": "0.1", "length": 5, "sample_size": 5, "seed": 1,
    }  # fmt: skip
    form = TuningForm(said, user=user)
    assert "The target language" in str(form.errors["corpus"])
    assert TuningForm(said | {"corpus": make_corpus(user).pk}, user=user).is_valid()
