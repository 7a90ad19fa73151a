"""Attention checks: EVAL tasks whose answer is known, placed by the plan's seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studies.core.chance import drawn, number


def is_due(seed: int, person: str, *, judged: int, checked: int, every: int) -> bool:
    """Whether a person who has judged so much meets a check now.

    One in each block of ``every`` judgments, at a place in it that depends on the seed and the
    person, so that it can neither be foreseen nor told to others. 0 means no checks.
    """
    if every < 1:
        return False
    place = number(seed, "check", person, checked) % every
    return judged >= checked * every + place


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A reference, and two sentences of which one is that reference."""

    reference: str
    texts: tuple[str, str]  # as they are shown: A and B
    right: str  # "a" or "b"


def known_pair(seed: int, person: str, checked: int, references: Sequence[str]) -> KnownPair | None:
    """A check out of references of sentences that are not in the study; None without two."""
    different = sorted(set(references))
    if len(different) < 2:
        return None
    reference, other = drawn(different, 2, seed, "check text", person, checked)
    if number(seed, "check side", person, checked) % 2:
        return KnownPair(reference, (other, reference), "b")
    return KnownPair(reference, (reference, other), "a")
