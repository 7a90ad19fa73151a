"""What stands before a person's first task: screening questions, and training with known answers.

Both are part of the plan: frozen with it, in its checksum, the same for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from evaluation.core.errors import InputError
from studies.core.assignment import EDITING, EVAL
from studies.core.texts import clean_edit

CHOICES = ("a", "b", "same")
# How long people take: silent reading of English, and the tasks of a training.
_WORDS_A_SECOND = 4
_SECONDS = {EDITING: 25, EVAL: 8}
LONGEST_SECONDS = 120  # of consent, instructions and training each

ASKED, AGAIN, PASSED, FAILED = "asked", "again", "passed", "failed"


@dataclass(frozen=True, slots=True)
class Question:
    """A screening question: whoever gives another answer than those admitted does not take part."""

    text: str
    answers: tuple[str, ...]
    admitted: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a question that nobody could pass, or could fail."""
        for wrong, problem, hint in (
            (not self.text.strip(), "a question has no words", "Write the question."),
            (
                len(set(self.answers)) < max(2, len(self.answers)),
                f"the question {self.text!r} needs two or more different answers",
                "Write one answer a line.",
            ),
            (
                not self.admitted or not set(self.admitted) <= set(self.answers),
                f"the question {self.text!r} admits nobody, or by an answer that it does not offer",
                "Name one or more of its answers, written alike.",
            ),
        ):
            if wrong:
                raise InputError(problem, hint=hint)


@dataclass(frozen=True, slots=True)
class Item:
    """A training task whose good answers are known, with what is said about it afterwards."""

    kind: str
    texts: tuple[str, ...]  # EDITING: imperfect translations; EVAL: A and B
    good: tuple[str, ...]  # EDITING: good sentences; EVAL: one of CHOICES
    reference: str = ""  # EVAL alone
    why: str = ""

    def __post_init__(self) -> None:
        """Refuse an item that cannot be shown or answered."""
        for wrong, problem, hint in (
            (
                self.kind not in (EDITING, EVAL),
                f"there is no training for {self.kind!r}",
                "Choose EDITING or EVAL.",
            ),
            (
                self.kind == EDITING and not (self.texts and self.good),
                "a training item of EDITING has no translations, or no good sentence",
                "Write both, one a line.",
            ),
            (
                self.kind == EVAL and not (len(self.texts) == 2 and self.reference),
                "a training item of EVAL has no reference, or not two sentences",
                "Write the reference, and A and B on a line each.",
            ),
            (
                self.kind == EVAL and (len(self.good) != 1 or self.good[0] not in CHOICES),
                "a training item of EVAL has no right answer",
                "Write a, b or same.",
            ),
        ):
            if wrong:
                raise InputError(problem, hint=hint)

    def is_right(self, answer: str, *, closeness: float) -> bool:
        """Whether an answer is a good one.

        An edit is, when it is close to a good sentence (chrF2, 0..100) and not one of the imperfect
        translations as it stood.
        """
        if self.kind == EVAL:
            return answer == self.good[0]
        text = _plain(answer)
        if not text or text in {_plain(one) for one in self.texts} - {_plain(g) for g in self.good}:
            return False
        # Here, for it takes a while to import and is wanted by few pages.
        from sacrebleu import sentence_chrf

        good = [_plain(one) for one in self.good]
        return float(sentence_chrf(text, good).score) >= closeness


@dataclass(frozen=True, slots=True)
class Entry:
    """All of it. Without questions and items nothing stands before the tasks but instructions."""

    questions: tuple[Question, ...] = ()
    items: tuple[Item, ...] = ()
    pass_mark: int = 0  # right answers that qualify; 0: training only
    attempts: int = 2  # how often the training may be tried
    closeness: float = 60.0  # chrF2 with a good sentence from which an edit is right

    def __post_init__(self) -> None:
        """Refuse what nobody could pass."""
        for wrong, problem, hint in (
            (
                not 0 <= self.pass_mark <= len(self.items),
                f"{self.pass_mark} right answers cannot be given to {len(self.items)} items",
                "Ask for fewer, or add items.",
            ),
            (self.attempts < 1, "nobody may try the training", "Allow one attempt or more."),
            (
                not 0 < self.closeness <= 100,
                "closeness is from 1 to 100",
                "60 accepts another choice of words.",
            ),
        ):
            if wrong:
                raise InputError(problem, hint=hint)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; `entry_from` reads it back. Empty when there is nothing."""
        return asdict(self) if self.questions or self.items else {}


NO_ENTRY = Entry()


def entry_from(saved: dict[str, Any]) -> Entry:
    """The entry that `Entry.as_dict` wrote."""
    if not saved:
        return Entry()
    unknown = set(saved) - set(Entry.__dataclass_fields__)
    if unknown:
        raise InputError(
            f"the screening or training has unknown parts: {', '.join(sorted(unknown))}",
            hint="It was written by a newer version of Variorum; use that one.",
        )

    def lists(part: dict[str, Any]) -> dict[str, Any]:
        return {name: tuple(v) if isinstance(v, list) else v for name, v in part.items()}

    return Entry(
        **saved
        | {
            "questions": tuple(Question(**lists(one)) for one in saved["questions"]),
            "items": tuple(Item(**lists(one)) for one in saved["items"]),
        }
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """Where somebody is in the training."""

    state: str  # ASKED: `number` is next; AGAIN: not passed, one may try once more; PASSED; FAILED
    attempt: int
    number: int = 0  # of the item, from 1
    right: int = 0  # so far, in this attempt


def progress(entry: Entry, given: Iterable[tuple[int, int, bool]]) -> Progress:
    """From the answers so far, each (attempt, number, right)."""
    answers = list(given)
    attempt = max((one for one, _, _ in answers), default=1)
    here = {number: right for one, number, right in answers if one == attempt}
    right = sum(here.values())
    for number in range(1, len(entry.items) + 1):
        if number not in here:
            return Progress(ASKED, attempt, number, right)
    if right >= entry.pass_mark:
        return Progress(PASSED, attempt, right=right)
    return Progress(AGAIN if attempt < entry.attempts else FAILED, attempt, right=right)


def reading_seconds(*texts: str) -> int:
    """How long it takes to read something, roughly."""
    return ceil(sum(len(text.split()) for text in texts) / _WORDS_A_SECOND)


def training_seconds(items: Sequence[Item]) -> int:
    """How long a training takes, roughly: reading and answering each item."""
    return sum(
        _SECONDS[item.kind] + reading_seconds(*item.texts, item.reference, item.why)
        for item in items
    )


def _plain(text: str) -> str:
    """As sentences are compared: without case and the punctuation of its end."""
    return clean_edit(text).casefold().rstrip(".!?؟ ")
