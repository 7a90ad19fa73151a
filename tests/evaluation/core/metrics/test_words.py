import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.metrics.words import Vocabulary, check_not_empty, list_offsets


def decoded(vocabulary, sentences):
    words = vocabulary.words()
    ids = [words[i] for i in sentences.words]
    ends = sentences.offsets
    return [ids[a:b] for a, b in pairwise(ends)]


@given(st.lists(st.text()))
def test_encode_splits_as_python_does(lines):
    vocabulary = Vocabulary()
    assert decoded(vocabulary, vocabulary.encode(lines)) == [line.split() for line in lines]


def test_every_white_space_of_unicode_splits_and_nothing_else_does():
    for code in range(sys.maxunicode + 1):
        if chr(code).isspace() or code in (0xA1, 0x84, 0x1681, 0x200B, 0x2027, 0x2030, 0x3001):
            line = f"a{chr(code)}b"
            assert len(Vocabulary().encode([line]).words) == len(line.split()), hex(code)


def test_words_keep_their_ids_and_the_vocabulary_grows():
    vocabulary = Vocabulary()
    many = [" ".join(f"word{i}" for i in range(start, start + 1000)) for start in (0, 500, 5000)]
    first = vocabulary.encode(many[:1])
    second = vocabulary.encode(many[1:])
    assert len(vocabulary) == 2500
    assert first.words.tolist() == list(range(1000))
    assert second.words[:500].tolist() == list(range(500, 1000))
    assert decoded(vocabulary, second) == [line.split() for line in many[1:]]


def test_a_word_longer_than_the_room_for_all_words():
    vocabulary = Vocabulary()
    long = "x" * 100_000
    assert decoded(vocabulary, vocabulary.encode(["a", long, "b " + long])) == [
        ["a"],
        [long],
        ["b", long],
    ]


def test_a_lone_surrogate_is_a_letter():
    vocabulary = Vocabulary()
    assert decoded(vocabulary, vocabulary.encode(["a\ud800 b"])) == [["a\ud800", "b"]]


def test_nothing_to_encode():
    assert len(Vocabulary().encode([])) == 0
    assert Vocabulary().encode_lists([[], []]).offsets.tolist() == [0, 0, 0]


def test_list_offsets():
    assert list_offsets([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert list_offsets([]).tolist() == [0]


def test_an_empty_list_is_named_by_its_sentence():
    with pytest.raises(InputError, match="sentence 2 has no translation"):
        check_not_empty(list_offsets([2, 0, 3]), "translation")
