"""How a study is carried out: what may be set besides its design, and may be amended later."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

from evaluation.core.errors import InputError

# What makes the texts that participants read (ALGORITHMS C2), so it stands as soon as they do.
DISPLAY = ("detokenize", "truecase", "non_ascii")
NonAscii = Literal["drop", "keep", "transliterate"]


@dataclass(frozen=True, slots=True)
class Conduct:
    """Who may do how much, in what time and for what pay. Times are in seconds."""

    editing_seconds: int = 900  # how long an EDITING task is kept for a person who is silent
    eval_seconds: int = 600
    tasks_per_participant: int = 0  # 0: as many as there are
    pairs_per_judge: int = 1  # pairs of a sentence that one person may judge
    most_passes: int = 3  # so many who can make no sense of a task end it
    undo_seconds: int = 60  # how long the last judgment can be taken back
    check_every: int = 0  # judgments from one attention check to the next; 0: no checks
    eval_follows: bool = True  # a sentence is judged when its edits are there, else after all edits
    minutes_per_edit: float = 1.5  # what is expected, for the cost and the time
    minutes_per_judgment: float = 0.5
    pay_per_hour: float = 12.0
    currency: str = "EUR"
    bonus_per_edit: float = 0.0  # beside what the platform pays for taking part
    bonus_per_judgment: float = 0.0
    bonus_per_hour: float = 0.0  # of the time in which the page was used
    detokenize: bool = True  # C2: how lists are prepared for people
    truecase: bool = True
    non_ascii: NonAscii = "drop"

    def __post_init__(self) -> None:
        """Refuse what cannot be carried out."""
        for wrong, problem, hint in (
            (
                min(self.editing_seconds, self.eval_seconds) < 30,
                "nobody can do a task in less than 30 seconds",
                "Allow some minutes.",
            ),
            (
                min(self.tasks_per_participant, self.check_every) < 0,
                "a limit is negative",
                "Write 0 for none.",
            ),
            (
                self.pairs_per_judge < 1 or self.most_passes < 1,
                "nobody could do a task",
                "Allow one or more.",
            ),
            (
                min(self.bonus_per_edit, self.bonus_per_judgment, self.bonus_per_hour) < 0,
                "a bonus cannot be negative",
                "Write 0 for none.",
            ),
            (
                min(self.minutes_per_edit, self.minutes_per_judgment) <= 0 or self.pay_per_hour < 0,
                "time and pay cannot be negative",
                "Write minutes such as 1.5.",
            ),
            (
                self.non_ascii not in get_args(NonAscii),
                f"nothing is known of {self.non_ascii!r} for characters that are not ASCII",
                f"Choose {' or '.join(get_args(NonAscii))}.",
            ),
        ):
            if wrong:
                raise InputError(problem, hint=hint)

    def as_dict(self) -> dict[str, object]:
        """For JSON; `conduct_from` reads it back."""
        return asdict(self)


def conduct_from(saved: dict[str, object]) -> Conduct:
    """The conduct that `Conduct.as_dict` wrote, now or when `ascii_only` was all that it said."""
    saved = dict(saved)
    if "ascii_only" in saved:
        saved["non_ascii"] = "drop" if saved.pop("ascii_only") else "keep"
    unknown = set(saved) - set(Conduct.__dataclass_fields__)
    if unknown:
        raise InputError(
            f"the conduct has unknown parts: {', '.join(sorted(unknown))}",
            hint="It was written by a newer version of Variorum; use that one.",
        )
    return Conduct(**saved)  # type: ignore[arg-type]
