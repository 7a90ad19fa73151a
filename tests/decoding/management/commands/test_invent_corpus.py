from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command


def test_it_writes_parallel_text_that_shares_no_sentence(tmp_path, capsys):
    given = {"train": 200, "tune": 20, "test": 30, "references": 3}
    call_command("invent_corpus", output=tmp_path, **given)
    assert "200 sentences" in capsys.readouterr().out
    read = {path.name: path.read_text().splitlines() for path in tmp_path.iterdir()}
    assert {name: len(lines) for name, lines in read.items()} == {
        "train.qaa": 200, "train.en": 200,
        "tune.qaa": 20, "tune.en.0": 20, "tune.en.1": 20, "tune.en.2": 20,
        "test.qaa": 30, "test.en.0": 30, "test.en.1": 30, "test.en.2": 30,
    }  # fmt: skip
    sources = [line for name in ("train.qaa", "tune.qaa", "test.qaa") for line in read[name]]
    assert len(set(sources)) == 250


def test_a_wrong_number_of_references_is_a_sentence(tmp_path):
    with pytest.raises(CommandError, match="from 1 to 4"):
        call_command("invent_corpus", output=tmp_path, references=9)
