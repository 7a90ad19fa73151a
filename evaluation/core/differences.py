"""What two translations of one sentence share, and what is new in the second."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

# Words of the longer text up to which all is compared: the time grows with their square at least,
# and whoever reads longer ones does not read them word by word.
MOST_WORDS = 300


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a sentence; put together in their order, a sentence's spans are its text.

    The spaces around what is new belong to its shared neighbours, since what is new is underlined.
    """

    text: str
    shared: bool  # stands in the other sentence too


def differences(text: str, other: str) -> list[Span]:
    """What ``text`` shares with ``other``, word by word in the same order, and what is new in it.

    Of texts longer than `MOST_WORDS` only what they have in common at both ends is shared.

    >>> [(span.text, span.shared) for span in differences("a big house", "a house")]
    [('a ', True), ('big', False), (' house', True)]
    """
    pieces = re.findall(r"\s+|\S+", text)
    words = [piece for piece in pieces if not piece.isspace()]
    shared = _shared(words, other.split())
    spans: list[Span] = []
    at = 0  # which word comes next
    for piece in pieces:
        if piece.isspace():
            # Between two new words a space is new as well; elsewhere it goes with what is shared.
            known = not (0 < at < len(words) and not shared[at - 1] and not shared[at])
        else:
            known = shared[at]
            at += 1
        if spans and spans[-1].shared == known:
            spans[-1] = Span(spans[-1].text + piece, known)
        else:
            spans.append(Span(piece, known))
    return spans


def _shared(words: Sequence[str], others: Sequence[str]) -> list[bool]:
    """Which of the words the others have too, in the same order."""
    if max(len(words), len(others)) > MOST_WORDS:
        before = _alike(words, others)
        after = _alike(words[before:][::-1], others[before:][::-1])
        return [place < before or place >= len(words) - after for place in range(len(words))]
    shared = [False] * len(words)
    match = SequenceMatcher(None, words, others, autojunk=False)
    for block in match.get_matching_blocks():
        shared[block.a : block.a + block.size] = [True] * block.size
    return shared


def _alike(words: Sequence[str], others: Sequence[str]) -> int:
    """With how many of the same words both begin."""
    pairs = zip(words, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
