from functools import partial

import numpy as np
import pytest

from evaluation.core.errors import InputError
from evaluation.core.tuning.keeping import load_progress, save_progress
from evaluation.core.tuning.lists import KBestLists, merge, model_scores
from evaluation.core.tuning.loop import LoopOptions, Progress, Round, _share, tune
from evaluation.core.tuning.mert import MertOptions, tune_mert
from evaluation.core.tuning.methods import METHODS
from evaluation.core.tuning.metric import BLEU
from evaluation.core.tuning.result import TuningResult
from tests.evaluation.core.tuning.strategies import random_lists

START = np.array([-0.25, 0.25, 0.25, 0.25])
WORLD = random_lists(12, sentences=30, longest=60)  # all translations that there are


def decode(weights, k=5):
    """The k best translations of each sentence in the world."""
    scores = model_scores(WORLD, weights)
    rows = [
        start + np.argsort(-scores[start:end], kind="stable")[:k]
        for start, end in zip(WORLD.offsets[:-1], WORLD.offsets[1:], strict=True)
    ]
    index = np.concatenate(rows)
    offsets = np.concatenate(([0], np.cumsum(list(map(len, rows)))))
    return KBestLists(offsets, WORLD.features[index], WORLD.statistics[index])


optimise = partial(tune_mert, options=MertOptions(restarts=2))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_raises_the_score_in_the_loop(name):
    method = METHODS[name]
    progress = tune(
        decode, method.tune, START, 1, LoopOptions(interpolation=max(method.interpolation, 0.5))
    )
    assert progress.best.score > progress.rounds[0].score + 5
    assert progress.best.score == max(done.score for done in progress.rounds)
    assert progress.best.score == BLEU.under(WORLD, progress.best.weights)


def test_rounds_tell_what_happened():
    progress = tune(decode, optimise, START, 1)
    decoded = [decode(done.weights) for done in progress.rounds]
    sizes = [len(merge(*decoded[: i + 1]).features) for i in range(len(decoded))]
    assert [done.hypotheses for done in progress.rounds] == sizes
    assert [done.new for done in progress.rounds] == np.diff([0, *sizes]).tolist()
    assert progress.rounds[0].weights.tolist() == START.tolist()
    for i, following in enumerate(progress.rounds[1:]):
        assert progress.rounds[i].forecast == BLEU.under(
            merge(*decoded[: i + 1]), following.weights
        )


def stay(lists, start, rng):
    return TuningResult(start, 0.0, 0.0)


def worse(lists, start, rng):
    return TuningResult(start - np.array([1.0, 0, 0, 0]), 0.0, 0.0)


@pytest.mark.parametrize(
    ("method", "options", "k", "rounds", "why"),
    [
        (stay, LoopOptions(), 5, 1, "the weights stay as they are"),
        (worse, LoopOptions(), 100, 2, "no new translations"),
        (worse, LoopOptions(rounds=10, patience=2), 3, 3, "no better score for 2 rounds"),
        (worse, LoopOptions(rounds=3), 3, 3, "3 rounds done"),
        (worse, LoopOptions(rounds=3, interpolation=0.1), 100, 3, "3 rounds done"),
        (worse, LoopOptions(rounds=1), 3, 1, "1 rounds done"),
    ],
)
def test_it_stops_when_there_is_nothing_to_gain(method, options, k, rounds, why):
    begin = np.array([0.5, 0.1, 0.1, 0.1])
    progress = tune(partial(decode, k=k), method, begin, 1, options)
    assert (len(progress.rounds), progress.stopped) == (rounds, why)
    if method is worse:
        assert progress.best.weights.tolist() == begin.tolist()


def test_after_a_worse_round_it_goes_half_as_far_from_the_best_weights():
    begin, far = np.array([0.5, 0.1, 0.1, 0.1]), np.array([-4.0, 2.0, 1.0, 1.0])
    starts = []

    def method(lists, start, rng):
        starts.append(start)
        return TuningResult(far, 0.0, 0.0)

    progress = tune(partial(decode, k=3), method, begin, 1, LoopOptions(patience=3))
    assert [start.tolist() for start in starts] == [begin.tolist()] * 3
    best = progress.best.score
    assert best == progress.rounds[0].score > max(done.score for done in progress.rounds[1:])
    # Both scaled to absolute values of sum 1, and then as long as the new ones.
    for share, done in zip((1.0, 0.5, 0.25), progress.rounds[1:], strict=True):
        expected = 8 * (share * far / 8 + (1 - share) * begin / 0.8)
        assert done.weights == pytest.approx(expected)


def test_after_a_better_round_it_goes_further_again():
    weights = (START, -START, np.array([-0.2, 0.3, 0.25, 0.25]), START)
    scores = (1.0, 0.5, 2.0, 3.0)
    rounds = tuple(Round(w, s, 1, 1, 0.0) for w, s in zip(weights, scores, strict=True))
    shares = [_share(rounds[:done]) for done in (1, 2, 3, 4)]
    assert shares == [1.0, 0.5, 1.0, 1.0]


def test_a_part_of_the_new_weights_is_taken_as_long_as_they_are():
    """ALGORITHMS E5: long weights, of a sure classifier, count for more than short ones."""
    new = np.array([-0.5, 8.0, 5.0, 5.0])

    def method(lists, start, rng):
        return TuningResult(new, 0.0, 0.0)

    progress = tune(decode, method, START, 1, LoopOptions(rounds=2, interpolation=0.1))
    assert progress.rounds[1].weights == pytest.approx(0.1 * new + 0.9 * START)


class CrashError(Exception):
    pass


def test_what_was_interrupted_ends_as_if_it_had_not_been(tmp_path):
    options = LoopOptions(interpolation=0.25)
    whole = tune(decode, optimise, START, 7, options)
    assert len(whole.rounds) > 3
    path = tmp_path / "progress.npz"

    def keep_and_crash(progress):
        save_progress(path, progress, "mert")
        if len(progress.rounds) == 2:
            raise CrashError

    with pytest.raises(CrashError):
        tune(decode, optimise, START, 7, options, after_round=keep_and_crash)
    resumed = tune(decode, optimise, load_progress(path, "mert"), 7, options)
    assert [done.weights.tolist() for done in resumed.rounds] == [
        done.weights.tolist() for done in whole.rounds
    ]
    assert [done.score for done in resumed.rounds] == [done.score for done in whole.rounds]
    assert resumed.stopped == whole.stopped


def test_a_finished_loop_stays_finished(tmp_path):
    whole = tune(decode, optimise, START, 7)
    save_progress(tmp_path / "p", whole, "")
    again = tune(decode, optimise, load_progress(tmp_path / "p", ""), 7)
    assert len(again.rounds) == len(whole.rounds)


def test_progress_of_another_tuning_is_refused(tmp_path):
    path = tmp_path / "progress.npz"
    save_progress(path, Progress((), START), "mert, seed 1")
    with pytest.raises(InputError, match="of another tuning"):
        load_progress(path, "pro, seed 1")
    path.write_bytes(b"PK nonsense")
    with pytest.raises(InputError, match="no tuning progress"):
        load_progress(path, "mert, seed 1")


def test_options_that_would_not_tune_are_refused():
    for options in ({"rounds": 0}, {"patience": 0}, {"interpolation": 0.0}, {"interpolation": 1.5}):
        with pytest.raises(InputError):
            LoopOptions(**options)
