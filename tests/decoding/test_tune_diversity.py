from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from decoding.core.diversity.grid import GridOptions, compare_cells, grid_lists, surface_of
from decoding.core.search.decoder import Decoder, SearchOptions
from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import Bootstrap
from tests.decoding.core.search import naive


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    made = naive.random_toy(np.random.default_rng(5)).system()
    folder = tmp_path_factory.mktemp("system")
    made.save(folder)
    return made, folder


@pytest.fixture
def files(tmp_path):
    (tmp_path / "source").write_text("u v w\nw x\nv v u\n")
    (tmp_path / "reference").write_text("a b c\nc d\nb a a\n")
    return tmp_path


def tune(system, files, *arguments):
    out = StringIO()
    call_command(
        "tune_diversity", "--system", str(system[1]), "--source", str(files / "source"),
        "--reference", str(files / "reference"), "--n", "1", "2", "--lambda", "0.1", "1",
        "--size", "3", *arguments, stdout=out, stderr=StringIO(),
    )  # fmt: skip
    return out.getvalue()


def test_the_surface_is_that_of_the_core(system, files):
    said = json.loads(tune(system, files, "--json", "--threads", "2"))
    grid = GridOptions((1, 2), (0.1, 1.0), 3)
    decoder = Decoder(system[0])
    search = SearchOptions(pop_limit=200)
    lists = [grid_lists(decoder, source, grid, search) for source in ("u v w", "w x", "v v u")]
    surface = surface_of(lists, [["a b c"], ["c d"], ["b a a"]], grid)
    assert said["values"] == surface.values.tolist()
    compared = compare_cells(surface, Bootstrap(1))
    best = compared.winners.best
    assert (said["best"]["n"], said["best"]["lambda"]) == (best.order, best.penalty)
    assert said["cells"] == [compared.winners.row_of(cell) for cell in compared.cells]
    assert said["unique_best"] == surface.unique_best


def test_cells_that_may_be_as_good_are_told(system, files):
    for name in ("source", "reference"):
        path = files / name
        path.write_text(path.read_text() * 4)
    said = json.loads(tune(system, files, "--json", "--seed", "3"))
    assert said["bootstrap"]["seed"] == 3
    assert said["gain"]["low"] <= said["gain"]["estimate"] <= said["gain"]["high"]
    tied = [cell for cell in said["cells"] if cell["tied_with_best"]]
    assert all(cell["high"] >= 0 for cell in tied)
    printed = tune(system, files, "--seed", "3")
    assert printed.count("~") == len(tied)  # the best has a star, and a line says what ~ is
    assert "The best cell is n = " in printed
    assert "12 sentences, seed 3" in printed


def test_too_few_sentences_are_said(system, files):
    assert "5 more sentences needed" in tune(system, files)
    assert json.loads(tune(system, files, "--json"))["cells"][0]["tied_with_best"] is None


def test_an_interrupted_grid_goes_on(system, files):
    kept = files / "kept.jsonl"
    whole = tune(system, files, "--keep", str(kept))
    lines = kept.read_text().splitlines()
    assert len(lines) == 3
    kept.write_text(lines[0] + "\n" + lines[1][:20])  # cut off in the middle of the second
    assert tune(system, files, "--keep", str(kept)) == whole


def test_lists_of_another_grid_are_not_mixed_in(system, files):
    kept = files / "kept.jsonl"
    tune(system, files, "--keep", str(kept))
    with pytest.raises(InputError, match=r"kept.jsonl:1: holds lists of another grid"):
        tune(system, files, "--keep", str(kept), "--size", "2")


def test_references_belong_to_sources_line_by_line(system, files):
    (files / "reference").write_text("a b c\n")
    with pytest.raises(InputError, match="reference: has 1 lines, and the source has 3"):
        tune(system, files)
