"""Text as people send it."""

from __future__ import annotations

import re
import unicodedata

from evaluation.core.errors import InputError

LONGEST_EDIT = 2000
_SPACES = re.compile(r"\s+")
# Controls, lone surrogates and what was never assigned; of the invisible characters only those
# that spelling needs stay (the joiners of Arabic and Indic scripts).
_UNWANTED = {"Cc", "Cs", "Cn", "Co"}
_JOINERS = {"\u200c", "\u200d"}


def clean_edit(text: str) -> str:
    """What a person wrote, as it is kept: one line, no controls, no overrides of direction.

    >>> clean_edit("  two\\n lines\u202e ")
    'two lines'
    """
    kept = "".join(
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace()
        or character in _JOINERS
        or unicodedata.category(character) not in _UNWANTED | {"Cf"}
    )
    clean = _SPACES.sub(" ", kept).strip()
    if len(clean) > LONGEST_EDIT:
        raise InputError(
            # Without the numbers, so that the catalogue of translations can have it.
            "the sentence is too long: 2000 characters are allowed",
            hint="Write one sentence.",
        )
    return clean
