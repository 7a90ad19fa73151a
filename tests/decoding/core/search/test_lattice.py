import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.search.decoder import EXHAUSTIVE, Decoder
from decoding.core.search.lattice import lattice_of
from tests.decoding.core.search import naive


def paths(lattice):
    """Every path as (feature vector, words), one step after another."""
    done = {0: [(np.zeros(len(lattice.columns)), ())]}
    for node in range(lattice.nodes - 1):
        for edge in np.flatnonzero(lattice.tail == node):
            into = done.setdefault(int(lattice.head[edge]), [])
            for features, words in done.get(node, []):
                text = tuple(lattice.texts[edge].split())
                into.append((features + lattice.features[edge], words + text))
    return done[lattice.nodes - 1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]))
def test_its_paths_are_the_derivations_with_their_features(seed, models):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng, models=models)
    tokens = [str(w) for w in rng.choice(list("uvwxq"), rng.integers(1, 5))]
    decoder = Decoder(toy.system())
    graph = decoder.search(decoder.collect(tokens), EXHAUSTIVE)
    if not graph.found:
        return
    lattice = lattice_of(graph)
    assert np.all(lattice.tail < lattice.head)
    listed = graph.best_derivations(10**5)
    found = sorted(
        ((w, f @ decoder.system.weights) for f, w in paths(lattice)), key=lambda p: -p[1]
    )
    assert [score for _, score in found] == pytest.approx(listed.totals.tolist(), abs=1e-6)
    assert {w for w, _ in found} == {tuple(text.split()) for text in listed.texts}
    features = np.array(sorted(map(tuple, np.round([f for f, _ in paths(lattice)], 4))))
    expected = np.array(sorted(map(tuple, np.round(listed.features, 4))))
    assert features == pytest.approx(expected, abs=2e-4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 3))
def test_pruned_it_keeps_what_is_near_the_best(seed, within):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = [str(w) for w in rng.choice(list("uvwx"), 3)]
    decoder = Decoder(toy.system())
    graph = decoder.search(decoder.collect(tokens), EXHAUSTIVE)
    if not graph.found:
        return
    whole, pruned = lattice_of(graph), lattice_of(graph, within=within)
    near = [f @ decoder.system.weights for f, _ in paths(whole)]
    near = sorted(score for score in near if score >= max(near) - within - 1e-10)
    left = sorted(f @ decoder.system.weights for f, _ in paths(pruned))
    assert left[-len(near) :] == pytest.approx(near, abs=1e-6)
    assert len(pruned.tail) <= len(whole.tail)


def test_as_json():
    toy = naive.random_toy(np.random.default_rng(3))
    decoder = Decoder(toy.system())
    lattice = lattice_of(decoder.search(decoder.collect("u v")))
    record = json.loads(lattice.as_json(7))
    assert record["sentence"] == 7
    assert record["source"] == ["u", "v"]
    assert len(record["edges"]) == len(lattice.tail)
    tail, head, start, end, text, values = record["edges"][0]
    assert 0 <= tail < head < record["nodes"]
    assert 0 <= start <= end < 2
    assert text
    assert len(values) == len(record["columns"]) == decoder.system.weights.size


def test_an_empty_sentence_has_no_edges():
    decoder = Decoder(naive.random_toy(np.random.default_rng(3)).system())
    lattice = lattice_of(decoder.search(decoder.collect("")))
    assert (lattice.nodes, len(lattice.tail)) == (1, 0)
