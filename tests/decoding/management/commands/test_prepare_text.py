import io
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from decoding.core.corpus.preparation import Preparation, PreparationOptions

LINES = "The cat's here.\nEt tu, Brute?\n"
WORDS = "the cat 's here .\net tu , Brute ?\n"


@pytest.fixture
def system(tmp_path):
    casing = {"the": "the", "et": "et", "brute": "Brute"}
    Preparation(PreparationOptions("en", "true"), casing).save(tmp_path / "preparation.source.json")
    return str(tmp_path)


def test_text_is_prepared_and_restored(system, tmp_path, capsys):
    (tmp_path / "raw").write_text(LINES)
    call_command("prepare_text", "--system", system, "--input", str(tmp_path / "raw"))
    assert capsys.readouterr().out == WORDS
    (tmp_path / "words").write_text(WORDS)
    words = str(tmp_path / "words")
    call_command("prepare_text", "--system", system, "--restore", "--input", words)
    assert capsys.readouterr().out == LINES


def test_what_comes_in_is_read(system, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LINES.encode())))
    call_command("prepare_text", "--system", system)
    assert capsys.readouterr().out == WORDS


def test_a_system_without_preparation_is_said(system):
    with pytest.raises(CommandError, match=r"preparation\.target\.json: .* cannot be read"):
        call_command("prepare_text", "--system", system, "--side", "target")
