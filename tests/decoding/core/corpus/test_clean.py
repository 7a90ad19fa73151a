import pytest

from decoding.core.corpus.clean import Cleaner, CleaningOptions, CleaningReport
from evaluation.core.errors import InputError


def test_sentences_that_nothing_could_align_are_refused():
    with pytest.raises(InputError, match="sentences of 1001 words were allowed"):
        CleaningOptions(longest=1001)


def test_unfit_pairs_are_dropped_and_counted():
    cleaner = Cleaner(CleaningOptions(longest=4, ratio=3.0))
    pairs = [
        ("a b", "x"),
        ("", "x"),
        ("a", ""),
        ("a", "x y z"),
        ("a", "w x y z"),
        ("a " * 5, "x y"),
    ]
    kept = [cleaner.keeps(source.split(), target.split()) for source, target in pairs]
    assert kept == [True, False, False, True, False, False]
    assert cleaner.report == CleaningReport(read=6, kept=2, empty=2, too_long=1, unlike=1)
