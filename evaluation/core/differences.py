"""What two translations of one sentence share, and what is new in the second."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a sentence; put together in their order, a sentence's spans are its text.

    The spaces around what is new belong to its shared neighbours, since what is new is underlined.
    """

    text: str
    shared: bool  # stands in the other sentence too


def differences(text: str, other: str) -> list[Span]:
    """What ``text`` shares with ``other``, word by word in the same order, and what is new in it.

    >>> [(span.text, span.shared) for span in differences("a big house", "a house")]
    [('a ', True), ('big', False), (' house', True)]
    """
    pieces = re.findall(r"\s+|\S+", text)
    words = [piece for piece in pieces if not piece.isspace()]
    match = SequenceMatcher(None, words, other.split(), autojunk=False)
    shared = [False] * len(words)
    for block in match.get_matching_blocks():
        shared[block.a : block.a + block.size] = [True] * block.size
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
