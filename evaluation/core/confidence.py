"""Confidence estimation: how well the machine did, guessed without a reference (the paper's 9.4).

A ridge regression from what is known of a list to BLEU+1 of its first translation. Where the
guess is low, people are better served by diverse translations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import sentence_bleu1, sentence_statistics
from evaluation.core.metrics.references import index_references
from evaluation.core.metrics.words import Vocabulary
from evaluation.core.statistics.correlations import pearson, spearman
from evaluation.core.statistics.intervals import Bootstrap, Interval
from evaluation.core.statistics.judgments import BoolArray, FloatArray, IntArray
from evaluation.core.statistics.quartiles import quartiles

PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
_FOLDS = 10
FEWEST = 2 * _FOLDS  # sentences to learn from


@dataclass(frozen=True, slots=True)
class ListClues:
    """What is known of one list without a reference; the best translation is the first."""

    texts: Sequence[str]
    scores: Sequence[float]  # the model's
    features: Mapping[str, float]  # of the first translation, such as its language model score


@dataclass(frozen=True, slots=True)
class Advice:
    """For which sentences to show diverse lists, and how good that advice would have been."""

    below: float  # BLEU+1 at which preference changes sides
    diverse: BoolArray  # (S,) the guess is below
    right: float  # share of sentences on whose side guess and truth agree
    always_best: float  # the same for who never shows diverse lists


@dataclass(frozen=True, slots=True)
class Worth:
    """How good guesses are, beside the truth."""

    error: float  # mean absolute error, in points
    error_of_mean: float  # the same for who always guesses the mean
    pearson: Interval
    spearman: Interval
    quartiles: tuple[tuple[int, ...], ...]  # (4, 4) sentences: quartile by truth, by guess

    @property
    def same_quartile(self) -> float:
        """The share of sentences whose quartile was guessed; 0.25 is chance."""
        return float(np.trace(self.quartiles) / np.sum(self.quartiles))


@dataclass(frozen=True, slots=True)
class Confidence:
    """A fitted model, and how it does on sentences that it was not fitted to."""

    names: tuple[str, ...]
    coefficients: tuple[float, ...]  # points of BLEU+1 a standard deviation of the clue
    intercept: float
    penalty: float  # of the ridge, chosen by cross-validation
    means: tuple[float, ...]  # by which clues are standardised
    deviations: tuple[float, ...]
    guessed: FloatArray  # (S,) each sentence by a model that has not seen it
    worth: Worth  # of those guesses
    seed: int

    def guess(self, clues: FloatArray) -> FloatArray:
        """BLEU+1 of new sentences from their clues (S, D), 0 to 100."""
        standard = (clues - np.array(self.means)) / np.array(self.deviations)
        return np.asarray(
            np.clip(standard @ np.array(self.coefficients) + self.intercept, 0.0, 100.0)
        )

    def advise(self, truth: FloatArray, below: float = 35.0) -> Advice:
        """Diverse lists where the guess is low; 35 is what the paper reads off its chart."""
        diverse = self.guessed < below
        low = truth < below
        return Advice(below, diverse, float((diverse == low).mean()), float((~low).mean()))


def clue_table(lists: Sequence[ListClues]) -> tuple[tuple[str, ...], FloatArray]:
    """The clues of each list (S, D): score and features per word, length, entropy, spread."""
    if not lists or not all(one.texts for one in lists):
        raise InputError("a list is empty", hint="Give each sentence a translation or more.")
    own = list(dict.fromkeys(name for one in lists for name in one.features))
    names = ("score per word", "words", "entropy", "spread", *(f"{name} per word" for name in own))
    spread = _spread([one.texts for one in lists])
    rows = []
    for one, apart in zip(lists, spread, strict=True):
        words = max(1, len(one.texts[0].split()))
        scores = np.asarray(one.scores, dtype=np.float64)
        features = (one.features.get(name, 0.0) / words for name in own)
        rows.append([scores[0] / words, words, _entropy(scores), apart, *features])
    return names, np.array(rows, dtype=np.float64)


def fit(names: Sequence[str], clues: FloatArray, truth: FloatArray, *, seed: int = 1) -> Confidence:
    """Fit BLEU+1 (S,) from clues (S, D); every guess is by a model that has not seen the sentence.

    The penalty is chosen within the training part of each fold, so the error is an honest one.
    """
    S = len(truth)
    if clues.shape != (S, len(names)):
        raise InputError(
            f"{clues.shape} clues do not belong to {S} sentences and {len(names)} names",
            hint="Give every sentence each clue.",
        )
    if S < FEWEST:
        raise InputError(f"{S} sentences are too few to learn from", hint=f"Give {FEWEST} or more.")
    if not (np.isfinite(clues).all() and np.isfinite(truth).all()):
        raise InputError("a clue or a score is no number", hint="Leave that sentence out.")
    rng = np.random.default_rng(seed)
    fold = rng.permutation(np.arange(S) % _FOLDS)
    guessed = np.empty(S)
    for held in range(_FOLDS):
        out = fold == held
        inner = rng.permutation(np.arange((~out).sum()) % _FOLDS)
        penalty = _best_penalty(clues[~out], truth[~out], inner)
        guessed[out] = _guess(_ridge(clues[~out], truth[~out], penalty), clues[out])
    penalty = _best_penalty(clues, truth, fold)
    means, deviations, coefficients, intercept = _ridge(clues, truth, penalty)
    return Confidence(
        names=tuple(names),
        coefficients=tuple(coefficients.tolist()),
        intercept=intercept,
        penalty=penalty,
        means=tuple(means.tolist()),
        deviations=tuple(deviations.tolist()),
        guessed=guessed,
        worth=worth_of(guessed, truth, Bootstrap(seed)),
        seed=seed,
    )


def worth_of(guessed: FloatArray, truth: FloatArray, bootstrap: Bootstrap) -> Worth:
    """How good guesses (S,) of BLEU+1 (S,) are: errors, correlations, quartiles (B5)."""
    counts = np.bincount(quartiles(truth).group * 4 + quartiles(guessed).group, minlength=16)
    return Worth(
        error=float(np.abs(guessed - truth).mean()),
        error_of_mean=float(np.abs(truth - truth.mean()).mean()),
        pearson=pearson(guessed, truth, bootstrap),
        spearman=spearman(guessed, truth, bootstrap),
        quartiles=tuple(tuple(row) for row in counts.reshape(4, 4).tolist()),
    )


def flat_features(features: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Features of several values as several features, in the order of their names."""
    return {
        name if len(values) == 1 else f"{name} {place}": value
        for name, values in sorted(features.items())
        for place, value in enumerate(values, start=1)
    }


