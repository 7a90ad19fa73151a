import pytest

from decoding.core.corpus.bitext import number_sentences, pair_up
from decoding.core.corpus.links import collect_links, pharaoh_lines, read_pharaoh
from evaluation.core.errors import InputError


def bitext():
    return pair_up(
        number_sentences([["a", "b"], ["a"]]), number_sentences([["x", "y", "z"], ["y"]])
    )


def test_pharaoh_is_read_and_written():
    lines = ["0-0 1-2", ""]
    links = read_pharaoh(lines, bitext())
    assert links.of(0) == [(0, 0), (1, 2)]
    assert links.of(1) == []
    assert list(pharaoh_lines(links)) == lines
    assert list(pharaoh_lines(collect_links([[(0, 0), (1, 2)], []]))) == lines


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0-0 1", ""], "line 1: expected links like 0-0, found '1'"),
        (["0-0", "0:0"], "line 2: expected links like 0-0, found '0:0'"),
        (["2-0", ""], "line 1: the link 2-0 points past the end of a sentence"),
        (["0-3", ""], "line 1: the link 0-3 points past the end of a sentence"),
        (["0-0"], "1 lines of links for 2 sentence pairs"),
    ],
)
def test_what_is_wrong_is_said(lines, message):
    with pytest.raises(InputError, match=message) as caught:
        read_pharaoh(lines, bitext())
    assert caught.value.hint
