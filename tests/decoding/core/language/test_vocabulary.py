from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.language.vocabulary import SPECIAL_WORDS, Vocabulary, vocabulary_of

words = st.text(st.sampled_from("abcé中\xa0\u2028<>"), min_size=1, max_size=4)


@settings(max_examples=200)
@given(st.lists(words))
def test_words_are_numbered_in_their_order(given_words):
    vocabulary = Vocabulary.of(given_words)
    expected = list(dict.fromkeys([*SPECIAL_WORDS, *given_words]))
    assert list(vocabulary.words) == expected
    assert len(vocabulary) == len(expected)
    assert vocabulary.ids(expected).tolist() == list(range(len(expected)))


@settings(max_examples=200)
@given(st.lists(st.lists(words)), st.lists(words), st.booleans())
def test_text_is_encoded_as_word_by_word(lines, known, ended):
    vocabulary = Vocabulary.of(known)
    text = "\n".join("\t".join(line) + " " for line in lines) + "\n" * (ended and bool(lines))
    ids, offsets = vocabulary.encode(text.encode())
    got = [ids[a:b].tolist() for a, b in pairwise(offsets)]
    assert got == [vocabulary.ids(line).tolist() for line in lines]


@settings(max_examples=200)
@given(st.lists(words))
def test_the_vocabulary_of_a_text_is_its_words(given_words):
    text = " ".join(given_words).encode()
    assert list(vocabulary_of(text).words) == list(Vocabulary.of(given_words).words)


def test_a_large_vocabulary_grows():
    many = [f"word-number-{i}-of-a-great-many" for i in range(150_000)]
    vocabulary = vocabulary_of("\n".join(many).encode())
    assert list(vocabulary.words)[3:] == many
    assert vocabulary.encode(b"word-number-149999-of-a-great-many x")[0].tolist() == [150_002, 0]
