import io
import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from decoding.core.formats.nbest import NBestEntry, read_lists, write_nbest
from evaluation.core.tuning.methods import METHODS
from evaluation.management import tuning_arguments
from tests.evaluation.management.commands.documented import undocumented

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    """Lists in which feature ``good`` counts the right words, and two more are noise."""
    folder = tmp_path_factory.mktemp("lists")
    rng = np.random.default_rng(1)
    entries = []
    for sentence in range(30):
        for _ in range(20):
            right = rng.random(10) < rng.random()
            text = " ".join(np.where(right, WORDS, "x"))
            features = {"good": (right.sum() - 20.0,), "noise": tuple(3 * rng.standard_normal(2))}
            entries.append(NBestEntry(sentence, text, features))
    write_nbest(folder / "nbest", entries)
    (folder / "ref").write_text((" ".join(WORDS) + "\n") * 30)
    return {"nbest": [folder / "nbest"], "reference": [folder / "ref"]}


def tune(arguments, **options):
    out = io.StringIO()
    call_command("tune_weights", **arguments, **options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_its_methods_are_those_of_the_core():
    assert list(METHODS) == list(tuning_arguments.METHODS)


def test_every_option_is_documented():
    assert undocumented("tune_weights", "tuning.md") == set()


@pytest.mark.parametrize("method", tuning_arguments.METHODS)
def test_each_method_finds_the_feature_that_counts(arguments, method):
    found = json.loads(tune(arguments, method=method, json=True))
    assert found["score"] > found["start_score"] + 5
    assert found["weights"]["good"][0] > max(map(abs, found["weights"]["noise"]))
    assert (found["sentences"], found["hypotheses"]) == (30, 600)


def test_weights_are_printed_as_moses_ini_has_them_and_can_be_started_from(arguments, tmp_path):
    text = tune(arguments, method="mert")
    assert [line.split("=")[0] for line in text.splitlines()] == ["good", "noise"]
    (tmp_path / "weights").write_text(text)
    again = json.loads(tune(arguments, method="mert", weights=tmp_path / "weights", json=True))
    assert again["start_score"] > 50


def test_the_lists_are_written_in_their_new_order(arguments, tmp_path):
    tune(arguments, method="apro", nbest_output=tmp_path / "out.gz")
    for entries in read_lists(tmp_path / "out.gz"):
        scores = [entry.score for entry in entries]
        assert scores == sorted(scores, reverse=True)
        assert entries[0].text.count("x") <= 3


def test_options_of_a_method(arguments):
    first, second = (
        tune(arguments, method="mert", set=["restarts=0", "directions=random"], seed=seed)
        for seed in (1, 1)
    )
    assert first == second
    for setting, problem in (
        ("restart=1", "no option 'restart'"),
        ("restarts=many", "'many' is no number"),
        ("directions=up", "choose one of coordinate, random, powell"),
    ):
        with pytest.raises(CommandError, match=problem):
            tune(arguments, method="mert", set=[setting])
