"""Diverse lists: what they cost beside one decode, what cheaper ways lose, and what they gain.

On the Multi30k system and its 2016 test set. "Loss" is of the objective that A3 maximises, summed
over a list and averaged over sentences, in units of the model's score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.harness import Row, seconds
from decoding.core.diversity.grid import GridOptions, grid_lists
from decoding.core.diversity.lattice import diverse_from_graph
from decoding.core.diversity.lists import DiversityOptions, dissimilarity, diverse_list
from decoding.core.search.decoder import Decoder, SearchOptions
from decoding.core.translation.moses import read_moses_system
from evaluation.core.metrics.figures import FigureOptions, bleu_figure, oracle_figure

FULL = SearchOptions()
SMALL = SearchOptions(pop_limit=FULL.pop_limit // 5)
SENTENCES = 100
Entry = tuple[str, float]  # text and model score


def rows(data: Path | None) -> Iterator[Row]:
    """Costs and losses of three ways to make lists of 5 and 20; the grid; the paper's Table 1."""
    if data is None:
        return
    folder = data / "moses-multi30k-deen"
    decoder = Decoder(read_moses_system(folder / "moses.ini"))
    source = (folder / "test_2016_flickr.de").read_text().splitlines()
    reference = (folder / "test_2016_flickr.en").read_text().splitlines()
    yield from costs(decoder, source[:SENTENCES])
    yield grid(decoder, (folder / "val.de").read_text().splitlines()[:20])
    yield from table_1(decoder, source, reference)


def costs(decoder: Decoder, source: list[str]) -> Iterator[Row]:
    """Ways to make diverse lists, as multiples of one decode that keeps its best alone."""

    def one_best() -> None:
        for text in source:
            decoder.search(decoder.collect(text), FULL, keep=False)

    one_best()
    one = seconds(one_best, cpu=True)
    for size, most in ((5, 2.5), (20, 8.0)):
        options = DiversityOptions(size, 4, 0.1)
        best = 0.0
        for name, make in ways(decoder, options).items():
            lists = [make(text) for text in source]
            taken = seconds(lambda make=make: [make(text) for text in source], repeat=1, cpu=True)  # type: ignore[misc]
            value = float(np.mean([objective(entries, options) for entries in lists]))
            best = best or value
            yield Row(
                f"{size} diverse, {name}",
                taken / one,
                "time / time of one decode",
                f"at most {most:g}",
                taken / one <= most,
                {"objective lost": round(best - value, 4), "n": 4, "lambda": 0.1},
            )


def ways(decoder: Decoder, options: DiversityOptions) -> dict[str, Callable[[str], list[Entry]]]:
    """The ways to make a list, the most thorough first."""

    def searched(text: str, later: SearchOptions) -> list[Entry]:
        sentence = decoder.collect(text)
        first = decoder.search(sentence, FULL, keep=False)
        made = diverse_list(decoder, sentence, options, first=first, later=later)
        return [(entry.best.text, entry.best.score) for entry in made]

    def from_graph(text: str) -> list[Entry]:
        made = diverse_from_graph(decoder.search(decoder.collect(text), FULL), options)
        return [(entry.text, entry.score) for entry in made]

    return {
        "each a full search": lambda text: searched(text, FULL),
        "later ones with a fifth of the beam": lambda text: searched(text, SMALL),
        "from the first search's graph": from_graph,
    }


def objective(entries: list[Entry], options: DiversityOptions) -> float:
    """The sum over a list of what A3 maximises for each entry."""
    words = [text.split() for text, _ in entries]
    return sum(
        score
        + sum(
            options.strength_of(j) * dissimilarity(words[j], words[m], options.order)
            for j in range(m)
        )
        for m, (_, score) in enumerate(entries)
    )


def grid(decoder: Decoder, source: list[str]) -> Row:
    """The n x lambda grid against making each of its decodes by itself."""
    options, search = GridOptions(), SearchOptions(pop_limit=200)
    grid_lists(decoder, source[0], options, search)
    taken = seconds(
        lambda: [grid_lists(decoder, text, options, search) for text in source], repeat=1, cpu=True
    )
    one = seconds(
        lambda: [decoder.search(decoder.collect(t), search, keep=False) for t in source], cpu=True
    )
    decodes = len(options.cells) * options.size
    return Row(
        "grid of 8 n x 5 lambda, lists of 5",
        decodes * one / taken,
        f"time of {decodes} decodes / grid's",
        detail={"seconds for 200 sentences, one thread": round(taken * 200 / len(source), 1)},
    )


def table_1(decoder: Decoder, source: list[str], reference: list[str]) -> Iterator[Row]:
    """Oracle BLEU of list types (the paper's Table 1), n and lambda as its oracle tuning chose."""
    search = SearchOptions(pop_limit=200)
    # The best cell of `tune_diversity --objective oracle --size 20` on 400 sentences of val.
    options = DiversityOptions(20, 5, 0.03)
    distinct = replace(options, strength=0.01, distinct=True)
    kinds: dict[str, list[list[str]]] = {
        "unique 20-best": [],
        "20 diverse": [],
        "20 diverse, distinct": [],
        "1000-best": [],
        "20 div x 50 best": [],
    }
    first_best = []
    for text in source:
        sentence = decoder.collect(text)
        graph = decoder.search(sentence, search)
        made = diverse_list(decoder, sentence, options, first=graph, later=search, keep=True)
        other = diverse_list(decoder, sentence, distinct, first=graph, later=search)
        kinds["20 diverse, distinct"].append([entry.best.text for entry in other])
        first_best.append([made[0].best.text])
        kinds["unique 20-best"].append(graph.best_derivations(20, unique=True).texts)
        kinds["20 diverse"].append([entry.best.text for entry in made])
        kinds["1000-best"].append(graph.best_derivations(1000).texts)
        near = chain.from_iterable(e.best_derivations(50, unique=False).texts for e in made)
        kinds["20 div x 50 best"].append(list(near))
    references = [[line] for line in reference]
    baseline = bleu_figure(first_best, references, FigureOptions()).score
    oracle = {
        name: oracle_figure(lists, references, FigureOptions()).score
        for name, lists in kinds.items()
    }
    for diverse, plain in (
        ("20 diverse", "unique 20-best"),
        ("20 diverse, distinct", "unique 20-best"),
        ("20 div x 50 best", "1000-best"),
    ):
        yield Row(
            f"oracle BLEU, {diverse}",
            oracle[diverse] / oracle[plain],
            f"{diverse} / {plain}",
            "above 1",
            oracle[diverse] > oracle[plain],
            {
                diverse: round(oracle[diverse], 2),
                plain: round(oracle[plain], 2),
                "1-best": round(baseline, 2),
            },
        )
