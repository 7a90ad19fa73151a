from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from studies.core.design import Design
from studies.core.sampling import Candidate, sample_sentences


def design(**options):
    return Design(**{"seed": 1, "conditions": ("best", "diverse"), "sample_size": 10} | options)


def candidates(count, **options):
    return [
        Candidate(
            **{"segment": n, "reference_lengths": (12,), "entries": 5, "baseline_bleu1": float(n)}
            | options
        )
        for n in range(count)
    ]


@given(st.permutations(candidates(30)), st.integers(0, 99))
@settings(deadline=None, max_examples=25)
def test_the_sample_depends_on_the_seed_alone(shuffled, seed):
    one = sample_sentences(candidates(30), design(seed=seed))
    assert sample_sentences(shuffled, design(seed=seed)) == one
    assert len(set(one.segments)) == 10
    assert one.eligible == 30


def test_every_sentence_has_the_same_chance():
    seen = Counter(
        segment
        for seed in range(1500)
        for segment in sample_sentences(candidates(20), design(seed=seed)).segments
    )
    assert all(abs(count - 750) < 5 * 20 for count in seen.values())


def test_one_reference_in_the_range_is_enough():
    fits, short = (
        candidates(10, reference_lengths=(3, 25)),
        candidates(10, reference_lengths=(4, 26)),
    )
    assert sample_sentences(fits, design()).eligible == 10
    with pytest.raises(InputError, match="10 without a reference of 5 to 25 words"):
        sample_sentences(short, design())


def test_why_sentences_could_not_be_chosen_is_counted():
    some = candidates(15)
    some[0] = Candidate(0, (30,), 5)
    some[1] = Candidate(1, (12,), 4)
    assert sample_sentences(some, design(), exclude={2}).left_out == {
        "without a reference of 5 to 25 words": 1,
        "with a list of fewer than 5 translations": 1,
        "excluded by name": 1,
    }


def test_too_few_say_how_many_and_why():
    with pytest.raises(InputError, match=r"only 9 sentences .* \(1 excluded by name\)"):
        sample_sentences(candidates(10), design(), exclude=[4])


@pytest.mark.parametrize(("size", "of_each"), [(8, [2, 2, 2, 2]), (10, [3, 3, 2, 2])])
def test_stratified_takes_as_many_of_each_quartile(size, of_each):
    chosen = sample_sentences(candidates(40), design(sample_size=size, stratified=True)).segments
    assert [sum(10 * q <= s < 10 * (q + 1) for s in chosen) for q in range(4)] == of_each


def test_stratifying_needs_the_baselines_bleu1():
    with pytest.raises(InputError, match="segment 0 has no BLEU"):
        sample_sentences(candidates(40, baseline_bleu1=None), design(stratified=True))
