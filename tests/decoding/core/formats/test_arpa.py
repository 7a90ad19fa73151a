import contextlib
import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.formats import arpa
from decoding.core.formats.arpa import load_arpa, read_arpa, write_arpa
from evaluation.core.errors import InputError
from tests.decoding.core.language.naive import random_model

GOOD = """\
written by hand

\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.25
-0.75\t</s>\t0
-1e-1\thaus\t-.5
-2.\t中 -0.125

\\2-grams:
-0.5\t<s> haus
-0.25\thaus 中
-0.125\t中 </s>

\\end\\
"""


def written(tmp_path, text):
    path = tmp_path / "model.arpa"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_file_is_read(tmp_path, ends):
    model = read_arpa(written(tmp_path, GOOD.replace("\n", ends)))
    assert list(model.vocabulary.words) == ["<unk>", "<s>", "</s>", "haus", "中"]
    np.testing.assert_array_equal(
        model.orders[0].log10_probability, np.float32([-1.5, -99, -0.75, -0.1, -2])
    )
    np.testing.assert_array_equal(
        model.orders[0].log10_backoff, np.float32([0, -0.25, 0, -0.5, -0.125])
    )
    assert model.orders[1].words.tolist() == [[1, 3], [3, 4], [4, 2]]
    assert load_arpa(written(tmp_path, GOOD)).score("haus 中") == pytest.approx(-0.875)
    assert load_arpa(written(tmp_path, GOOD)).score("haus auto") == pytest.approx(
        -0.5 - 0.5 - 1.5 - 0.75
    )


def test_a_gzipped_file_is_read_whatever_its_name(tmp_path):
    path = written(tmp_path, gzip.compress(GOOD.encode()))
    assert len(read_arpa(path).orders[1]) == 3


def test_without_unk_unknown_words_have_what_kenlm_gives_them(tmp_path):
    path = written(tmp_path, GOOD.replace("-1.5\t<unk>\n", "").replace("1=5", "1=4"))
    assert load_arpa(path).word_scores("auto")[0].log10_probability == pytest.approx(-100.25)
    assert read_arpa(path, unknown_log10=-7).orders[0].log10_probability[0] == -7


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("\\data\\", "", 1, "no line \\data\\"),
        ("ngram 2=3", "ngram 3=3", 5, "expected 'ngram 2='"),
        ("ngram 2=3", "ngram 2=999999", 5, "too short"),
        ("ngram 2=3", "ngram 2=4", 18, "announces 4 2-grams, and here are 3"),
        ("ngram 2=3", "ngram 2=2", 17, "expected \\end\\"),
        ("ngram 1=5", "ngram 1=6", 13, "announces 6 1-grams, and here are 5"),
        ("ngram 1=5", "ngram 1=4", 12, "expected \\2-grams:"),
        ("\\2-grams:", "\\3-grams:", 14, "expected \\2-grams:"),
        ("\\end\\\n", "", 19, "expected \\end\\"),
        ("-99\t<s>", "nan\t<s>", 9, "not a finite number"),
        ("-99\t<s>", "-inf\t<s>", 9, "not a finite number"),
        ("-99\t<s>", "-1e999\t<s>", 9, "not a finite number"),
        ("-99\t<s>", "99\t<s>", 9, "greater than 0"),
        ("-0.25\thaus", "-0.25x\thaus", 16, "not a finite number"),
        ("-99\t<s>\t-0.25", "-99\t<s>\tNaN", 9, "back-off is not a finite number"),
        ("haus 中\n", "haus auto\n", 16, "not among the 1-grams"),
        ("haus 中\n", "haus\n", 16, "expected a number and 2 words"),
        ("haus 中\n", "haus 中 -0.5\n", 16, "expected a number and 2 words"),
        ("\t-.5\n", "\t-.5 7\n", 11, "expected a number and 1 words and a back-off"),
        ("-99\t<s>\t-0.25", "-99\t<s>\t1e39", 9, "back-off is not a finite number"),
        ("-99\t<s>", "-1e39\t<s>", 9, "not a finite number"),
        ("ngram 1=5", "ngram 1=" + "5" * 5000, 4, "expected 'ngram 1='"),
        ("ngram 1=5", "ngram " + "1" * 5000 + "=5", 4, "expected 'ngram 1='"),
        ("-2.\t中", "-2.\t中\0", 12, "there is a zero byte"),
        ("-2.\t中", "-2.\thaus", 12, "there twice"),
        ("<unk>", "</s>", 10, "there twice"),
        ("<unk>", "<UNK>", None, "written <UNK>"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, old, new, line, problem):
    assert old in GOOD
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        read_arpa(written(tmp_path, GOOD.replace(old, new, 1)))
    assert caught.value.line == line
    assert "model.arpa" in str(caught.value)


