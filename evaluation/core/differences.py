"""What two translations of one sentence share, and what is new in the second."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a sentence; put together in their order, a sentence's spans are its text."""

    text: str
    shared: bool  # stands in the other sentence too
