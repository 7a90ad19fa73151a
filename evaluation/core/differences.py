"""What two translations of one sentence share, and what is new in the second."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a sentence; put together in their order, a sentence's spans are its text.

    The spaces around what is new belong to its shared neighbours, since what is new is underlined.
    """

    text: str
    shared: bool  # stands in the other sentence too
