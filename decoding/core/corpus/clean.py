"""Which sentence pairs are fit for training."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from evaluation.core.errors import InputError

LONGEST_SENTENCE = 1000  # what can be decoded, too


@dataclass(frozen=True, slots=True)
class CleaningOptions:
    """The limits of Moses's clean-corpus-n, with its defaults."""

    longest: int = 80  # words on either side
    ratio: float = 9.0  # of the longer side's words to the shorter's

    def __post_init__(self) -> None:
        """Alignment holds a sentence pair's words times words in memory."""
        if self.longest > LONGEST_SENTENCE:
            raise InputError(
                f"sentences of {self.longest} words were allowed",
                hint=f"The most is {LONGEST_SENTENCE}; split longer ones.",
            )


@dataclass(slots=True)
class CleaningReport:
    """What became of the pairs."""

    read: int = 0
    kept: int = 0
    empty: int = 0
    too_long: int = 0
    unlike: int = 0  # the lengths' ratio is too large

    def as_dict(self) -> dict[str, int]:
        """For the training report."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Drops pairs that cannot be aligned or would only mislead, and counts them."""

    options: CleaningOptions = field(default_factory=CleaningOptions)
    report: CleaningReport = field(default_factory=CleaningReport)

    def keeps(self, source: list[str], target: list[str]) -> bool:
        """Whether a pair of tokenised sentences is kept."""
        report, options = self.report, self.options
        report.read += 1
        if not source or not target:
            report.empty += 1
        elif max(len(source), len(target)) > options.longest:
            report.too_long += 1
        elif max(len(source), len(target)) > options.ratio * min(len(source), len(target)):
            report.unlike += 1
        else:
            report.kept += 1
            return True
        return False
