"""What a report is made from: the rows of a study, or of judgments collected elsewhere.

Nothing here knows where the rows come from. Whoever fills the tables has scored texts already
(scores.py), so that a report is arithmetic on numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# What may be wrong with an answer; a slice says which of them it leaves out.
SURPLUS, EXCLUDED, FLAGGED, SIMULATED = MARKS = ("surplus", "excluded", "flagged", "simulated")

# Covariates of which more is known than that they are numbers (ALGORITHMS B2).
BLEU1, GUESS = "bleu1", "guess"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A source sentence with what is known of it, by the covariates' names."""

    name: str
    covariates: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ListRow:
    """The figures of one sentence's list under one condition."""

    sentence: str
    condition: str
    size: int
    median: float  # BLEU+1 within the list (ALGORITHMS B5, Figure 1)
    minimum: float
    maximum: float
    coverage: float  # ALGORITHMS B3
    first: tuple[int, ...]  # BLEU's sufficient statistics of the first translation
    oracle: tuple[int, ...]  # the same of the one with the best BLEU+1 (ALGORITHMS B4)


@dataclass(frozen=True, slots=True)
class EditRow:
    """One sentence that a person wrote (ALGORITHMS C4); None is unknown."""

    sentence: str
    condition: str
    worker: str
    words: int
    characters: int
    bleu1: float | None = None  # against the references (ALGORITHMS B2)
    chrf: float | None = None
    changes: float | None = None  # TER's edits to the closest of the shown translations ...
    length: float | None = None  # ... and the words that TER counts in the edit
    kept_first: float | None = None  # share of the words kept from the list's first translation
    kept_others: float | None = None  # from the others that were shown
    seconds: float | None = None
    keystrokes: float | None = None
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One answer of one judge (ALGORITHMS C5)."""

    sentence: str
    pair: str  # the two outputs that were compared, whichever stood left
    worker: str
    left: str  # the condition whose output stood left
    right: str
    outcome: int  # LEFT, SAME or RIGHT of statistics.judgments
    seconds: float | None = None
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Participant:
    """Who answered, under a pseudonym."""

    name: str
    flags: tuple[str, ...] = ()
    exclusion: str = ""  # why; empty if included
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Amendment:
    """What was changed after the plan stood, and why."""

    number: int
    date: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What a paper must say of a study: how it was designed and carried out."""

    title: str
    interim: bool = False  # answers still come in
    design: Mapping[str, str] = field(default_factory=dict)
    checksum: str = ""  # of the plan
    amendments: tuple[Amendment, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)  # of every metric


@dataclass(frozen=True, slots=True)
class Tables:
    """A whole study. Sentences are in the order of the input, the baseline condition is first."""

    facts: Facts
    conditions: tuple[str, ...]
    covariates: Mapping[str, str]  # name: what it is, in words; the first is the usual one
    sentences: tuple[Sentence, ...]
    judgments: tuple[JudgmentRow, ...]
    edits: tuple[EditRow, ...] = ()
    lists: tuple[ListRow, ...] = ()
    participants: tuple[Participant, ...] = ()
    # Names joined by "+" are systems with the same output, shown once: each gets the judgment.
    joined: bool = False