def test_a_repeated_ngram_is_told_with_its_file(tmp_path):
    path = written(tmp_path, GOOD.replace("haus 中\n", "<s> haus\n"))
    with pytest.raises(InputError, match="2-gram '<s> haus' is there twice") as caught:
        load_arpa(path)
    assert (caught.value.path, caught.value.line) == (path, 16)


@pytest.mark.parametrize("marker", ["<s>", "</s>"])
def test_both_boundaries_must_be_there(tmp_path, marker):
    lines = [line for line in GOOD.splitlines() if marker not in line]
    text = "\n".join(lines).replace("1=5", "1=4").replace("2=3", "2=2")
    with pytest.raises(InputError, match=f"no 1-gram {marker}"):
        read_arpa(written(tmp_path, text))


@pytest.mark.parametrize("order", [0, 8])
def test_the_order_is_1_to_7(tmp_path, order):
    counts = "\n".join(f"ngram {n}=1" for n in range(1, order + 1))
    with pytest.raises(InputError, match=f"the order is {order}"):
        read_arpa(written(tmp_path, f"\\data\\\n{counts}\n\n\\1-grams:\n"))


def test_damaged_files_are_refused(tmp_path):
    packed = gzip.compress(GOOD.encode())
    for data in [packed[:-20], packed[:-4], packed[:30] + b"xxxx" + packed[34:]]:
        with pytest.raises(InputError):
            read_arpa(written(tmp_path, data))
    with pytest.raises(InputError, match="UTF-8") as caught:
        read_arpa(written(tmp_path, GOOD.encode().replace("中".encode(), b"\xe4\xb8", 1)))
    assert caught.value.line == 12
    with pytest.raises(InputError):
        read_arpa(tmp_path / "absent.arpa")


def test_a_binary_of_kenlm_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="binary file of KenLM"):
        read_arpa(written(tmp_path, b"mmap lm http://kheafield.com/code format version 5\n\0"))


pieces = st.sampled_from(
    [b"", b"0", b"9", b" ", b"\t", b"\n", b"-1", b"haus", b"\\2-grams:", b"\xff"]
)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 6), pieces), min_size=1))
def test_whatever_is_in_a_file_it_is_read_or_refused(tmp_path_factory, edits):
    data = GOOD.encode()
    for position, length, replacement in edits:
        data = data[:position] + replacement + data[position + length :]
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        assert np.isfinite(load_arpa(path).score("haus 中 auto"))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from(["m.arpa", "m.arpa.gz"]))
def test_what_is_written_is_read_again(tmp_path_factory, seed, order, name):
    model = random_model(np.random.default_rng(seed), words=3, order=order, density=0.3)
    path = tmp_path_factory.mktemp("arpa") / name
    write_arpa(model, path)
    again = read_arpa(path)
    assert list(again.vocabulary.words) == list(model.vocabulary.words)
    assert again.order == model.order
    for old, new in zip(model.orders, again.orders, strict=True):
        np.testing.assert_array_equal(old.words, new.words)
        np.testing.assert_array_equal(old.log10_probability, new.log10_probability)
        np.testing.assert_array_equal(old.log10_backoff, new.log10_backoff)


@settings(max_examples=300)
@given(
    st.one_of(
        st.floats(-1e30, 1e30).map(repr),
        st.floats(-20, 20).map(lambda x: f"{x:.7g}"),
        st.floats(-20, 20).map(lambda x: f"{x:.25f}"),
        st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}(e[+-]?[0-9]{1,2})?", fullmatch=True),
    )
)
def test_numbers_are_read_as_python_reads_them(text):
    data = np.frombuffer(text.encode(), np.uint8)
    try:
        expected = float(text)
    except ValueError:
        expected = np.nan
    assert arpa._read_number(data, 0, len(data)) == pytest.approx(expected, rel=1e-13, nan_ok=True)
