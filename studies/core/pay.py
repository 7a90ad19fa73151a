"""What a participant is paid on top of what the platform pays for taking part."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from studies.core.conduct import Conduct

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Work:
    """All that somebody sent, whether it counts or not."""

    edits: int
    judgments: int
    seconds: float  # in which the page was used


def bonus(work: Work, conduct: Conduct) -> Decimal:
    """By the rules of the study, to the cent.

    >>> bonus(Work(3, 2, 1800), Conduct(bonus_per_edit=0.1, bonus_per_hour=2))
    Decimal('1.30')
    """
    # By way of str: 0.1 is meant as it is written.
    amount = (
        work.edits * Decimal(str(conduct.bonus_per_edit))
        + work.judgments * Decimal(str(conduct.bonus_per_judgment))
        + Decimal(str(work.seconds)) / 3600 * Decimal(str(conduct.bonus_per_hour))
    )
    return amount.quantize(CENT, ROUND_HALF_UP)
