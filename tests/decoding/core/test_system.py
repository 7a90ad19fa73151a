import json

import numpy as np
import pytest

from decoding.core.search.decoder import Decoder
from decoding.core.system import MANIFEST, System
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError
from tests.decoding.moses_toy import write_toy


@pytest.fixture
def system(tmp_path):
    return read_moses_system(write_toy(tmp_path))


def test_other_weights_give_other_scores_of_the_same_models(system):
    changed = system.with_weights(system.weights * 2)
    assert changed.table is system.table
    one, other = (
        Decoder(s).search(Decoder(s).collect("das haus ist klein")).best()
        for s in (system, changed)
    )
    assert other.text == one.text
    assert other.features == pytest.approx(one.features)
    assert other.score == pytest.approx(2 * one.score)


@pytest.mark.parametrize("weights", [np.zeros(3), np.full(15, np.nan)])
def test_weights_that_do_not_fit(system, weights):
    with pytest.raises(InputError, match="finite weights"):
        system.with_weights(weights)


def test_features_by_name(system):
    named = system.named(system.weights)
    assert list(named) == [feature.name for feature in system.features]
    assert named["TranslationModel0"].tolist() == [0.2, 0.1, 0.2, 0.1]


def spoil_manifest(folder, **changed):
    facts = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(facts | changed))


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda f: spoil_manifest(f, format=99), "has format 99, and this version reads"),
        (lambda f: spoil_manifest(f, kind="other"), "is a system of kind other, not phrase"),
        (lambda f: spoil_manifest(f, features=None), "is not a complete system"),
        (lambda f: (f / MANIFEST).write_text("{"), "is not a complete system"),
        (lambda f: (f / MANIFEST).unlink(), "is not a complete system"),
        (lambda f: (f / "table-scores.npy").unlink(), "is not a complete system"),
        (lambda f: (f / "table-scores.npy").write_bytes(b""), "is not a complete system"),
        (lambda f: (f / "table-words.npy").write_bytes(b"\x93NUMPY"), "is not a complete system"),
        (lambda f: (f / "language-0/language-model.json").unlink(), "is not a complete"),
    ],
)
def test_a_directory_that_is_no_system(system, tmp_path, spoil, problem):
    system.save(tmp_path / "system")
    spoil(tmp_path / "system")
    with pytest.raises(InputError, match=problem):
        System.open(tmp_path / "system")
