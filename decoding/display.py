"""How decoded text is shown to people (ALGORITHMS C2). What was decoded is never changed by it.

A study names the options that it wants; the lists browser previews them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Any, Literal

NonAscii = Literal["keep", "transliterate", "drop"]

# What has no decomposition into an ASCII letter and accents.
_TRANSLITERATED = str.maketrans(
    {
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L",
        "ı": "i", "–": "-", "—": "-", "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"',
        "„": '"', "«": '"', "»": '"', "…": "...", "€": "EUR", "£": "GBP", "\u00a0": " ",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Display:
    """What is done to a translation before somebody reads it."""

    detokenize: bool = False  # words and marks as people write them, by Moses' rules
    truecase: bool = False  # a capital at the start of a sentence
    non_ascii: NonAscii = "keep"  # characters that a keyboard may not have
    words: str = ""  # its name in a choice

    def show(self, text: str, language: str = "en") -> str:
        """The text as people shall read it.

        >>> DISPLAYS["transliterated"].show("he ate a croûton .")
        'He ate a crouton.'
        """
        if self.detokenize:
            text = _detokenizer(language)(unescape(text).split())
        if self.truecase:
            text = _capitalized(text)
        if self.non_ascii == "transliterate":
            text = unicodedata.normalize("NFKD", text.translate(_TRANSLITERATED))
        if self.non_ascii != "keep":
            text = " ".join(text.encode("ascii", "ignore").decode().split())
        return text

    @property
    def options(self) -> dict[str, Any]:
        """As a study keeps it; `Display(**options)` is the same again."""
        return {
            "detokenize": self.detokenize,
            "truecase": self.truecase,
            "non_ascii": self.non_ascii,
        }


# The named ones. The paper detokenises, truecases and drops non-ASCII characters.
DISPLAYS: Mapping[str, Display] = {
    "readable": Display(True, True, "keep", "readable: detokenised, with capitals"),
    "transliterated": Display(True, True, "transliterate", "readable, in ASCII letters"),
    "paper": Display(True, True, "drop", "readable, other letters than ASCII dropped"),
}


@lru_cache(maxsize=32)
def _detokenizer(language: str):
    from sacremoses import MosesDetokenizer

    detokenizer = MosesDetokenizer(lang=language.partition("-")[0])
    return lambda words: detokenizer.detokenize(words, unescape=False)


def _capitalized(text: str) -> str:
    """A capital for the first letter, whatever quotation marks stand before it."""
    for place, character in enumerate(text):
        if character.isalnum():
            return text[:place] + character.upper() + text[place + 1 :]
    return text
