import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from decoding.core.formats.nbest import read_nbest
from decoding.core.formats.text import read_lines
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError
from tests.decoding.moses_toy import write_toy

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    read_moses_system(write_toy(folder)).save(folder / "system")
    return folder / "system"


def decode(system, text, **options):
    source = system.parent / "input.txt"
    source.write_bytes(text.encode() if isinstance(text, str) else text)
    out = io.StringIO()
    call_command("decode", system=system, input=source, stdout=out, **options)
    return out.getvalue()


def test_prints_one_line_for_each(system):
    text = "das haus ist klein\n\nklein ist das haus\nein haus\n"
    expected = "the house is small\n\nsmall is the house\nein house\n"
    assert decode(system, text) == expected
    assert decode(system, text, threads=2) == expected
    assert decode(system, text * 50, threads=2) == expected * 50


def test_reads_standard_input(system):
    done = subprocess.run(
        [sys.executable, "manage.py", "decode", "--system", system],
        input=b"das haus\nklein", capture_output=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert done.stdout == b"the house\nsmall\n"
    assert b"sentence" not in done.stderr  # no progress bar but on a terminal


def test_bad_bytes_are_one_sentence(system):
    done = subprocess.run(
        [sys.executable, "manage.py", "decode", "--system", system],
        input=b"das haus\n\xff\n", capture_output=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode().strip() == (
        "standard input:2: byte 1 of the line is not UTF-8. Send it as UTF-8."
    )


def test_lists_in_the_format_of_moses(system):
    out = decode(system, "das haus\nist klein\n", kbest=3)
    lines = out.splitlines()
    assert [line.split(" ||| ")[0] for line in lines] == ["0", "0", "0", "1", "1"]
    fields = lines[0].split(" ||| ")
    assert fields[1] == "the house"
    names = [token for token in fields[2].split() if token.endswith("=")]
    assert names == [
        "LexicalReordering0=", "Distortion0=", "LM0=", "WordPenalty0=", "PhrasePenalty0=",
        "TranslationModel0=",
    ]  # fmt: skip


def test_a_list_in_a_file_leaves_the_best_on_standard_output(system, tmp_path):
    for name in ("list", "list.gz", "list.jsonl"):
        out = decode(
            system, "das haus\nhaus klein\n", kbest=5, unique=True, nbest_output=tmp_path / name
        )
        found = list(read_nbest(tmp_path / name))
        firsts = [next(e.text for e in found if e.sentence == i) for i in (0, 1)]
        assert out.splitlines() == firsts
        assert len({(e.sentence, e.text) for e in found}) == len(found)


def test_lattices(system, tmp_path):
    out = decode(system, "das haus\n\n", lattice_output=tmp_path / "lattices.gz")
    assert out == "the house\n\n"
    first, second = map(json.loads, read_lines(tmp_path / "lattices.gz"))
    assert first["source"] == ["das", "haus"]
    assert [0, first["nodes"] - 1, 0, 1, "the house"] in [edge[:5] for edge in first["edges"]]
    assert second["edges"] == []
    with pytest.raises(CommandError, match="not with lists"):
        decode(system, "das\n", lattice_output=tmp_path / "x", kbest=2)


def test_diverse_lists(system):
    best = decode(system, "das haus ist klein\n", diverse=1).splitlines()
    one = decode(system, "das haus ist klein\n", diverse=2, n=1, strength="3").splitlines()
    many = decode(
        system, "das haus ist klein\n", diverse=2, n=1, strength="3", per_list=2
    ).splitlines()
    texts = [line.split(" ||| ")[1] for line in one]
    assert one[0] == best[0]
    assert len(texts) == len(set(texts)) == 2
    assert len(many) == 4
    assert [line.split(" ||| ")[1] for line in many[::2]] == texts
    each = decode(system, "das haus ist klein\n", diverse=2, n=1, strength="3,3")
    assert each.splitlines() == one
    graph = decode(
        system, "das haus ist klein\n", diverse=2, n=1, strength="3", from_graph=True, threshold=0.0
    )
    assert graph.splitlines() == one
    with pytest.raises(CommandError, match="--per-list"):
        decode(system, "das\n", diverse=2, per_list=2, from_graph=True)


def test_bars_and_control_characters_in_the_text(system):
    assert decode(system, "das ||| haus\n") == "the ||| house\n"
    (line,) = decode(system, "das|||haus\n", kbest=1).splitlines()
    assert line.split(" ||| ")[1] == "das&#124;&#124;&#124;haus"
    assert decode(system, "das\x0bhaus\x00 \x1b\n") == "the house\n"


def test_a_line_that_is_too_long(system):
    with pytest.raises(InputError, match=r"input.txt:2: the sentence has 10000 words"):
        decode(system, "das\n" + "das " * 10000 + "\n")
    with pytest.raises(InputError, match=r"input.txt:2: the sentence has 10000 words"):
        decode(system, "das\n" + "das " * 10000 + "\n", kbest=2)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"threads": 0}, "--threads is 0"),
        ({"kbest": 0}, "one translation"),
        ({"kbest": 2, "diverse": 2}, "two kinds"),
        ({"nbest_output": Path("x")}, "needs --kbest"),
        ({"diverse": 2, "strength": "much"}, "--lambda is 'much'"),
        ({"diverse": 0}, "diverse list of 0"),
        ({"diverse": 4, "strength": "0.1,0.2"}, "2 values of lambda"),
        ({"pop_limit": 0}, "pop limit"),
        ({"threshold": -1.0}, "threshold"),
    ],
)
def test_options_that_make_no_sense(system, options, problem):
    with pytest.raises((CommandError, InputError), match=problem):
        decode(system, "das\n", **options)


def test_a_folder_that_is_no_system(tmp_path):
    with pytest.raises(InputError, match="not a complete system"):
        call_command("decode", system=tmp_path)
