"""Text as people write it, and as a system wants it: prepared before decoding, restored after.

Systems that were trained here keep how their text was prepared; those imported from elsewhere take
and give text as it is. What an external system translated may be written as people write, so it is
cut into words, as the references are, for whatever compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from decoding.core.corpus.words import base_language, segmenter_of
from decoding.models import System
from decoding.storage import fetch_folder

if TYPE_CHECKING:
    from decoding.core.corpus.preparation import Preparation


@dataclass(frozen=True, slots=True)
class SystemTexts:
    """How a system's two sides are treated; None leaves text as it is."""

    source: Preparation | None = None
    target: Preparation | None = None
    words: Preparation | None = None  # cuts translations and references alike, where both are text

    def to_decode(self, text: str) -> str:
        """A segment's source, as the system knows its words."""
        return self.source.prepare(text) if self.source else text

    def to_compare(self, text: str) -> str:
        """A reference, in the words in which the system translates."""
        return self.target.prepare(text) if self.target else self.to_measure(text)

    def to_measure(self, text: str) -> str:
        """A translation, in words that can be found in a reference."""
        return " ".join(self.words.tokenize(text)) if self.words else text

    def to_read(self, text: str) -> str:
        """A translation, as its language is written."""
        return self.target.restore(text) if self.target else text

    @property
    def is_tokenised(self) -> bool:
        """Whether translations to read are words between blanks, as they were decoded."""
        return self.target is None or self.target.options.language is None

    @property
    def is_lower_case(self) -> bool:
        """Whether translations have no capitals, whatever the references have."""
        return self.target is not None and self.target.options.case == "lower"


def texts_of(system: System) -> SystemTexts:
    """How the system's text is treated."""
    if system.is_external:
        return SystemTexts(words=_words_of(base_language(system.target_language)))
    return _stored(system.checksum, system.storage_key)


@lru_cache(maxsize=8)
def _words_of(language: str) -> Preparation:
    """By Moses' rules, which let tokenised text be; by characters where no blanks are written."""
    from decoding.core.corpus.preparation import Preparation, PreparationOptions

    return Preparation(PreparationOptions(language=language, segmenter=segmenter_of(language)))


@lru_cache(maxsize=8)
def _stored(checksum: str, key: str) -> SystemTexts:
    from decoding.core.corpus.preparation import load_preparation

    folder = fetch_folder(checksum, key)
    source, target = (folder / f"preparation.{side}.json" for side in ("source", "target"))
    if not source.exists():
        return SystemTexts()
    return SystemTexts(load_preparation(source), load_preparation(target))
