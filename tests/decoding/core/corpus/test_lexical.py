from hypothesis import given, settings

from decoding.core.corpus.bitext import number_sentences, pair_up
from decoding.core.corpus.lexical import lexical_lines, lexical_table, read_lexical
from decoding.core.corpus.links import read_pharaoh

from . import naive


def test_moses_lexical_tables(reference_data):
    folder = reference_data("decoder-goldens/lexical-weights")
    sides = [
        [line.split() for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("fr", "en")
    ]
    bitext = pair_up(*map(number_sentences, sides))
    links = read_pharaoh((folder / "align").read_text().splitlines(), bitext)
    f2e, e2f = lexical_lines(lexical_table(bitext, links), bitext)
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    # One list of both tables: the same word on both sides makes the same line twice.
    assert sorted([*f2e, *e2f]) == sorted(expected)


@settings(max_examples=60, deadline=None)
@given(naive.linked_texts())
def test_equals_counting_by_hand(pairs):
    bitext, links = naive.arrays(pairs)
    table = lexical_table(bitext, links)
    source = (None, *bitext.source.vocabulary)
    target = (None, *bitext.target.vocabulary)
    keys = [(source[k >> 32], target[k & 0xFFFFFFFF]) for k in table.keys.tolist()]
    given_source, given_target = naive.lexical(pairs)
    assert dict(zip(keys, table.target_given_source.tolist(), strict=True)) == given_source
    assert dict(zip(keys, table.source_given_target.tolist(), strict=True)) == given_target


def test_what_is_written_is_read_again():
    bitext, links = naive.arrays([(["a", "b"], ["x", "y"], [(0, 0)]), (["b"], ["x"], [(0, 0)])])
    table = lexical_table(bitext, links)
    numbers = [
        {w: k for k, w in enumerate(side.vocabulary)} for side in (bitext.source, bitext.target)
    ]
    again = read_lexical(*lexical_lines(table, bitext), *numbers)
    assert again.keys.tolist() == table.keys.tolist()
    assert again.target_given_source.tolist() == table.target_given_source.tolist()
    assert again.source_given_target.tolist() == table.source_given_target.tolist()
