import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.tuning.metric import BLEU


def smoothed_bleu1(row):
    """Nakov, Guzman and Vogel (2012): a match more of orders 2 to 4, and a word of the reference."""
    matches, totals, length, reference = row[:4], row[4:8], row[8], row[9]
    if matches[0] == 0:
        return 0.0
    logs = [math.log(matches[0] / totals[0])]
    logs += [math.log((matches[n] + 1) / (totals[n] + 1)) for n in (1, 2, 3)]
    penalty = min(0.0, 1 - (reference + 1) / length)
    return 100 * math.exp(sum(logs) / 4 + penalty)


@st.composite
def rows(draw):
    length, reference = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    totals = [max(length - n, 0) for n in range(4)]
    return [draw(st.integers(0, total)) for total in totals] + totals + [length, reference]


@given(rows())
def test_the_smoothed_score_is_that_of_the_paper(row):
    found = BLEU.of_sentences(np.array([row], np.int32), "smoothed")
    assert found[0] == pytest.approx(smoothed_bleu1(row), rel=1e-12)


def test_with_the_smoothed_penalty_a_short_translation_is_worth_less_beside_a_long_one():
    short = [7, 6, 5, 4, 7, 6, 5, 4, 7, 8]  # all words right, one missing
    long = [8, 5, 4, 3, 9, 8, 7, 6, 9, 8]  # one word too many
    statistics = np.array([short, long], np.int32)
    plain, smoothed = BLEU.of_sentences(statistics), BLEU.of_sentences(statistics, "smoothed")
    assert smoothed[0] < plain[0]
    assert smoothed[1] == pytest.approx(plain[1])
    assert plain.tolist() == BLEU.of_sentences(statistics, "plain").tolist()
