import gzip
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding.core.formats.nbest import (
    NBestEntry,
    format_json,
    format_moses,
    read_lists,
    read_nbest,
    read_streams,
    write_nbest,
)
from evaluation.core.errors import InputError

ENTRY = NBestEntry(
    sentence=0,
    text="the house",
    features={"LM0": (-31.2,), "Distortion0": (-4.0,), "TranslationModel0": (-1.0, -2.5)},
    score=-3.5,
    alignment="0-0 1-1",
)
MOSES = (
    "0 ||| the house ||| LM0= -31.2 Distortion0= -4 TranslationModel0= -1 -2.5 ||| -3.5 ||| 0-0 1-1"
)
JSON = (
    '{"sentence": 0, "text": "the house", "features": {"LM0": [-31.2], "Distortion0": [-4.0], '
    '"TranslationModel0": [-1.0, -2.5]}, "score": -3.5, "alignment": "0-0 1-1"}'
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
words = st.lists(st.text("ab.,é🙂{}=:", min_size=1), max_size=5).map(" ".join)
entries = st.builds(
    NBestEntry,
    sentence=st.just(0),
    text=words,
    features=st.dictionaries(
        st.text("abLM01_", min_size=1), st.lists(numbers, min_size=1, max_size=3).map(tuple)
    ),
    score=st.none() | numbers,
    alignment=st.sampled_from(["", "0-0", "0-1 1-0"]),
)


@pytest.fixture
def written(tmp_path):
    def write(text, name="nbest"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_an_entry_in_both_formats(written):
    assert format_moses(ENTRY) == MOSES
    assert format_json(ENTRY) == JSON
    assert list(read_nbest(written(MOSES + "\n"))) == [ENTRY]
    assert list(read_nbest(written(JSON + "\n"))) == [ENTRY]


@given(st.lists(entries, max_size=5), st.sampled_from(["n", "n.gz", "n.jsonl", "n.jsonl.gz"]))
def test_what_is_written_is_read(tmp_path_factory, expected, name):
    path = tmp_path_factory.mktemp("nbest") / name
    write_nbest(path, expected)
    assert list(read_nbest(path)) == expected
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("0 ||| a", NBestEntry(0, "a")),
        (
            "0||| a  ||| d: 0 -1 lm: 2 ||| -9.2",
            NBestEntry(0, "a", {"d": (0, -1), "lm": (2,)}, -9.2),
        ),
        ("0 ||| a ||| d= 0 ||| ", NBestEntry(0, "a", {"d": (0,)})),
        ("0 ||| a ||| tm_0=1.5 a=b=2 ||| 1", NBestEntry(0, "a", {"tm_0": (1.5,), "a=b": (2,)}, 1)),
        ("0 ||| a ||| 1 2 ||| 3", NBestEntry(0, "a", {"": (1, 2)}, 3)),
        ("0 |||  ||| lm= 1 ||| 3", NBestEntry(0, "", {"lm": (1,)}, 3)),
        ("0 ||| a ||| lm= 1 ||| 3 ||| 0=0 ||| 0-0", NBestEntry(0, "a", {"lm": (1,)}, 3, "0=0")),
        ('{"sentence": 0, "text": "a", "features": {"lm": 1}}', NBestEntry(0, "a", {"lm": (1,)})),
        ('{"text": "a", "sentence": 0, "system": "x"}', NBestEntry(0, "a")),
        (
            '{"sentence": 0, "text": "a: b", "features": {"a:b": 1}, "score": 2}',
            NBestEntry(0, "a: b", {"a:b": (1,)}, 2),
        ),
    ],
)
def test_variants_that_are_read(written, line, entry):
    assert list(read_nbest(written(line + "\n"))) == [entry]
    assert list(read_nbest(written(line + "\r\n"))) == [entry]


def test_features_can_be_left_out(written):
    for line in (MOSES, JSON):
        (entry,) = read_nbest(written(line), features=False)
        assert entry == NBestEntry(0, "the house", {}, -3.5, "0-0 1-1")


