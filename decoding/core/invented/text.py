"""A corpus of invented news: sentences in Orvish, each with English translations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from decoding.core.invented.english import say_in_english
from decoding.core.invented.meaning import Telling, draw_telling
from decoding.core.invented.orvish import say_in_orvish

# The private-use code of ISO 639 for the first language that has none.
LANGUAGE = "qaa"
LENGTHS = (5, 25)  # words of every English translation
_TRIES = 12  # to say it in other words, before something else is told


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in Orvish, and the same in English in as many ways as were wanted."""

    source: str
    references: tuple[str, ...]


def invent_corpus(seed: int, *, references: int = 2) -> Iterator[Sentence]:
    """Sentences without end, no two with the same source; the same for the same seed.

    Several texts that share no sentence (to train, to tune, to test) are parts of one corpus.
    """
    random = Random(f"corpus {seed}")
    told: set[str] = set()
    while True:
        telling = draw_telling(random)
        source = say_in_orvish(telling)
        if source in told:
            continue
        ways = _ways_to_say(telling, references, random)
        if len(ways) == references:
            told.add(source)
            yield Sentence(source, ways)


def _ways_to_say(telling: Telling, wanted: int, random: Random) -> tuple[str, ...]:
    """Different translations of the lengths that are wanted, or fewer if there are not enough."""
    ways: dict[str, None] = {}
    for _ in range(_TRIES):
        said = say_in_english(telling, random)
        if LENGTHS[0] <= len(said.split()) <= LENGTHS[1]:
            ways[said] = None
        if len(ways) == wanted:
            break
    return tuple(ways)
