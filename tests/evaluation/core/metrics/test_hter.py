import csv
import gzip

import numpy as np
import pytest
from scipy.stats import pearsonr

from evaluation.core.errors import InputError
from evaluation.core.metrics.hter import HterOptions, hter, hter_signature, hter_statistics


@pytest.mark.parametrize(
    ("translation", "edit", "edits"),
    [
        ("a b c d", "a b c d", 0),
        ("a b c d", "a x c d", 1),  # replaced
        ("a b c", "a b c d", 1),  # inserted
        ("a b c d e", "a b c d", 1),  # deleted
        ("c d a b", "a b c d", 1),  # a block moved
        ("", "a b", 2),
        ("A B", "a b", 0),
    ],
)
def test_edits(translation, edit, edits):
    statistics = hter_statistics([translation], [edit])
    assert statistics.tolist() == [[edits, len(edit.split())]]
    assert hter(statistics) == pytest.approx([100 * edits / len(edit.split())])


def test_case_counts_if_asked():
    options = HterOptions(case_sensitive=True)
    assert hter_statistics(["A b"], ["a b"], options).tolist() == [[1, 2]]
    assert "case:lc" in hter_signature()
    assert "case:mixed" in hter_signature(options)


def test_punctuation_is_a_word_of_its_own_unless_asked():
    options = HterOptions(normalized=False)
    assert hter_statistics(["a b."], ["a c."]).tolist() == [[1, 3]]
    assert hter_statistics(["a b."], ["a c."], options).tolist() == [[1, 2]]
    assert "norm:yes" in hter_signature()
    assert "norm:no" in hter_signature(options)


def test_of_a_corpus_is_that_of_the_sum():
    statistics = hter_statistics(["a x", "a b c d e f"], ["a b", "a b c d e f"])
    assert hter(statistics).tolist() == [50.0, 0.0]
    assert hter(statistics.sum(axis=0)) == 12.5


@pytest.mark.parametrize(
    ("translations", "edits", "problem"),
    [
        (["a", "b"], ["a"], "sentence 2 has only one of the two"),
        (["a", "b"], ["a", " "], "the edit of sentence 2 is empty"),
    ],
)
def test_bad_input_is_named(translations, edits, problem):
    with pytest.raises(InputError, match=problem):
        hter_statistics(translations, edits)


def test_near_the_published_hter_of_post_edits(reference_data):
    """The file's own hter comes from another program, whose options are not known."""

    def rows(name):
        with gzip.open(reference_data(f"postedit-iwslt19-enes/{name}.tsv.gz"), "rt") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)

    mt = {row["segment"]: row["mt"] for row in rows("segments")}
    edits = [row for row in rows("postedits") if row["editor"] == "ann1"][:300]
    ours = hter(hter_statistics([mt[e["segment"]] for e in edits], [e["post_edit"] for e in edits]))
    theirs = np.array([100 * float(row["hter"]) for row in edits])
    assert pearsonr(ours, theirs).statistic > 0.92
    assert ours.mean() == pytest.approx(theirs.mean(), abs=1)
