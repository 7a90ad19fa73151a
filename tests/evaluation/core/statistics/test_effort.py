from __future__ import annotations

import csv
import gzip
import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.statistics.correlations import pearson
from evaluation.core.statistics.effort import Span, compare, origin, ratio, summary
from evaluation.core.statistics.intervals import Bootstrap, Interval

QUICK = Bootstrap(seed=3, samples=100)


def test_the_editors_of_iwslt19(reference_data):
    """Medians and correlations of five editors against the values kept beside the data."""
    folder = reference_data("postedit-iwslt19-enes")
    with gzip.open(folder / "postedits.tsv.gz", "rt") as file:
        edits = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    with gzip.open(folder / "segments.tsv.gz", "rt") as file:
        segments = {
            row["segment"]: row
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    expected = json.loads((folder / "expected.json").read_text())["editor"]
    assert len(expected) == 5
    for editor, values in expected.items():
        own = [row for row in edits if row["editor"] == editor]

        def column(name, own=own):
            return np.array([float(row[name]) for row in own])

        hter, time = column("hter"), column("time_ms")
        da = np.array([float(segments[row["segment"]]["da"]) for row in own])
        found = {
            "median_time_ms": summary(time, QUICK).median.estimate,
            "mean_time_ms": round(summary(time, QUICK).mean.estimate, 1),
            "mean_hter": round(summary(hter, QUICK).mean.estimate, 4),
            "pearson_time_per_word_vs_hter": pearson(time / column("mlen"), hter, QUICK),
            "pearson_keystrokes_vs_hter": pearson(column("keystrokes"), hter, QUICK),
            "pearson_da_vs_hter": pearson(da, hter, QUICK),
            "unedited": sum(
                row["post_edit"].strip() == segments[row["segment"]]["mt"].strip() for row in own
            ),
        }
        for name, value in found.items():
            if isinstance(value, Interval):
                assert value.low < value.estimate < value.high
                found[name] = round(value.estimate, 4)
        assert found == values


def test_summary_of_a_figure():
    values = [5.0, 1, 2, 3, 4, 6, 7, 8, 9, 1000, np.nan]
    found = summary(values, QUICK)
    assert found.count == 10
    assert found.mean.estimate == 104.5
    assert found.median.estimate == 5.5
    assert found.trimmed_mean == pytest.approx(scipy.stats.trim_mean(values[:10], 0.1))
    assert (found.lower_quartile, found.upper_quartile) == (3.25, 7.75)
    nothing = summary([], QUICK)
    assert nothing.median.estimate is None
    assert nothing.trimmed_mean is None


def test_ratio_of_sums():
    found = ratio([10, 20, 60, np.nan], [10, 10, 20, 5], QUICK)
    assert found.estimate == pytest.approx(90 / 40)
    assert found.count == 3
    assert found.low < found.estimate < found.high
    assert ratio([1, 2], [0, 0], QUICK).estimate is None
    assert ratio([], [], QUICK).estimate is None
    with pytest.raises(InputError, match="3 amounts for 1 units"):
        ratio([1, 2, 3], [1], QUICK)


def test_compare_within_sentences():
    """Sentence 2 is hard and has an edit of the first kind only: it must not count."""
    seconds = [20, 10, 30, 30, 900, 0]
    first = [True, False, True, False, True, False]
    sentence = np.array([0, 0, 1, 1, 2, 0])
    found = compare(seconds, first, QUICK, sentence=sentence)
    assert found.estimate == pytest.approx(np.exp((np.log(2) + 0) / 2))
    assert (found.count, found.clusters) == (4, 2)
    assert compare([1.0], [True], QUICK, sentence=np.array([0])).estimate is None


def kept(edit, *shown, **options):
    found = origin(edit.split(), [text.split() for text in shown], **options)
    return [round(value, 3) for value in found.kept], round(found.new, 3), found.spans


def test_origin_of_an_edit():
    assert kept("the cat sat on a mat", "the cat sat down", "it was on a mat") == (
        [0.5, 0.5],
        0,
        (Span(0, 3, (0,)), Span(3, 6, (1,))),
    )


def test_the_longest_span_comes_first():
    """'b c d' is longer than the 'a b' that it takes the b from."""
    assert kept("a b c d", "a b", "b c d") == (
        [0.25, 0.75],
        0,
        (Span(0, 1, (0,)), Span(1, 4, (1,))),
    )


def test_of_equal_spans_the_leftmost_comes_first():
    assert kept("a b c", "b c", "a b") == ([0.333, 0.667], 0, (Span(0, 2, (1,)), Span(2, 3, (0,))))


def test_what_several_translations_have_is_shared():
    assert kept("one two new", "one two", "so one two", "none") == (
        [0.333, 0.333, 0.0],
        0.333,
        (Span(0, 2, (0, 1)),),
    )


def test_short_spans_can_be_left_to_chance():
    assert kept("the dog", "the cat", shortest=2) == ([0], 1, ())


def test_an_empty_edit_is_undefined():
    found = origin([], [["a"]])
    assert (found.kept, found.new, found.spans) == ((None,), None, ())
    assert origin(["a"], []).new == 1


words = st.lists(st.sampled_from("abcd"), max_size=9)


@given(words, st.lists(words, max_size=3))
def test_every_word_has_one_origin(edit, shown):
    found = origin(edit, shown)
    if not edit:
        return
    assert sum(found.kept) + found.new == pytest.approx(1)
    covered = [word for span in found.spans for word in range(span.start, span.end)]
    assert len(covered) == len(set(covered)) == round((1 - found.new) * len(edit))
    for i, word in enumerate(edit):
        assert (i in covered) == any(word in text for text in shown)
    for span in found.spans:
        part = edit[span.start : span.end]
        for i, text in enumerate(shown):
            inside = any(text[p : p + len(part)] == part for p in range(len(text)))
            assert inside == (i in span.shown)
    longest = max((span.end - span.start for span in found.spans), default=0)
    assert longest == longest_common_slowly(edit, shown)


def longest_common_slowly(edit, shown):
    return max(
        (
            end - start
            for start in range(len(edit))
            for end in range(start + 1, len(edit) + 1)
            for text in shown
            if edit[start:end] in [text[p : p + end - start] for p in range(len(text))]
        ),
        default=0,
    )