def test_lists_are_grouped_and_a_sentence_left_out_has_none(written):
    path = written("0 ||| a\n0 ||| b\n3 ||| c\n")
    firsts = [next(entries, None) for entries in read_streams(path)]
    assert [first and first.text for first in firsts] == ["a", None, None, "c"]
    lists = read_lists(path)
    assert [[entry.text for entry in own] for own in lists] == [["a", "b"], [], [], ["c"]]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("the house", r"nbest:2: expected fields separated by \|\|\|\. A line is: sentence"),
        ("x ||| a", "nbest:2: the sentence is 'x', not a number"),
        ("² ||| a", "nbest:2: the sentence is '²', not a number"),
        ("-1 ||| a", "nbest:2: the sentence is '-1', not a number"),
        ("", r"nbest:2: expected fields separated by \|\|\|"),
        ("1 ||| a ||| lm= x ||| 1", "nbest:2: a feature is 'x', which is no finite number"),
        ("1 ||| a ||| lm= nan ||| 1", "nbest:2: a feature is 'nan', which is no finite number"),
        ("1 ||| a ||| lm=inf ||| 1", "nbest:2: feature lm is 'inf', which is no finite number"),
        ("1 ||| a ||| lm= 1 ||| nan", "nbest:2: the score is 'nan', which is no finite number"),
        ("1" * 5000 + " ||| a", "nbest:2: the sentence is '1{40}', not a number"),
        ("1 ||| a ||| \0= 1 ||| 1", "nbest:2: there is a zero byte"),
        ("4 ||| a\n3 ||| b", "nbest:3: sentence 3 comes after sentence 4. Sort the file"),
    ],
)
def test_a_bad_line_of_moses_is_named(written, line, problem):
    with pytest.raises(InputError, match=problem):
        list(read_nbest(written(f"0 ||| a\n{line}\n")))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "nbest:2: not JSON: Expecting"),
        ("[]", "nbest:2: not a JSON object"),
        ('{"text": "a"}', 'nbest:2: "sentence" is None, not a number from 0'),
        ('{"sentence": true, "text": "a"}', 'nbest:2: "sentence" is True, not a number'),
        ('{"sentence": -1, "text": "a"}', 'nbest:2: "sentence" is -1, not a number'),
        ('{"sentence": 1}', 'nbest:2: "text" is None, not a string'),
        ('{"sentence": 1, "text": "a", "features": [1]}', 'nbest:2: "features" must be an object'),
        ('{"sentence": 1, "text": "a", "features": {"lm": "x"}}', "feature lm is 'x'"),
        ('{"sentence": 1, "text": "a", "score": NaN}', "the score is nan"),
        ('{"sentence": 1, "text": "a", "score": true}', "the score is True, which is no number"),
        ('{"sentence": 1, "text": "a", "score": "1_0"}', "the score is '1_0', which is no number"),
        (
            '{"sentence": 1, "text": "a", "score": %s}' % ("1" * 400),
            "the score is 1{40}, which is no",
        ),
        (
            '{"sentence": 1, "text": "a", "features": {"lm": %s}}' % ("1" * 400),
            "feature lm is 1{40}",
        ),
        ('{"sentence": 1, "text": "a", "features": {"lm": [false]}}', "feature lm is False"),
        ('{"sentence": 1, "text": "a", "text": "b"}', "nbest:2: not JSON: 'text' is there twice"),
        ('{"sentence": 1, "text": "a", "features": {"x": 1, "x": 2}}', "'x' is there twice"),
        ('{"sentence": 1%s, "text": "a"}' % ("0" * 18), '"sentence" has more than 18 digits'),
        ('{"sentence": 1, "text": "a", "features": {"\\ud800": 1}}', "has half a surrogate pair"),
        ('{"sentence": 1, "text": "a", "features": {"x\\u0000": 1}}', "has a zero byte in it"),
        ('{"sentence": 1, "text": "a", "alignment": "\\udfff"}', "has half a surrogate pair"),
        ('{"sentence": 1, "text": "\\ud800"}', "has half a surrogate pair"),
    ],
)
def test_a_bad_line_of_json_is_named(written, line, problem):
    with pytest.raises(InputError, match=problem):
        list(read_nbest(written(f'{{"sentence": 0, "text": "a"}}\n{line}\n')))


def test_reading_is_lazy(written):
    entries = read_nbest(written("0 ||| a\nbad\n"))
    assert next(entries).text == "a"


@pytest.mark.parametrize("text", ["a ||| b", "a\nb"])
def test_what_moses_cannot_say_is_not_written(tmp_path, text):
    with pytest.raises(InputError, match="a translation of sentence 7 holds"):
        write_nbest(tmp_path / "n", [NBestEntry(7, text)])
    write_nbest(tmp_path / "n.jsonl", [NBestEntry(7, text)])
    assert [entry.text for entry in read_nbest(tmp_path / "n.jsonl")] == [text]


def test_numbers_survive(tmp_path):
    values = (0.1, 1e-300, -123456789.123456789, 1e22, math.pi)
    write_nbest(tmp_path / "n", [NBestEntry(0, "a", {"f": values}, 1 / 3)])
    (entry,) = read_nbest(tmp_path / "n")
    assert (entry.features["f"], entry.score) == (values, 1 / 3)


@pytest.mark.parametrize(
    ("name", "sentences", "size", "features"),
    [
        ("nbest-tuning/nbest-100x100/nbest.gz", 100, 10000, {"d": 7, "lm": 2, "tm": 5, "w": 1}),
        ("nbest-tuning/extractor/nbest.1.gz", 10, 1000, {"d": 7, "lm": 1, "tm": 5, "w": 1}),
        (
            "nbest-tuning/mert-14runs-3refs/run1.nbest.gz",
            5,
            None,
            {"d": 7, "lm": 1, "w": 1, "tm": 5},
        ),
    ],
)
def test_lists_of_moses(reference_data, name, sentences, size, features):
    path = reference_data(name)
    entries = list(read_nbest(path))
    with gzip.open(path) as file:
        assert len(entries) == sum(1 for _ in file)
    assert size is None or len(entries) == size
    assert {entry.sentence for entry in entries} == set(range(sentences))
    assert all({n: len(v) for n, v in e.features.items()} == features for e in entries)
    assert all(entry.score is not None for entry in entries)
