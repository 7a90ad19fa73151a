import gzip

import pytest

from decoding.core.formats.text import read_lines, read_parallel
from evaluation.core.errors import InputError

LINES = ["one", "", "trois é 🙂", "a\u2028b\x85c\x1cd\re"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_lines_come_without_their_ends(tmp_path, end, last, packed):
    data = (end.join(LINES) + (end if last else "")).encode()
    path = tmp_path / "text"  # what is packed is told by its content, not by its name
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read_lines(path)) == LINES


def test_an_empty_file_has_no_lines(tmp_path):
    (tmp_path / "text").write_bytes(b"")
    assert list(read_lines(tmp_path / "text")) == []


@pytest.mark.parametrize("packed", [True, False])
def test_what_is_not_utf8_is_named_by_its_line(tmp_path, packed):
    data = b"one\ntw\xff\nthree\n"
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InputError, match="text:2: byte 3 of the line is not UTF-8"):
        list(read_lines(path))


def test_gzip_data_that_are_cut_off(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n" * 1000)[:-20])
    with pytest.raises(InputError, match=r"text.gz:\d+: the gzip data are damaged or cut off"):
        list(read_lines(path))


def test_gzip_data_that_are_damaged(tmp_path):
    data = bytearray(gzip.compress(bytes(range(256)).hex("\n").encode() * 50))
    data[20] ^= 0xFF
    path = tmp_path / "text.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"the gzip data are damaged or cut off"):
        list(read_lines(path))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="missing: cannot be read: No such file or directory"):
        list(read_lines(tmp_path / "missing"))
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        list(read_lines(tmp_path))


def test_parallel_files(tmp_path):
    for name, text in [("a", "1\n2\n"), ("b", "x\ny\n")]:
        (tmp_path / name).write_text(text)
    assert list(read_parallel([tmp_path / "a", tmp_path / "b"])) == [("1", "x"), ("2", "y")]
    assert list(read_parallel([tmp_path / "a"])) == [("1",), ("2",)]


def test_parallel_files_of_different_length(tmp_path):
    for name, text in [("a", "1\n2\n"), ("b", "x\n\nz\n"), ("c", "u\nv\n")]:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="a: ends after 2 lines, but b goes on"):
        list(read_parallel([tmp_path / name for name in "abc"]))
