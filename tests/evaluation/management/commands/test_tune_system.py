import io
import json

import numpy as np
import pytest
from django.core.management import call_command

from decoding.core.system import System
from decoding.core.translation.moses import read_moses_system
from decoding.core.tuning import TunableSystem
from evaluation.core.errors import InputError
from evaluation.core.tuning.record import RECORD
from tests.decoding.moses_toy import write_toy
from tests.evaluation.management.commands.documented import undocumented

SOURCES = ["das haus ist klein", "ist das haus klein", "klein ist das haus", "das ist ein haus"]
TARGETS = [
    "that building is little",
    "is that building little",
    "little is that building",
    "that is ein building",
]


@pytest.fixture
def system(tmp_path):
    read_moses_system(write_toy(tmp_path)).save(tmp_path / "system")
    (tmp_path / "source").write_text("\n".join(SOURCES) + "\n")
    (tmp_path / "target").write_text("\n".join(TARGETS) + "\n")
    return tmp_path / "system"


def tune(system, **options):
    out = io.StringIO()
    call_command(
        "tune_system",
        system=system,
        source=system.parent / "source",
        reference=[system.parent / "target"],
        stdout=out,
        **{"method": "mert", "kbest": 20, **options},
    )
    return out.getvalue()


def test_every_option_is_documented():
    assert undocumented("tune_system", "tuning.md") == set()


@pytest.mark.parametrize("method", ["mert", "batch-mira"])
def test_the_system_learns_to_translate_as_the_references(system, method):
    before = System.open(system)
    history = json.loads(tune(system, method=method, json=True))
    after = System.open(system, check=True)
    best = history["rounds"][history["best"]]
    assert best["score"] == max(done["score"] for done in history["rounds"])
    assert best["score"] > history["rounds"][0]["score"] + 5
    for name, weights in best["weights"].items():
        assert after.named(after.weights)[name].tolist() == weights
    unknown = "UnknownWordPenalty0"
    assert after.named(after.weights)[unknown] == before.named(before.weights)[unknown]
    assert json.loads((system / RECORD).read_text()) == history
    assert not list(system.glob("*.part*"))


def test_a_line_a_round_and_the_weights_are_printed(system):
    lines = tune(system, rounds=2, uniform=True, keep_weights=True).splitlines()
    assert lines[0].startswith("round 1: BLEU ")
    assert lines[-1].startswith("TranslationModel0= ")
    assert System.open(system).named(System.open(system).weights)["LM0"] == 0.3


def test_what_was_interrupted_goes_on(system, monkeypatch):
    whole = json.loads(tune(system, json=True, keep_weights=True, method="pro"))
    assert len(whole["rounds"]) > 2
    decode, calls = TunableSystem.decode, []

    def crash_in_the_third_round(self, weights):
        calls.append(weights)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return decode(self, weights)

    monkeypatch.setattr(TunableSystem, "decode", crash_in_the_third_round)
    with pytest.raises(KeyboardInterrupt):
        tune(system, method="pro")
    assert json.loads(tune(system, json=True, keep_weights=True, method="pro")) == whole
    assert len(calls) == len(whole["rounds"]) + 1  # the third decoding was begun twice


def test_another_tuning_does_not_go_on_with_it(system, monkeypatch):
    def crash(self, weights):
        raise KeyboardInterrupt

    decode = TunableSystem.decode
    monkeypatch.setattr(
        TunableSystem,
        "decode",
        lambda self, w: crash(self, w) if np.any(w != self.weights) else decode(self, w),
    )
    with pytest.raises(KeyboardInterrupt):
        tune(system)
    with pytest.raises(InputError, match="of another tuning"):
        tune(system, seed=2)


def test_files_of_different_lengths_are_refused(system):
    (system.parent / "source").write_text(SOURCES[0] + "\n")
    with pytest.raises(InputError, match="1 sources and references for 4 sentences"):
        tune(system)
