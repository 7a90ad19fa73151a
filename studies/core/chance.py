"""Chance that is the same everywhere: on every machine, database and version of any library.

A plan has to be had again years later from its seed, so it does not rest on the sequence of a
library's generator, which may change between versions, but on SHA-256: each choice is an order of
its items by the hash of the seed, the name of the choice and the item's place. A choice depends on
its own name alone; leaving out one sentence does not change what is drawn for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

Item = TypeVar("Item")
Label = str | int


def number(seed: int, *labels: Label) -> int:
    """A number of 256 bits, uniform over the seeds.

    >>> number(1, "pairs", 7) == number(1, "pairs", 7) != number(2, "pairs", 7)
    True
    """
    # The lengths keep ("a", "bc") apart from ("ab", "c").
    text = "".join(f"{len(str(part))}:{part}" for part in (seed, *labels))
    return int.from_bytes(sha256(text.encode()).digest())


def shuffled(items: Iterable[Item], seed: int, *labels: Label) -> list[Item]:
    """All items, in an order that depends on the seed and on the name of the choice.

    >>> sorted(shuffled("abc", 1, "letters"))
    ['a', 'b', 'c']
    """
    numbered = list(enumerate(items))
    numbered.sort(key=lambda place: number(seed, *labels, place[0]))
    return [item for _, item in numbered]


def drawn(items: Sequence[Item], count: int, seed: int, *labels: Label) -> list[Item]:
    """``count`` of the items without replacement, in the order in which they were drawn."""
    return shuffled(items, seed, *labels)[:count]
