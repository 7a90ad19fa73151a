"""A study with a known truth: the preference changes sides at a chosen BLEU+1."""

from __future__ import annotations

import numpy as np

from evaluation.core.report.tables import (
    EditRow,
    Facts,
    JudgmentRow,
    ListRow,
    Participant,
    Sentence,
    Tables,
)
from evaluation.core.statistics.simulation import Assumptions, Design, leanings, simulate

CROSSING = 35.0
ASSUMED = Assumptions(first=0.36, second=0.36, agreement=0.55, likeness=0.42)


def tables(
    seed=1, *, sentences=200, slope=0.03, crossing=CROSSING, facts=None, marks=None, edits=True
) -> Tables:
    """Conditions "best" and "diverse"; above ``crossing`` "best" wins, the more the further."""
    rng = np.random.default_rng(seed)
    bleu1 = rng.uniform(5, 75, sentences)
    judged = simulate(
        Design(sentences), leanings(ASSUMED, 3), rng, shift=slope * (bleu1 - crossing)
    )
    names = [f"s{number}" for number in range(sentences)]
    conditions = ("best", "diverse")
    marks = marks or {}
    return Tables(
        facts=facts or Facts("simulated"),
        conditions=conditions,
        covariates={"bleu1": "BLEU+1 of the 1-best", "length": "length of the reference"},
        sentences=tuple(
            Sentence(name, {"bleu1": float(value), "length": float(5 + number % 20)})
            for number, (name, value) in enumerate(zip(names, bleu1, strict=True))
        ),
        judgments=tuple(
            JudgmentRow(
                names[s],
                f"{s}-{i}",
                judged.workers[w],
                conditions[left],
                conditions[right],
                int(outcome),
                seconds=float(seconds),
                marks=frozenset(marks.get(judged.workers[w], ())),
            )
            for s, i, w, left, right, outcome, seconds in zip(
                judged.sentence, judged.item, judged.worker, judged.left, judged.right,
                judged.outcome, rng.lognormal(2.5, 0.5, len(judged)), strict=True,
            )
        ),
        edits=_edits(rng, names, bleu1, conditions, marks) if edits else (),
        lists=_lists(rng, names, bleu1, conditions) if edits else (),
        participants=tuple(
            Participant(
                name,
                exclusion="slept" if "excluded" in own else "",
                flags=("odd",) if "flagged" in own else (),
                simulated="simulated" in own,
            )
            for name, own in marks.items()
        ),
    )  # fmt: skip


def _edits(rng, names, bleu1, conditions, marks):
    rows = []
    for name, score in zip(names, bleu1, strict=True):
        for condition in conditions:
            for draw in range(3):
                words = int(rng.integers(5, 26))
                kept = rng.dirichlet([5, 2, 2])
                rows.append(
                    EditRow(
                        name, condition, f"editor {draw}", words, 6 * words,
                        bleu1=float(np.clip(score + rng.normal(5, 8), 0, 100)),
                        chrf=float(np.clip(score + 20 + rng.normal(0, 8), 0, 100)),
                        changes=float(rng.integers(0, words)),
                        length=float(words),
                        kept_first=float(kept[0]),
                        kept_others=float(kept[1]),
                        seconds=float(rng.lognormal(3.5, 0.6)),
                        keystrokes=float(rng.integers(10, 150)),
                        marks=frozenset(marks.get(f"editor {draw}", ())),
                    )
                )  # fmt: skip
    return tuple(rows)


def _lists(rng, names, bleu1, conditions):
    rows = []
    for name, score in zip(names, bleu1, strict=True):
        for condition in conditions:
            spread = 4 if condition == "best" else 12
            low, high = max(0.0, score - spread), min(100.0, score + spread)
            length = int(rng.integers(6, 25))
            matches = tuple(int((length - n) * score / 100) for n in range(4))
            better = tuple(int((length - n) * high / 100) for n in range(4))
            rest = (*(length - n for n in range(4)), length, length)
            rows.append(
                ListRow(
                    name, condition, 5, float(score), low, high, min(100.0, high + 10),
                    (*matches, *rest), (*better, *rest),
                )
            )  # fmt: skip
    return tuple(rows)
