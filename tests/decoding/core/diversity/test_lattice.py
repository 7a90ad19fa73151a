from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.diversity.lattice import PenalisedSearch, diverse_from_graph
from decoding.core.diversity.lists import DiversityOptions, diverse_list, penalty_for
from decoding.core.search.decoder import EXHAUSTIVE, Decoder, SearchOptions
from decoding.core.search.guide import Penalty
from evaluation.core.errors import InputError
from tests.decoding.core.search import naive


def some(seed, longest=4):
    rng = np.random.default_rng(seed)
    decoder = Decoder(naive.random_toy(rng).system())
    tokens = [str(word) for word in rng.choice(list("uvwxq"), rng.integers(1, longest + 1))]
    classes = {"a": "d", "b": "d"} if rng.random() < 0.3 else None
    options = DiversityOptions(4, int(rng.integers(1, 4)), float(rng.random()), classes)
    return decoder, decoder.collect(tokens), options


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_on_an_unpruned_graph_it_is_the_full_search(seed):
    decoder, sentence, options = some(seed)
    graph = decoder.search(sentence, EXHAUSTIVE)
    ours = diverse_from_graph(graph, options)
    full = diverse_list(decoder, sentence, options, EXHAUSTIVE)
    assert len(ours) == len(full)
    for one, other in zip(ours, full, strict=True):
        assert one.total == pytest.approx(other.best.total, abs=1e-6)
        if one.text != other.best.text:
            break  # two were equally good, and from here on the penalties differ


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_on_a_pruned_graph_it_is_the_best_of_all_its_derivations(seed):
    decoder, sentence, options = some(seed, longest=5)
    graph = decoder.search(sentence, SearchOptions(pop_limit=3))
    if not graph.found:
        return
    penalty = penalty_for([graph.best().text.split()], options)
    everything = graph.best_derivations(10**5)
    wanted = max(
        score - naive.penalty_of(penalty, text.split())
        for score, text in zip(everything.scores, everything.texts, strict=True)
    )
    backwards = {ngram[::-1]: cost for ngram, cost in penalty.costs.items()}
    found = PenalisedSearch(graph).best(Penalty(backwards, penalty.classes))
    assert found.total == pytest.approx(wanted, abs=1e-6)
    assert found.score - naive.penalty_of(penalty, found.text.split()) == pytest.approx(wanted)


def test_an_empty_sentence_has_its_one_translation():
    decoder, _, options = some(1)
    graph = decoder.search(decoder.collect(""))
    assert [entry.text for entry in diverse_from_graph(graph, options)] == [""] * 4


def test_distinct_entries_need_searches_of_their_own():
    decoder, sentence, options = some(1)
    with pytest.raises(InputError, match="may hold a translation twice"):
        diverse_from_graph(decoder.search(sentence), replace(options, distinct=True))
