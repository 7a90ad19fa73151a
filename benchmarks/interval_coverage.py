"""Do the intervals hold, and how often does the test cry wolf? Rates over simulated studies.

Judgments are clustered in sentences, in pairs of outputs and in outputs that pairs share
(`evaluation.core.statistics.simulation`), so the truth is known exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.harness import Row
from evaluation.core.statistics.agreement import (
    fleiss_kappa,
    item_counts,
    krippendorff_alpha,
    strict_agreement,
)
from evaluation.core.statistics.correlations import pearson, spearman
from evaluation.core.statistics.crossover import crossover
from evaluation.core.statistics.intervals import Bootstrap, Interval, median_interval
from evaluation.core.statistics.judgments import Judgments, tally
from evaluation.core.statistics.preferences import holm, preferences, sign_flip
from evaluation.core.statistics.rankings import ranking
from evaluation.core.statistics.simulation import Assumptions, Design, leanings, simulate

STUDIES = 2_000
NULL_STUDIES = 10_000  # a false-alarm rate of 5 % is then known to 0.4 points
OPTIONS = Bootstrap(seed=0, samples=2_000)

PAPER = Assumptions(first=0.40, second=0.35, agreement=0.55, likeness=0.42)
RARE = Assumptions(first=0.15, second=0.30, agreement=0.65, likeness=0.55)
NULL = replace(PAPER, first=0.375, second=0.375)

Covered = dict[str, tuple[float, Interval]]  # figure -> truth, interval


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of study, and what is estimated from it."""

    name: str
    figures: Callable[[np.random.Generator, Bootstrap], Covered]
    aimed: bool = True  # False: shown as a warning, not promised


def rows(data: Path | None) -> Iterator[Row]:
    """Coverage of every kind of interval, then false alarms."""
    for scenario in SCENARIOS:
        yield from _coverage(scenario)
    yield from _false_alarms()


def _coverage(scenario: Scenario) -> Iterator[Row]:
    rng = np.random.default_rng(2024)
    held: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for study in range(STUDIES):
        options = replace(OPTIONS, seed=study)
        for figure, (truth, found) in scenario.figures(rng, options).items():
            if found.estimate is not None:
                low = -np.inf if found.low is None else found.low
                high = np.inf if found.high is None else found.high
                defined[figure] += 1
                held[figure] += bool(low <= truth <= high)
    for figure, studies in defined.items():
        rate = float(held[figure] / studies)
        yield Row(
            name=f"{scenario.name}: {figure}",
            ratio=100 * rate,
            against="% of 95% intervals hold the truth",
            aim="93 to 97" if scenario.aimed else "",
            met=0.93 <= rate <= 0.97 if scenario.aimed else None,
            detail={"studies": studies, "undefined": STUDIES - studies},
        )


def _false_alarms() -> Iterator[Row]:
    taste = replace(NULL, taste=0.05)
    two_way = replace(OPTIONS, samples=100, resample="sentences and workers")
    for name, design, assumptions, options, aimed in (
        ("paper's design", Design(), NULL, OPTIONS, True),
        ("a quartile", Design(50), NULL, OPTIONS, True),
        ("20 sentences, 2 draws, 2 judges", Design(20, 2, 2), NULL, OPTIONS, True),
        ("taste, sentences flipped", Design(), taste, OPTIONS, False),
        ("taste, two-way test", Design(), taste, two_way, True),
        ("no taste, two-way test", Design(), NULL, two_way, True),
    ):
        rng = np.random.default_rng(7)
        parameters = leanings(assumptions, design.draws)
        values = np.array(
            [_p(simulate(design, parameters, rng), options) for _ in range(NULL_STUDIES)]
        )
        yield _alarms(name, float((values <= 0.05).mean()), NULL_STUDIES, aimed)
        if name == "a quartile":
            fours = values.reshape(-1, 4)
            least = [min(p for p in holm(four.tolist()) if p is not None) for four in fours]
            rate = float((np.array(least) <= 0.05).mean())
            yield _alarms("any of four quartiles, Holm", rate, len(fours), True)


def _alarms(name: str, rate: float, studies: int, aimed: bool) -> Row:
    return Row(
        name=f"false alarms, {name}",
        ratio=100 * rate,
        against="% of studies without a difference, at 5 %",
        aim="4 to 6" if aimed else "",
        met=0.04 <= rate <= 0.06 if aimed else None,
        detail={"studies": studies},
    )


def _p(study: Judgments, options: Bootstrap) -> float:
    """What `preferences` would say, without the intervals when they are not needed for it."""
    if options.resample == "sentences and workers":
        p = preferences(study, options).overall.p
        assert p is not None
        return p
    counts = tally(study)
    return sign_flip(counts[:, 0] - counts[:, 2])


