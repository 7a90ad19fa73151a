import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.corpus.bitext import blocks, encode_side, number_sentences, pair_up
from evaluation.core.errors import InputError

words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=3)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(words, max_size=5), max_size=8))
def test_numbers_keep_text_and_byte_order(tmp_path_factory, sentences):
    folder = tmp_path_factory.mktemp("side")
    on_disk = encode_side((" ".join(sentence) for sentence in sentences), folder, "source")
    in_memory = number_sentences(sentences)
    assert on_disk.vocabulary == in_memory.vocabulary
    assert np.array_equal(on_disk.words, in_memory.words)
    assert np.array_equal(on_disk.offsets, in_memory.offsets)
    assert [on_disk.text(s) for s in range(len(on_disk))] == sentences
    assert list(on_disk.vocabulary) == sorted(on_disk.vocabulary, key=str.encode)
    assert on_disk.vocabulary[on_disk.end] == "|||"
    assert not list(folder.glob("*.part"))


def test_sides_must_match():
    with pytest.raises(InputError, match="the source has 1 lines and the target 2"):
        pair_up(number_sentences([["a"]]), number_sentences([["x"], ["y"]]))
    with pytest.raises(InputError, match="line 2: the target sentence is empty"):
        pair_up(number_sentences([["a"], ["b"]]), number_sentences([["x"], []]))


def test_blocks_cover_all_sentences_once():
    side = number_sentences([["a"] * n for n in (3, 1, 9, 2, 2)])
    ranges = list(blocks(pair_up(side, side), words=4))
    assert ranges == [(0, 2), (2, 3), (3, 5)]
