"""Diverse lists: each translation is the best one that differs from those before it.

The dissimilarity of order n (ALGORITHMS A2) of a translation and an earlier one is minus the
number of pairs of equal n-grams in them. It enters the search itself as a penalty for each
occurrence of an n-gram (A3), so the list holds translations that no n-best list would reach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decoding.core.search.decoder import Decoder, SearchOptions, SentenceOptions
from decoding.core.search.graph import Derivation, DerivationList, SearchGraph
from decoding.core.search.guide import Penalty
from evaluation.core.errors import InputError


@dataclass(frozen=True, slots=True)
class DiversityOptions:
    """What a diverse list is to be like."""

    size: int = 5  # translations: M
    order: int = 4  # of the n-grams that translations should not share: n
    # What a shared n-gram costs: lambda. One for all, or one for each translation of the list
    # (that of entry j is what n-grams of y^j cost; that of the last is not used).
    strength: float | tuple[float, ...] = 0.1
    classes: Mapping[str, str] | None = None  # word to class, for n-grams of classes
    # No translation twice: each entry is the best one that is not in the list yet. The paper's
    # lists (A3) may repeat a translation, and do where the penalty cannot outweigh the model.
    distinct: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no diverse list."""
        if self.size < 1:
            raise InputError(f"a diverse list of {self.size} translations is none")
        if self.order < 1:
            raise InputError(f"n-grams have 1 word or more, not {self.order}")
        if isinstance(self.strength, tuple) and len(self.strength) < self.size - 1:
            raise InputError(
                f"{len(self.strength)} values of lambda for a list of {self.size}",
                hint="Give one for all, or one for each translation but the last.",
            )
        if not all(0 <= self.strength_of(j) < float("inf") for j in range(self.size - 1)):
            raise InputError("lambda must be a finite number of 0 or more")

    def strength_of(self, j: int) -> float:
        """What an n-gram of entry j (from 0) costs in later ones: lambda_j."""
        return self.strength if isinstance(self.strength, int | float) else self.strength[j]


@dataclass(frozen=True, slots=True)
class Round:
    """One decode of a diverse list: its graph, whose best derivation is the list's entry."""

    graph: SearchGraph
    best: Derivation

    def best_derivations(self, count: int, *, unique: bool = True) -> DerivationList:
        """The round's own n-best list (A5); only ``best`` counts for later rounds."""
        return self.graph.best_derivations(count, unique=unique)


def ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram occurs among the words: c_y(g) of ALGORITHMS A2."""
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def dissimilarity(one: Sequence[str], other: Sequence[str], order: int) -> int:
    """Minus the number of pairs of equal n-grams (ALGORITHMS A2)."""
    counts = ngrams(other, order)
    return -sum(count * counts[ngram] for ngram, count in ngrams(one, order).items())


def penalty_for(earlier: Sequence[Sequence[str]], options: DiversityOptions) -> Penalty:
    """What n-grams cost after the translations ``earlier`` (ALGORITHMS A3)."""
    costs: dict[tuple[str, ...], float] = {}
    for j, words in enumerate(earlier):
        add_costs(costs, words, j, options)
    return Penalty(costs, options.classes)


def add_costs(
    costs: dict[tuple[str, ...], float], words: Sequence[str], j: int, options: DiversityOptions
) -> None:
    """Add to ``costs`` what the n-grams of entry j cost (ALGORITHMS A3).

    A list's costs grow entry by entry, so nothing need be counted again for the next one.
    """
    if options.classes:
        words = [options.classes.get(word, word) for word in words]
    strength = options.strength_of(j)
    for ngram, count in ngrams(words, options.order).items():
        costs[ngram] = costs.get(ngram, 0.0) + strength * count


def diverse_list(
    decoder: Decoder,
    sentence: SentenceOptions,
    options: DiversityOptions,
    search: SearchOptions | None = None,
    *,
    first: SearchGraph | None = None,
    later: SearchOptions | None = None,
    keep: bool = False,
) -> list[Round]:
    """The diverse list of a sentence (ALGORITHMS A3), a search for each entry.

    ``first`` is the graph of a search without penalty, if there is one already. ``later`` says
    how to search the other entries, by default `SearchOptions.narrowed`. ``keep`` keeps
    all derivations of each round, for "M div x N best" (A5).
    """
    if first is None:
        first = decoder.search(sentence, search, keep=keep)
    if not first.found:
        return []
    later = later or (search or SearchOptions()).narrowed()
    rounds = [Round(first, first.best())]
    costs: dict[tuple[str, ...], float] = {}
    while len(rounds) < options.size:
        add_costs(costs, rounds[-1].best.text.split(), len(rounds) - 1, options)
        penalty = Penalty(costs, options.classes)
        graph = decoder.search(sentence, later, penalty=penalty, keep=keep or options.distinct)
        best = _first_new(graph, rounds) if options.distinct else graph.best()
        if best is None:
            break  # the search found nothing else, so the list stays shorter
        rounds.append(Round(graph, best))
    return rounds


def _first_new(graph: SearchGraph, rounds: Sequence[Round]) -> Derivation | None:
    """The best derivation of a graph whose translation is not in the list yet."""
    listed = {made.best.text for made in rounds}
    if (best := graph.best()).text not in listed:
        return best
    others = graph.best_derivations(len(listed) + 1, unique=True)
    return next((made for made in others if made.text not in listed), None)
