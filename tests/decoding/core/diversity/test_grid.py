from __future__ import annotations

import random

import numpy as np
import pytest

from decoding.core.diversity.grid import (
    GridOptions,
    SentenceLists,
    all_grid_lists,
    compare_cells,
    grid_lists,
    surface_of,
)
from decoding.core.diversity.lists import DiversityOptions, diverse_list
from decoding.core.search.decoder import EXHAUSTIVE, Decoder
from evaluation.core.errors import InputError
from evaluation.core.metrics.figures import FigureOptions, coverage_figure, oracle_figure
from evaluation.core.statistics.intervals import Bootstrap
from tests.decoding.core.search import naive

OPTIONS = GridOptions(orders=(1, 2), strengths=(0.1, 1.0), size=3)
SOURCES = ["u v w", "w x", "v v u"]
REFERENCES = [["a b c"], ["c d"], ["b a a"]]


@pytest.fixture(scope="module")
def decoder():
    return Decoder(naive.random_toy(np.random.default_rng(5)).system())


def test_each_cell_holds_the_list_that_its_options_make_alone(decoder):
    made = grid_lists(decoder, SOURCES[0], OPTIONS, EXHAUSTIVE)
    for cell, own in zip(OPTIONS.cells, made.diverse, strict=True):
        sentence = decoder.collect(SOURCES[0])
        alone = diverse_list(decoder, sentence, DiversityOptions(3, *cell), EXHAUSTIVE)
        assert own == tuple(made.best.text for made in alone)


def test_threads_change_nothing(decoder):
    numbered = dict(enumerate(SOURCES))
    one = dict(all_grid_lists(decoder, numbered, OPTIONS, EXHAUSTIVE))
    two = dict(all_grid_lists(decoder, numbered, OPTIONS, EXHAUSTIVE, threads=2))
    assert one == two
    assert set(one) == {0, 1, 2}


def test_the_surface_is_the_objective_of_each_cells_lists(decoder):
    lists = [grid_lists(decoder, source, OPTIONS, EXHAUSTIVE) for source in SOURCES]
    surface = surface_of(lists, REFERENCES, OPTIONS)
    for place, value in zip(range(4), surface.values.flat, strict=True):
        own = [made.diverse[place] for made in lists]
        assert value == coverage_figure(own, REFERENCES, FigureOptions()).score
    assert surface.sentences == 3
    assert "pool:sum" in surface.signature


def invented(seed, shares, objective, sentences=60):
    """A surface of lists whose words are right in such shares, one for each cell and unique best."""
    rng = random.Random(seed)
    references = [[" ".join(rng.choices("abcdefgh", k=12))] for _ in range(sentences)]

    def some(reference, share):
        words = (word if rng.random() < share else "x" for word in reference.split())
        return (" ".join(words),)

    lists = [
        SentenceLists(some(own, shares[-1]), tuple(some(own, share) for share in shares[:-1]))
        for (own,) in references
    ]
    options = GridOptions((1, 2), (0.1, 1.0), 3, objective)
    return surface_of(lists, references, options), lists, references


@pytest.mark.parametrize(
    ("objective", "figure"), [("coverage", coverage_figure), ("oracle", oracle_figure)]
)
def test_cells_are_compared_by_a_paired_bootstrap(objective, figure):
    surface, lists, references = invented(2, (0.5, 0.7, 0.72, 0.3, 0.4), objective)
    found = compare_cells(surface, Bootstrap(1))
    best = surface.values.argmax()
    assert found.winners.best == found.cells[best]
    assert [cell.value for cell in found.cells] == surface.values.ravel().tolist()

    def plain(one, other):  # the metric itself on sentences that are drawn again
        rng, draws = random.Random(5), []
        for _ in range(100):
            drawn = rng.choices(range(len(lists)), k=len(lists))
            again = [references[place] for place in drawn]
            draws.append(
                figure([one(lists[place]) for place in drawn], again, FigureOptions()).score
                - figure([other(lists[place]) for place in drawn], again, FigureOptions()).score
            )
        return np.quantile(draws, [0.025, 0.975])

    for place in (0, 1):  # one worse, one as good
        cell = found.cells[place]
        low, high = plain(lambda own, at=place: own.diverse[at], lambda own: own.diverse[best])
        near = 0.35 * (high - low)
        assert (cell.low, cell.high) == pytest.approx((low, high), abs=near)
        assert (cell in found.winners.tied) == bool(place)
    low, high = plain(lambda own: own.diverse[best], lambda own: own.best)
    # The best of four: its gain's interval is wider than that of one that was not chosen.
    wider = (found.gain.high - found.gain.low) / (high - low)
    assert 1.05 < wider < 1.6
    assert (found.gain.low + found.gain.high) / 2 == pytest.approx(found.gain.estimate)
    assert found.gain.estimate == pytest.approx(surface.values.max() - surface.unique_best)


def test_the_seed_decides_the_intervals():
    surface, _, _ = invented(2, (0.5, 0.55, 0.52, 0.4, 0.4), "coverage")
    one, again, other = (compare_cells(surface, Bootstrap(seed)) for seed in (1, 1, 2))
    assert one.cells == again.cells
    assert one.cells != other.cells


def test_equal_cells_cannot_be_told_apart_and_the_first_is_best():
    surface, _, _ = invented(3, (0.4, 0.6, 0.5, 0.4, 0.4), "coverage")
    surface.rows[2] = surface.rows[1]
    surface.values[1, 0] = surface.values[0, 1]
    winners = compare_cells(surface, Bootstrap(1)).winners
    assert (winners.best.order, winners.best.penalty) == (1, 1.0)
    assert (2, 0.1) in {(cell.order, cell.penalty) for cell in winners.tied}


def test_too_few_sentences_have_no_intervals():
    found = compare_cells(invented(4, (0.1, 0.9, 0.1, 0.1, 0.1), "coverage", 7)[0], Bootstrap(1))
    assert not found.winners.compared
    assert found.winners.tied == ()
    assert (found.gain.low, found.gain.high) == (None, None)
    assert {(cell.low, cell.high) for cell in found.cells} == {(None, None)}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"orders": ()}, "no cells"),
        ({"objective": "beauty"}, "no objective 'beauty'"),
        ({"orders": (0,)}, "n-grams"),
        ({"strengths": (-1.0,)}, "lambda"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        GridOptions(**wrong)
