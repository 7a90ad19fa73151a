from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command


@pytest.fixture
def files(tmp_path):
    """Lists whose score tells how much of the reference is in them."""
    rng = np.random.default_rng(3)
    words = [f"w{n}" for n in range(50)]
    nbest, references = [], []
    for sentence in range(60):
        reference = rng.choice(words, 12).tolist()
        wrong = rng.integers(0, 10)
        text = [*reference[: 12 - wrong], *["x"] * wrong]
        nbest += [
            f"{sentence} ||| {' '.join(text[rank:])} ||| LM0= {-wrong - rank:.1f} ||| "
            f"{-wrong - rank + rng.normal(0, 0.3):.3f}"
            for rank in range(3)
        ]
        references.append(" ".join(reference))
    (tmp_path / "nbest").write_text("\n".join(nbest) + "\n")
    (tmp_path / "reference").write_text("\n".join(references) + "\n")
    return tmp_path


def run(files, *arguments):
    out = StringIO()
    call_command(
        "estimate_confidence", "--nbest", str(files / "nbest"),
        "--reference", str(files / "reference"), *arguments, stdout=out,
    )  # fmt: skip
    return out.getvalue()


def test_what_it_learns(files):
    found = json.loads(run(files, "--json"))
    assert set(found["clues"]) == {
        "score per word", "words", "entropy", "spread", "LM0 per word",
    }  # fmt: skip
    assert found["error"] < 0.4 * found["error of the mean"]
    assert found["same quartile"] > 0.5
    assert len(found["guessed"]) == len(found["diverse"]) == 60
    assert found["diverse"] == [guess < 35 for guess in found["guessed"]]


def test_text(files):
    said = run(files, "--below", "50")
    assert "Quartile guessed for" in said
    assert "whose guess is below 50" in said
    assert "LM0 per word" in said
