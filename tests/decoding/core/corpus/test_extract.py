import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.corpus.extract import (
    BACKWARD_SHIFT,
    FORWARD_SHIFT,
    LONGEST,
    ExtractionOptions,
    extract_phrases,
    occurrence_bits,
    read_extract,
)
from evaluation.core.errors import InputError

from . import naive


def plain(bitext, occurrences):
    """Occurrences as the plain twin writes them."""
    found = []
    for row, bits in zip(occurrences, occurrence_bits(occurrences).tolist(), strict=True):
        source = [w for w in row[:LONGEST].tolist() if w != bitext.source.end]
        target = [w for w in row[LONGEST : 2 * LONGEST].tolist() if w != bitext.target.end]
        links = {
            (i, j) for i in range(LONGEST) for j in range(LONGEST) if bits >> (j * LONGEST + i) & 1
        }
        found.append(
            (
                tuple(bitext.source.vocabulary[w] for w in source),
                tuple(bitext.target.vocabulary[w] for w in target),
                frozenset(links),
                "msd"[bits >> BACKWARD_SHIFT & 3],
                "msd"[bits >> FORWARD_SHIFT & 3],
            )
        )
    return found


@settings(max_examples=150, deadline=None)
@given(naive.linked_texts(), st.integers(1, LONGEST))
def test_equals_the_definition(pairs, longest):
    bitext, links = naive.arrays(pairs)
    ours = extract_phrases(bitext, links, 0, len(bitext), ExtractionOptions(longest))
    order = str
    assert sorted(plain(bitext, ours), key=order) == sorted(
        naive.extract(pairs, longest), key=order
    )


def test_a_known_sentence():
    sides = ["das", "ist", "ein", "haus"], ["this", "is", "a", "house"]
    pairs = [(*sides, [(i, i) for i in range(4)])]
    bitext, links = naive.arrays(pairs)
    found = plain(bitext, extract_phrases(bitext, links, 0, 1))
    assert len(found) == 10  # every span, for the links are a diagonal
    assert {(before, after) for *_, before, after in found} == {("m", "m")}


def test_ranges_of_sentences_add_up():
    pairs = [(["a", "b"], ["x"], [(0, 0)]), (["b"], ["y", "x"], [(0, 1)])]
    bitext, links = naive.arrays(pairs)
    whole = extract_phrases(bitext, links, 0, 2)
    parts = [extract_phrases(bitext, links, s, s + 1) for s in (0, 1)]
    assert np.array_equal(whole, np.vstack(parts))


def test_phrases_longer_than_can_be_kept_are_refused():
    with pytest.raises(InputError, match="phrases of 8 words"):
        ExtractionOptions(longest=8)


def test_moses_extract_files_are_read(reference_data):
    folder = reference_data("decoder-goldens/phrase-scoring")
    with gzip.open(folder / "extract.sorted.gz", "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    words = sorted({w for line in lines for w in line.split()})
    numbers = {w: k for k, w in enumerate(words)}
    occurrences = read_extract(lines, numbers, numbers)
    assert len(occurrences) == len(lines)
    assert [words[w] for w in occurrences[0, :LONGEST].tolist()] == lines[0].split(" ||| ")[
        0
    ].split()
