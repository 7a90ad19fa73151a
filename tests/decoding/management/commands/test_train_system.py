import gzip
import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from decoding.core.search.decoder import Decoder
from decoding.core.system import System


@pytest.fixture
def files(tmp_path):
    """The arguments that name two parallel texts, one of them gzipped."""
    rng = np.random.default_rng(4)
    source = [" ".join(rng.choice(list("abcdef"), rng.integers(2, 8))) for _ in range(150)]
    (tmp_path / "source").write_text("".join(line + "\n" for line in source))
    packed = gzip.compress("".join(line.upper() + "\n" for line in source).encode())
    (tmp_path / "target.gz").write_bytes(packed)
    return ["--source", str(tmp_path / "source"), "--target", str(tmp_path / "target.gz")]


def test_a_trained_system_translates(files, tmp_path, capsys):
    output = tmp_path / "system"
    call_command(
        "train_system", *files, "--output", str(output), "--order", "3", "--dev-source", files[1]
    )
    told = capsys.readouterr()
    assert "150 of 150 sentence pairs" in told.out
    assert "unknown words of the dev text: 0.00%" in told.out
    assert "align" in told.err
    decoder = Decoder(System.open(output))
    assert decoder.search(decoder.collect("a b c f")).best().text == "A B C F"
    report = json.loads((output / "training.json").read_text())
    assert report["options"]["language"]["order"] == 3


def test_options_reach_the_training(files, tmp_path):
    output = tmp_path / "system"
    call_command(
        "train_system",
        *files,
        *("--output", str(output), "--order", "2", "--verbosity", "0", "--aligner", "hmm"),
        *("--iterations", "2", "--symmetrization", "union", "--longest-phrase", "3"),
        *("--discount", "good-turing", "--longest-sentence", "5", "--source-language", "en"),
        *("--significance", "a-e", "--relative-entropy", "0.5"),
        *("--smoothing", "witten-bell", "--cut-offs", "0", "1"),
    )
    report = json.loads((output / "training.json").read_text())
    options = report["options"]
    assert options["entropy"] == {"threshold": 0.5}
    assert report["phrases"]["pairs"] < report["phrases"]["extracted"]
    assert options["language"]["smoothing"] == "witten-bell"
    assert options["language"]["prune"] == [0, 1]
    assert options["alignment"]["model"] == "hmm"
    assert options["alignment"]["iterations"] == 2
    assert options["symmetry"]["heuristic"] == "union"
    assert options["extraction"]["longest"] == 3
    assert options["scoring"]["discount"] == "good-turing"
    assert options["pruning"] == {"threshold": "a-e"}
    assert options["cleaning"]["longest"] == 5
    assert options["source"] == {"language": "en", "case": "true", "segmenter": None}
    assert options["target"] == {"language": None, "case": "as-is", "segmenter": None}


def test_errors_are_sentences(files, tmp_path):
    with pytest.raises(CommandError, match="hierarchical systems cannot be trained yet"):
        call_command(
            "train_system", *files, "--output", str(tmp_path / "x"), "--kind", "hierarchical"
        )
    with pytest.raises(CommandError, match="missing: cannot be read"):
        call_command(
            "train_system",
            *("--source", str(tmp_path / "missing"), *files[2:], "--output", str(tmp_path / "x")),
        )
    with pytest.raises(CommandError, match="phrases of 9 words were asked for"):
        call_command(
            "train_system", *files, "--output", str(tmp_path / "x"), "--longest-phrase", "9"
        )
