"""A study that simulated people play: whole, marked, resumed, and preferring as was put in."""

from __future__ import annotations

from random import Random

import pytest

from studies.core.leaning import Leaning


def shares(leaning, bleu1, count=4000):
    random = Random(3)
    judged = [leaning.judge(leaning.of_sentence(bleu1, random), random) for _ in range(count)]
    return {choice: judged.count(choice) / count for choice in ("first", "second", "same")}


def test_below_the_crossover_the_second_is_preferred_above_it_the_first():
    leaning = Leaning(crossover=40)
    low, middle, high = (shares(leaning, bleu1) for bleu1 in (10, 40, 80))
    assert low["second"] > 2 * low["first"]
    assert high["first"] > 2 * high["second"]
    assert middle["first"] == pytest.approx(middle["second"], abs=0.04)


def test_a_wider_tie_makes_more_of_the_same():
    assert shares(Leaning(tie=1.0), 40)["same"] > shares(Leaning(tie=0.1), 40)["same"] + 0.3
