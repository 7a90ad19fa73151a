from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.report.slices import Slice, slice_from

slices = st.builds(
    Slice,
    first=st.sampled_from(["", "best", "5 best & more"]),
    covariate=st.sampled_from(["", "length"]),
    groups=st.integers(1, 20),
    cuts=st.sampled_from([(), (20.0,), (20.0, 35.5)]),
    surplus=st.booleans(),
    excluded=st.booleans(),
    flagged=st.booleans(),
    simulated=st.booleans(),
    workers=st.booleans(),
    seed=st.integers(0, 2**40),
)


@given(slices)
def test_an_address_holds_a_slice(cut):
    assert slice_from(cut.as_query()) == cut


def test_the_usual_slice_needs_no_address():
    assert Slice().as_query() == {}
    assert slice_from({"page": "2", "groups": ""}) == Slice()


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"groups": "four"}, "groups is 'four'. The address of a report wants a number"),
        ({"groups": "0"}, "0 groups are not to be had"),
        ({"groups": "21"}, "21 groups are not to be had"),
        ({"cuts": "20,x"}, "cuts is '20,x'. The address of a report wants numbers such as 20,35"),
        ({"cuts": "35,20"}, "the cut points do not rise"),
        ({"cuts": "nan"}, "the cut points do not rise"),
        ({"flagged": "perhaps"}, "flagged is 'perhaps'. The address of a report wants yes or no"),
        ({"samples": "10"}, "no interval at level"),
        ({"samples": "1000000"}, "more than 100,000 samples"),
        ({"seed": "-1"}, "the seed is negative"),
        ({"level": "nan"}, "no interval at level"),
    ],
)
def test_an_address_that_holds_none(query, problem):
    with pytest.raises(InputError, match=problem):
        slice_from(query)


def test_what_is_kept():
    cut = Slice()
    assert cut.keeps(frozenset(), real=True)
    assert cut.keeps(frozenset({"flagged"}), real=True)
    assert not cut.keeps(frozenset({"excluded", "flagged"}), real=True)
    assert not cut.keeps(frozenset({"simulated"}), real=True)
    assert cut.keeps(frozenset({"simulated"}), real=False)
