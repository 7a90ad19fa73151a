"""What a simulated judge prefers: a model of the answer that the paper found, and nothing more.

Whoever judges leans to the second condition (diverse lists) where the machine did badly and to the
first (the baseline) where it did well, and at one BLEU+1 to neither: the crossover, which the paper
reads off its Figure 2 at about 35 (ALGORITHMS C6). A study that is played by this model shows what
a report looks like and whether an analysis finds what was put in. It says nothing about people.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

Preferred = Literal["first", "second", "same"]


@dataclass(frozen=True, slots=True)
class Leaning:
    """z = slope (crossover - BLEU+1) + s + e; beyond the tie a condition is preferred.

    ``s``, normal, is the sentence's own, so that judgments of one sentence are alike; ``e``,
    normal with variance 1, is the judgment's.
    """

    crossover: float = 48.0  # BLEU+1 of the baseline's 1-best at which nobody leans
    slope: float = 0.03  # for each point of BLEU+1
    sentence: float = 0.35  # standard deviation of s
    tie: float = 0.4  # |z| below it is "the same"

    def of_sentence(self, bleu1: float, random: Random) -> float:
        """How far judges of a sentence lean to the second condition."""
        return self.slope * (self.crossover - bleu1) + random.gauss(0, self.sentence)

    def judge(self, leaning: float, random: Random) -> Preferred:
        """One judgment of a sentence with this leaning."""
        z = leaning + random.gauss(0, 1)
        return "same" if abs(z) < self.tie else "second" if z > 0 else "first"
