from __future__ import annotations

import numpy as np
import pytest

from decoding.core.diversity.grid import (
    GridOptions,
    Surface,
    all_grid_lists,
    grid_lists,
    surface_of,
)
from decoding.core.diversity.lists import DiversityOptions, diverse_list
from decoding.core.search.decoder import EXHAUSTIVE, Decoder
from evaluation.core.errors import InputError
from evaluation.core.metrics.figures import FigureOptions, coverage_figure
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


def test_the_best_cell_and_its_ties():
    values = np.array([[1.0, 5.0], [5.0, 2.0]])
    assert Surface(OPTIONS, values, 0.0, "", 1).best == (1, 1.0)


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
