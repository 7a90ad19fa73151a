from __future__ import annotations

import numpy as np
import pytest
import sacrebleu

from evaluation.core.confidence import PENALTIES, ListClues, clue_table, fit
from evaluation.core.errors import InputError


def study(sentences=200, noise=5.0, seed=0):
    rng = np.random.default_rng(seed)
    clues = np.column_stack([rng.normal(3, 2, (sentences, 3)), np.full(sentences, 7.0)])
    truth = np.clip(
        40 + 8 * clues[:, 0] - 4 * clues[:, 1] + rng.normal(0, noise, sentences), 0, 100
    )
    return ("up", "down", "nothing", "constant"), clues, truth


def test_what_can_be_guessed_is_guessed():
    names, clues, truth = study()
    found = fit(names, clues, truth)
    weight = dict(zip(found.names, found.coefficients, strict=True))
    assert weight["up"] == pytest.approx(8 * clues[:, 0].std(), abs=1.5)
    assert weight["down"] == pytest.approx(-4 * clues[:, 1].std(), abs=1.5)
    assert abs(weight["nothing"]) < 1
    assert weight["constant"] == 0
    assert found.worth.error < 0.4 * found.worth.error_of_mean
    assert found.worth.pearson.low > 0.9
    assert found.worth.same_quartile > 0.6
    assert np.sum(found.worth.quartiles) == 200
    assert np.sum(found.worth.quartiles, axis=0).tolist() == [50] * 4


def test_noise_teaches_nothing():
    names, clues, _ = study()
    truth = np.random.default_rng(1).uniform(0, 100, 200)
    found = fit(names, clues, truth)
    assert found.worth.error > 0.95 * found.worth.error_of_mean
    assert found.worth.pearson.low < 0.1
    assert 0.1 < found.worth.same_quartile < 0.4


def test_no_sentence_teaches_its_own_guess():
    """Another truth for one sentence leaves its own guess as it is."""
    names, clues, truth = study(60)
    other = truth.copy()
    other[7] = 100 - other[7]
    assert fit(names, clues, truth).guessed[7] == fit(names, clues, other).guessed[7]
    assert (fit(names, clues, truth).guessed != fit(names, clues, other).guessed).any()


def test_without_a_penalty_worth_it_the_model_is_least_squares():
    names, clues, truth = study(400, noise=0.001)
    truth = 50 + 2 * clues[:, 0] - clues[:, 1]
    found = fit(names, clues, truth)
    assert found.penalty == min(PENALTIES)
    fitted = np.linalg.lstsq(np.column_stack([clues[:, :3], np.ones(400)]), truth, rcond=None)[0]
    expected = np.column_stack([clues[:, :3], np.ones(400)]) @ fitted
    assert found.guess(clues) == pytest.approx(expected, abs=0.01)


def test_the_seed_decides():
    names, clues, truth = study(60)
    assert (fit(names, clues, truth).guessed == fit(names, clues, truth).guessed).all()
    assert (fit(names, clues, truth).guessed != fit(names, clues, truth, seed=2).guessed).any()


def test_advice():
    names, clues, truth = study()
    found = fit(names, clues, truth)
    advice = found.advise(truth, below=35.0)
    assert (advice.diverse == (found.guessed < 35)).all()
    assert advice.right == np.mean((found.guessed < 35) == (truth < 35))
    assert advice.always_best == np.mean(truth >= 35)
    assert advice.right > advice.always_best


def test_clues_of_lists():
    names, table = clue_table(
        [
            ListClues(["the cat sat", "the cat sat", "a dog"], [-1.0, -1.0, -1.0], {"LM": -6.0}),
            ListClues(["one"], [-3.0], {}),
            ListClues(["far better now", "now better far"], [0.0, -1000.0], {"LM": -3.0}),
        ]
    )
    assert names == ("score per word", "words", "entropy", "spread", "LM per word")
    metric = sacrebleu.BLEU(
        smooth_method="add-k", smooth_value=1, effective_order=False, tokenize="none"
    )
    near = metric.sentence_score("the cat sat", ["the cat sat"]).score
    assert table[0] == pytest.approx([-1 / 3, 3, 1.0, 100 - near / 2, -2.0])
    assert table[1] == pytest.approx([-3.0, 1, 0.0, 0.0, 0.0])
    assert table[2, 2] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda n, c, t: (n, c[:, :2], t), "clues do not belong to"),
        (lambda n, c, t: (n, c[:10], t[:10]), "10 sentences are too few to learn from"),
        (lambda n, c, t: (n, c * np.nan, t), "is no number"),
    ],
)
def test_what_cannot_be_learned_from(change, problem):
    with pytest.raises(InputError, match=problem):
        fit(*change(*study(40)))


def test_an_empty_list_is_refused():
    with pytest.raises(InputError, match="a list is empty"):
        clue_table([ListClues([], [], {})])
