"""What a report holds: every figure with its interval, in sections as they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.core.confidence import Worth
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import Facts
from evaluation.core.statistics.agreement import Agreement
from evaluation.core.statistics.crossover import Crossover
from evaluation.core.statistics.effort import Summary
from evaluation.core.statistics.intervals import Interval
from evaluation.core.statistics.preferences import Preference
from evaluation.core.statistics.workers import Worker


@dataclass(frozen=True, slots=True)
class Group:
    """Sentences of similar covariate, such as a quartile (ALGORITHMS B5)."""

    number: int  # from 1, the lowest covariate
    name: str
    sentences: int
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True)
class Grouping:
    """How the sentences were cut."""

    covariate: str
    label: str  # what the covariate is
    groups: tuple[Group, ...]
    cuts: tuple[float | None, ...]
    without: int  # sentences whose covariate is unknown: they are in no group


@dataclass(frozen=True, slots=True)
class Counts:
    """What the report rests on, and what was left out of it."""

    sentences: int
    edits: int
    judgments: int
    judges: int
    surplus: int  # answers of each kind that were left out
    excluded: int
    flagged: int
    simulated: int


@dataclass(frozen=True, slots=True)
class PreferencePart:
    """Who was preferred (ALGORITHMS C6, Figure 2), and where that changes sides."""

    first: str
    second: str
    overall: Preference
    groups: tuple[Preference, ...]  # as the grouping's
    crossover: Crossover | None  # None without a covariate


@dataclass(frozen=True, slots=True)
class Advice:
    """To show diverse lists where the guess is below a point, and what people preferred there."""

    below: float
    crossed: bool  # the point is where this study's preference changes sides, not the paper's 35
    sentences: int  # whose guess is below
    right: float  # share of sentences on whose side guess and truth agree
    always_first: float  # the same for who never shows diverse lists
    under: Preference
    over: Preference


@dataclass(frozen=True, slots=True)
class ConfidencePart:
    """BLEU+1 guessed without a reference, beside the truth (the outlook of the paper's 9.4)."""

    sentences: int
    worth: Worth
    grouping: Grouping  # quartiles by guess
    groups: tuple[Preference, ...]
    advice: Advice


@dataclass(frozen=True, slots=True)
class Standing:
    """One of more than two conditions."""

    condition: str
    win_ratio: Interval  # wins / (wins + losses)
    strength: Interval  # Davidson's; undefined where the conditions are not connected


@dataclass(frozen=True, slots=True)
class ListFigures:
    """Lists of one condition, of one group or of all sentences (Figure 1 and Table 1)."""

    condition: str
    group: int | None
    lists: int
    mean_size: float | None
    median: Interval
    minimum: Interval
    maximum: Interval
    coverage: Interval
    first_bleu: Interval  # corpus BLEU of the first translations
    oracle_bleu: Interval


@dataclass(frozen=True, slots=True)
class EditFigures:
    """Edits of one condition, of one group or of all sentences, against the references."""

    condition: str
    group: int | None
    bleu1: Interval  # means over edits
    chrf: Interval
    hter: Interval  # all changes by all words, in per cent


@dataclass(frozen=True, slots=True)
class EditDifference:
    """Second condition less the first, of one group or of all sentences."""

    group: int | None
    bleu1: Interval
    chrf: Interval
    hter: Interval


@dataclass(frozen=True, slots=True)
class EffortFigures:
    """What edits of one condition took, and what they were made from."""

    condition: str
    seconds: Summary
    keystrokes: Summary
    seconds_per_word: Interval
    keys_per_character: Interval
    kept_first: Interval  # mean share of an edit's words
    kept_others: Interval
    new: Interval


@dataclass(frozen=True, slots=True)
class EffortPart:
    """Effort by condition, and the second's time as a multiple of the first's."""

    conditions: tuple[EffortFigures, ...]
    times_as_long: Interval
    times_the_keys: Interval


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """What one participant did as a judge, and what was found about it."""

    judge: Worker
    edits: int
    flags: tuple[str, ...]
    exclusion: str
    simulated: bool


@dataclass(frozen=True, slots=True)
class QualityPart:
    """How far the answers can be trusted."""

    agreement: Agreement
    participants: tuple[ParticipantRow, ...]
    before: Preference  # all that answered, excluded participants too
    after: Preference  # without the excluded


@dataclass(frozen=True, slots=True)
class Report:
    """All of it. The same tables and slice give the same report, to the last digit."""

    answer: str  # in a sentence or two
    facts: Facts
    cut: Slice  # with its empty parts filled in
    counts: Counts
    marks: tuple[str, ...]  # what must be known of the data: simulated, interim
    grouping: Grouping | None
    preferences: PreferencePart
    standings: tuple[Standing, ...]  # of more than two conditions
    lists: tuple[ListFigures, ...]
    edits: tuple[EditFigures, ...]
    edit_differences: tuple[EditDifference, ...]
    effort: EffortPart | None
    quality: QualityPart
    method: tuple[str, ...]  # paragraphs for a paper
    choices: Mapping[str, tuple[str, ...]]  # what another slice may choose from
    confidence: ConfidencePart | None = None  # None where too little is known to guess
