import numpy as np
import pytest
from scipy import optimize

from evaluation.core.tuning.metric import BLEU
from evaluation.core.tuning.minimise import minimise
from evaluation.core.tuning.pro import LogisticObjective, ProOptions, sample_pairs, tune_pro
from tests.evaluation.core.tuning import moses
from tests.evaluation.core.tuning.strategies import random_lists


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def test_sampled_pairs_are_of_one_list_and_far_enough_apart(rng):
    lists = random_lists(3, sentences=20, longest=60)
    quality = BLEU.of_sentences(lists.statistics)
    better, worse = sample_pairs(lists.offsets, quality, rng, ProOptions())
    sentence = lists.sentence_of_rows()
    assert (sentence[better] == sentence[worse]).all()
    assert (quality[better] - quality[worse] > 5).all()
    counts = np.bincount(sentence[better], minlength=20)
    assert counts.max() == 50
    assert (counts[np.diff(lists.offsets) == 1] == 0).all()


def test_the_largest_differences_are_kept(rng):
    """With more draws than pairs, they are the largest that there are."""
    lists = random_lists(3, sentences=1, longest=30)
    quality = BLEU.of_sentences(lists.statistics)
    better, worse = sample_pairs(lists.offsets, quality, rng, ProOptions(drawn=50000, kept=10))
    assert (quality[better] - quality[worse]).min() > 0.9 * (quality.max() - quality.min())


def test_a_list_without_contrast_gives_no_pair(rng):
    lists = random_lists(3, sentences=2)
    better, worse = sample_pairs(
        lists.offsets, np.full(len(lists.features), 30.0), rng, ProOptions()
    )
    assert len(better) == len(worse) == 0
    assert tune_pro(random_lists(3, longest=1), np.ones(4), rng).weights == pytest.approx(
        np.zeros(4), abs=1e-9
    )


def test_the_objective_is_that_of_both_examples_of_each_pair(rng):
    differences = rng.standard_normal((30, 3))
    weights, vector = rng.standard_normal((2, 3))
    objective = LogisticObjective(differences, 0.7)
    examples = [(x, 1) for x in differences] + [(-x, -1) for x in differences]
    expected = 0.35 * weights @ weights + sum(
        np.log1p(np.exp(-y * (x @ weights))) for x, y in examples
    )
    assert objective.value(weights)[0] == pytest.approx(expected, rel=1e-12)
    assert (
        optimize.check_grad(
            lambda w: objective.value(w)[0], lambda w: objective.value(w)[1], weights
        )
        < 1e-5
    )
    step = 1e-6
    slopes = [objective.value(weights + sign * step * vector)[1] for sign in (1, -1)]
    assert objective.curvature(weights, vector) == pytest.approx(
        (slopes[0] - slopes[1]) / (2 * step), rel=1e-5
    )


def test_both_solvers_agree_and_a_seed_gives_the_same_weights():
    lists = random_lists(9, sentences=40, longest=20)
    found = [
        tune_pro(lists, np.ones(4), np.random.default_rng(seed), ProOptions(solver=solver)).weights
        for solver, seed in (("newton", 1), ("newton", 1), ("lbfgs", 1), ("newton", 2))
    ]
    assert found[0].tolist() == found[1].tolist() != found[3].tolist()
    assert found[0] == pytest.approx(found[2], rel=1e-3)


def test_it_learns_what_tells_good_from_bad(rng):
    lists = random_lists(9, sentences=40, longest=20)
    result = tune_pro(lists, np.array([-1.0, 1, 1, 1]), rng)
    assert result.weights[0] > 2 * np.abs(result.weights[1:]).max()
    assert result.score > result.start_score + 5


def test_samples_are_like_those_of_moses(reference_data):
    """As many examples from Moses' lists, all such as ours could be: differences of one list."""
    folder = reference_data("nbest-tuning/mert-basic")
    with (folder / "FEATSTAT.txt").open() as features, (folder / "SCORESTAT.txt").open() as scores:
        lists = moses.read_lists(features, scores)
    theirs = moses.printed(folder / "expected-pro-samples.txt", "STDOUT_")
    theirs = [line.split("=", 1)[1].split() for line in theirs]
    rows = np.zeros((len(theirs), lists.features.shape[1]))
    for row, fields in zip(rows, theirs, strict=True):
        for name, value in zip(fields[1::2], fields[2::2], strict=True):
            row[int(name[1:])] = float(value)
    positive = rows[[fields[0] == "1" for fields in theirs]]
    quality = BLEU.of_sentences(lists.statistics)
    better, worse = sample_pairs(lists.offsets, quality, np.random.default_rng(1), ProOptions())
    assert 0.9 < len(positive) / len(better) < 1.1
    assert len(positive) == len(rows) / 2
    learnt = [
        minimise(LogisticObjective(differences, 1.0), np.zeros(14), "newton", 1e-6, 200)[0]
        for differences in (positive, lists.features[better] - lists.features[worse])
    ]
    cosine = learnt[0] @ learnt[1] / np.linalg.norm(learnt[0]) / np.linalg.norm(learnt[1])
    assert cosine > 0.98
