import gzip

import pytest

from decoding.core.formats.text import decode_json, read_lines, read_parallel, read_utf8
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


@pytest.mark.parametrize("packed", [True, False])
def test_a_byte_order_mark_and_zero_bytes_are_refused(tmp_path, packed):
    pack = gzip.compress if packed else bytes
    path = tmp_path / "text"
    for read in (read_utf8, lambda path: list(read_lines(path))):
        path.write_bytes(pack("\ufeffone\n".encode()))
        with pytest.raises(InputError, match="text: begins with a byte order mark"):
            read(path)
        path.write_bytes(pack(b"one\ntwo\ntw\0\n"))
        with pytest.raises(InputError, match="text:3: there is a zero byte"):
            read(path)
    assert list(read_lines(path, strict=False)) == ["one", "two", "tw\0"]


@pytest.mark.parametrize("packed", [True, False])
def test_no_more_is_read_than_wanted(tmp_path, packed):
    never_read = 20 if packed else 0  # of gzip's end, which would be missed
    data = b"wort\n" * 3_000_000
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(data, 1)[:-never_read] if packed else data)
    with pytest.raises(InputError, match="text: holds more than 1,000,000 bytes of text"):
        read_utf8(path, most=1_000_000)


def test_several_gzip_files_in_one_are_read(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert read_utf8(path, most=8) == b"one\ntwo\n"
    with pytest.raises(InputError, match="more than 7 bytes"):
        read_utf8(path, most=7)


@pytest.mark.parametrize("line", ['{"a": 1, "a": 2}', '{"a:": 1, "b": [{"c" : 1, "c" : 2}]}'])
def test_a_key_of_json_is_there_once(line):
    assert decode_json(line.replace("2", '"1: 2"').replace("c", "d", 1).replace("a", "e", 1))
    with pytest.raises(ValueError, match="is there twice"):
        decode_json(line)
