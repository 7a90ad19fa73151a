import json

import pytest
from django.core.management import CommandError, call_command

from decoding.core.search.decoder import Decoder
from decoding.core.system import System
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError
from tests.decoding.moses_toy import TABLE, write_toy


def test_writes_a_system_that_opens(tmp_path):
    ini = write_toy(tmp_path)
    call_command("import_moses", ini, output=tmp_path / "system")
    manifest = json.loads((tmp_path / "system/system.json").read_text())
    assert [feature["name"] for feature in manifest["features"]] == [
        "LexicalReordering0", "Distortion0", "LM0",
        "WordPenalty0", "PhrasePenalty0", "TranslationModel0", "UnknownWordPenalty0",
    ]  # fmt: skip
    opened = Decoder(System.open(tmp_path / "system", check=True))
    read = Decoder(read_moses_system(ini))
    best, other = (d.search(d.collect("das haus ist klein")).best() for d in (opened, read))
    assert best.text == other.text == "the house is small"
    assert best.score == other.score


def test_leaves_what_is_there_alone(tmp_path):
    ini = write_toy(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/mine.txt").write_text("mine")
    with pytest.raises(CommandError, match="is no system"):
        call_command("import_moses", ini, output=tmp_path / "notes", force=True)
    call_command("import_moses", ini, output=tmp_path / "system")
    with pytest.raises(CommandError, match="--force"):
        call_command("import_moses", ini, output=tmp_path / "system")
    call_command("import_moses", ini, output=tmp_path / "system", force=True)
    assert (tmp_path / "notes/mine.txt").read_text() == "mine"


def test_keeps_nothing_of_a_model_that_is_refused(tmp_path):
    ini = write_toy(tmp_path, table=TABLE + "haus ||| home\n")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="table:9: expected 3 to 7 fields"):
        call_command("import_moses", ini, output=tmp_path / "system")
    assert sorted(tmp_path.iterdir()) == before


def test_a_changed_array_is_noticed(tmp_path):
    call_command("import_moses", write_toy(tmp_path), output=tmp_path / "system")
    path = tmp_path / "system/table-scores.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="checksum"):
        System.open(tmp_path / "system", check=True)