def _preferences(
    design: Design, assumptions: Assumptions, *, missing: float = 0.0, workers: int = 50
) -> Callable[[np.random.Generator, Bootstrap], Covered]:
    parameters = leanings(assumptions, design.draws)

    def figures(rng: np.random.Generator, options: Bootstrap) -> Covered:
        study = simulate(design, parameters, rng, workers=workers)
        if missing:  # whole sentences go missing in part: some get few judgments, some all
            keep = rng.random(study.sentences) * 2 * (1 - missing)
            study = study.where(rng.random(len(study)) < keep[study.sentence])
        found = preferences(study, options).overall
        return {
            "share of the first": (assumptions.first, found.first),
            "share of same": (assumptions.same, found.same),
            "difference": (assumptions.first - assumptions.second, found.difference),
        }

    return figures


def _two_way(
    design: Design, assumptions: Assumptions, workers: int
) -> Callable[[np.random.Generator, Bootstrap], Covered]:
    figures = _preferences(design, assumptions, workers=workers)
    return lambda rng, options: figures(rng, replace(options, resample="sentences and workers"))


def _percentile(
    design: Design, assumptions: Assumptions
) -> Callable[[np.random.Generator, Bootstrap], Covered]:
    figures = _preferences(design, assumptions)
    return lambda rng, options: figures(rng, replace(options, kind="percentile"))


def _crossover(rng: np.random.Generator, options: Bootstrap) -> Covered:
    """Sentences whose preference changes sides at a BLEU+1 of 35, like the paper's."""
    design = Design()
    parameters = leanings(NULL, design.draws)
    bleu = rng.gamma(4, 9, design.sentences)
    study = simulate(design, parameters, rng, shift=0.03 * (bleu - 35))
    found = crossover(tally(study), bleu, replace(options, samples=1000))
    return {"logistic": (35.0, found.logistic.at), "local": (35.0, found.local.at)}


def _agreement(rng: np.random.Generator, options: Bootstrap) -> Covered:
    design = Design(50)
    study = simulate(design, leanings(PAPER, design.draws), rng)
    counts, sentence = item_counts(study)
    alpha = (PAPER.agreement - PAPER.chance_agreement) / (1 - PAPER.chance_agreement)
    chance = PAPER.same**2 + (1 - PAPER.same) ** 2 / 2
    strict = strict_agreement(study, options)
    return {
        "raw": (PAPER.agreement, strict.observed),
        "WMT kappa, strict": ((PAPER.agreement - chance) / (1 - chance), strict.kappa),
        "Fleiss' kappa": (alpha, fleiss_kappa(counts, options, sentence=sentence)),
        "Krippendorff's alpha": (alpha, krippendorff_alpha(counts, options, sentence=sentence)),
    }


def _davidson(rng: np.random.Generator, options: Bootstrap) -> Covered:
    """Of two conditions, so that the model is saturated and the truth known."""
    design = Design(50)
    found = ranking(simulate(design, leanings(PAPER, design.draws), rng))
    tie = PAPER.same / np.sqrt(PAPER.first * PAPER.second)
    return {
        "difference of strengths": (np.log(PAPER.first / PAPER.second), found.difference(0, 1)),
        "propensity to tie": (tie, found.tie),
    }


def _effort(rng: np.random.Generator, options: Bootstrap) -> Covered:
    """Three edits of each of 50 sentences; half of the variance is the sentence's."""
    sentence = np.repeat(np.arange(50), 3)
    r = 0.5

    def normal() -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
        both = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], size=50)[sentence]
        both += rng.multivariate_normal([0, 0], [[1, r], [r, 1]], size=150)
        return both[:, 0], both[:, 1]

    x, y = normal()
    return {
        "Pearson's r": (r, pearson(x, y, options, sentence=sentence)),
        "Spearman's rho": (
            6 / np.pi * np.arcsin(r / 2),
            spearman(x, y, options, sentence=sentence),
        ),
        "median of times": (1.0, median_interval(np.exp(x), sentence, options)),
    }


SCENARIOS = (
    Scenario("paper's design", _preferences(Design(), PAPER)),
    Scenario("a quartile", _preferences(Design(50), PAPER)),
    Scenario("a quartile, rarely preferred", _preferences(Design(50), RARE)),
    Scenario("20 sentences, 2 draws, 2 judges", _preferences(Design(20, 2, 2), PAPER)),
    Scenario(
        "percentile for comparison, 20 sentences", _percentile(Design(20, 2, 2), PAPER), False
    ),
    Scenario("40 % missing, unevenly", _preferences(Design(), PAPER, missing=0.4)),
    Scenario("sentences and workers drawn, no taste", _two_way(Design(), PAPER, 30)),
    Scenario(
        "sentences and workers drawn, taste", _two_way(Design(), replace(PAPER, taste=0.05), 30)
    ),
    Scenario(
        "only sentences drawn, taste",
        _preferences(Design(), replace(PAPER, taste=0.05), workers=30),
        False,
    ),
    Scenario("crossover", _crossover),
    Scenario("agreement in a quartile", _agreement),
    Scenario("Davidson's model", _davidson),
    Scenario("effort", _effort),
)