_Model = tuple[FloatArray, FloatArray, FloatArray, float]


def _ridge(clues: FloatArray, truth: FloatArray, penalty: float) -> _Model:
    """Means, deviations, coefficients and intercept; a clue that never varies gets no weight."""
    means, deviations = clues.mean(axis=0), clues.std(axis=0)
    deviations = np.where(deviations > 1e-12, deviations, 1.0)
    standard = (clues - means) / deviations
    intercept = float(truth.mean())
    gram = standard.T @ standard + penalty * np.eye(clues.shape[1])
    coefficients = np.linalg.solve(gram, standard.T @ (truth - intercept))
    return means, deviations, coefficients, intercept


def _guess(model: _Model, clues: FloatArray) -> FloatArray:
    means, deviations, coefficients, intercept = model
    return np.clip((clues - means) / deviations @ coefficients + intercept, 0.0, 100.0)


def _best_penalty(clues: FloatArray, truth: FloatArray, fold: IntArray) -> float:
    """The penalty with the least squared error over the folds; the larger of equals."""

    def error(penalty: float) -> float:
        squares = 0.0
        for held in range(_FOLDS):
            out = fold == held
            if out.any():
                model = _ridge(clues[~out], truth[~out], penalty)
                squares += float(((_guess(model, clues[out]) - truth[out]) ** 2).sum())
        return squares

    return min(reversed(PENALTIES), key=error)


def _entropy(scores: FloatArray) -> float:
    """Of the model's probabilities over the list, from 0 (sure) to 1 (all alike)."""
    if len(scores) < 2:
        return 0.0
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    known = chances[chances > 0]
    return float(-(known * np.log(known)).sum() / np.log(len(scores)))


def _spread(texts: Sequence[Sequence[str]]) -> FloatArray:
    """How far the others are from the first: 100 less their mean BLEU+1 against it."""
    found = np.zeros(len(texts))
    usable = [n for n, own in enumerate(texts) if len(own) > 1 and own[0].split()]
    if not usable:
        return found
    vocabulary = Vocabulary()
    firsts = index_references(vocabulary.encode_lists([[texts[n][0]] for n in usable]))
    others = vocabulary.encode_lists([list(texts[n][1:]) for n in usable])
    scores = sentence_bleu1(sentence_statistics(others, firsts))
    sizes = np.diff(others.offsets)
    found[usable] = 100.0 - np.add.reduceat(scores, others.offsets[:-1]) / sizes
    return found
