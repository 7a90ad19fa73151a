"""MERT against what Moses' extractor and mert computed from the same lists."""

import numpy as np
import pytest

from evaluation.core.tuning.lists import merge
from evaluation.core.tuning.mert import MertOptions, tune_mert
from evaluation.core.tuning.metric import BLEU
from evaluation.kbest import Referee
from tests.evaluation.core.tuning import moses

# As many starts as Moses took, and as far away.
RESTARTS, SPREAD = 20, 1.0


@pytest.fixture
def basic(reference_data):
    folder = reference_data("nbest-tuning/mert-basic")
    with (folder / "FEATSTAT.txt").open() as features, (folder / "SCORESTAT.txt").open() as scores:
        return folder, moses.read_lists(features, scores)


def test_score_of_moses_best_point(basic):
    folder, lists = basic
    weights, score = moses.printed(folder / "expected.txt", "STDOUT_1=Best point:")[0].split("=>")
    assert BLEU.under(lists, np.array(weights.split(), float)) == pytest.approx(
        100 * float(score), abs=1e-4
    )


@pytest.mark.parametrize("directions", ["random", "powell"])
@pytest.mark.parametrize("seed", range(3))
def test_as_good_as_moses_from_its_start(basic, directions, seed):
    folder, lists = basic
    start = np.array((folder / "INIT").read_text().splitlines()[0].split(), float)
    options = MertOptions(directions, restarts=3 * RESTARTS, spread=SPREAD)
    result = tune_mert(lists, start, np.random.default_rng(seed), options)
    best = float(moses.printed(folder / "expected.txt", "=> ")[0])
    assert result.score >= 100 * best - 1e-4


def test_features_and_counts_of_hypotheses_are_those_of_moses_extractor(reference_data):
    """Over five lists, merged one by one."""
    folder = reference_data("nbest-tuning/extractor")
    referee = Referee.read([folder / "reference"])
    lines = moses.printed(folder / "expected.txt.gz", "STDOUT_")
    lines = [line.split("=", 1)[1] for line in lines]
    features, scores = moses.read_blocks(lines, "FEATURES"), moses.read_blocks(lines, "SCORES")
    files, blocks = [], 0
    while blocks < len(features):
        files.append(folder / f"nbest.{len(files) + 1}.gz")
        ours = referee.label_files(files).lists
        for s in range(len(ours)):
            rows = slice(ours.offsets[s], ours.offsets[s + 1])
            theirs = np.column_stack([features[blocks], moses.statistics_of(scores[blocks])])
            own = np.column_stack([ours.features[rows], ours.statistics[rows]])
            assert sorted(map(tuple, own)) == sorted(map(tuple, np.unique(theirs, axis=0)))
            blocks += 1
    assert len(files) == 5


def test_duplicates_are_those_that_moses_drops(reference_data):
    folder = reference_data("nbest-tuning/extractor-dups")
    lists = Referee.read([folder / "reference"]).label_files([folder / "nbest.gz"]).lists
    lines = moses.printed(folder / "expected.txt", "STDOUT_")
    dropped, kept = moses.read_blocks([line.split("=", 1)[1] for line in lines], "FEATURES")
    assert lists.features.tolist() == dropped
    assert len(kept) == 3


@pytest.mark.slow
def test_as_good_as_moses_over_fourteen_rounds(reference_data):
    """Each round adds a list and starts from the weights of the round before, as Moses did."""
    folder = reference_data("nbest-tuning/mert-14runs-3refs")
    expected = [
        100 * float(line.split(":")[1]) for line in moses.printed(folder / "expected.txt", "=best_")
    ]
    referee = Referee.read([folder / f"reference.{r}" for r in range(3)])
    parts, weights, reached = [], np.full(14, 1 / 14), []
    for run in range(1, 15):
        parts.append(referee.label_files([folder / f"run{run}.nbest.gz"]).lists)
        result = tune_mert(
            merge(*parts),
            weights,
            np.random.default_rng(run),
            MertOptions("random", restarts=RESTARTS, spread=SPREAD),
        )
        weights = result.weights
        reached.append(result.score)
    # On five sentences the surface is full of holes, and both miss better points in some rounds.
    assert reached[-1] >= expected[-1] - 1e-4
    assert np.mean(np.subtract(reached, expected)) > 0
