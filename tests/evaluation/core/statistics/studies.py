"""Small studies for the tests of the statistics."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from evaluation.core.statistics.judgments import Judgments
from evaluation.core.statistics.simulation import Assumptions, Design, leanings, simulate

PAPER = Assumptions(first=0.4, second=0.35, agreement=0.55, likeness=0.42)


def study(sentences=40, draws=3, judges=3, *, pairs=None, seed=0, assumptions=PAPER, **options):
    return simulate(
        Design(sentences, draws, judges, pairs),
        leanings(assumptions, draws),
        np.random.default_rng(seed),
        **options,
    )


@st.composite
def judgments(draw, most=30, conditions=2):
    """Anything that may be judged, unbalanced as can be."""
    size = draw(st.integers(0, most))

    def column(high):
        return np.array(
            draw(st.lists(st.integers(0, high), min_size=size, max_size=size)), dtype=np.int64
        )

    left = column(conditions - 1)
    right = (left + 1 + column(conditions - 2)) % conditions
    sentence = column(5)
    return Judgments(
        sentence=sentence,
        item=sentence * 3 + column(2),
        worker=column(3),
        left=left,
        right=right,
        outcome=column(2) - 1,
        sentences=6,
        workers=("a", "b", "c", "d"),
        conditions=tuple("ABCDEFGH"[:conditions]),
    )
