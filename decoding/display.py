"""How decoded text is shown to people (ALGORITHMS C2). What was decoded is never changed by it.

A study names the options that it wants; the lists browser previews them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING, Literal

from decoding.core.corpus.words import base_language

if TYPE_CHECKING:
    from decoding.core.corpus.preparation import Preparation

NonAscii = Literal["drop", "keep", "transliterate"]

# What becomes of characters that a keyboard may not have.
NON_ASCII: Mapping[NonAscii, str] = {
    "drop": "drop them, as the paper did",
    "keep": "keep them",
    "transliterate": "transliterate them into ASCII",
}

_GUILLEMETS = str.maketrans("«»", '""')  # which are not the << and >> that they look like


@dataclass(frozen=True, slots=True)
class Display:
    """What is done to a translation before somebody reads it."""

    detokenize: bool = False  # words and marks as people write them, by Moses' rules
    truecase: bool = False  # a capital at the start of a sentence
    non_ascii: NonAscii = "keep"
    words: str = ""  # its name in a choice

    def show(self, text: str, language: str = "en") -> str:
        """The text as people shall read it.

        >>> DISPLAYS["transliterated"].show("&quot; the Москва café &quot; , he said .")
        '"The Moskva cafe", he said.'
        """
        if self.detokenize:
            text = unescape(text)  # Moses' tokeniser writes &quot; and the like
        # Before words and marks are put together, so that no blank stays before a mark.
        text = _in_ascii(text, self.non_ascii)
        if self.detokenize or self.truecase:
            rules = base_language(language) if self.detokenize else None
            text = _preparation(rules, self.truecase).restore(text)
        return _capitalized(text) if self.truecase else text


# The named ones. The paper detokenises, truecases and drops non-ASCII characters.
DISPLAYS: Mapping[str, Display] = {
    "readable": Display(True, True, "keep", "readable: detokenised, with capitals"),
    "transliterated": Display(True, True, "transliterate", "readable, in ASCII letters"),
    "paper": Display(True, True, "drop", "readable, other letters than ASCII dropped"),
}


def is_lost(text: str, shown: str) -> bool:
    """Whether of a text nothing is shown that somebody could read.

    >>> is_lost("переговоры провалились .", "."), is_lost("talks failed .", "Talks failed.")
    (True, False)
    """
    return any(map(str.isalnum, text)) and not any(map(str.isalnum, shown))


def _in_ascii(text: str, policy: NonAscii) -> str:
    if policy == "transliterate":
        from anyascii import anyascii

        return anyascii(text.translate(_GUILLEMETS))
    if policy == "drop":
        return " ".join(text.encode("ascii", "ignore").decode().split())
    return text


@lru_cache(maxsize=32)
def _preparation(rules: str | None, truecase: bool) -> Preparation:
    """The same by which the playground restores what systems that were trained here translate."""
    from decoding.core.corpus.preparation import Preparation, PreparationOptions

    return Preparation(PreparationOptions(rules, "true" if truecase else "as-is"))


def _capitalized(text: str) -> str:
    """A capital for the first letter, whatever quotation marks stand before it."""
    for place, character in enumerate(text):
        if character.isalnum():
            return text[:place] + character.upper() + text[place + 1 :]
    return text
