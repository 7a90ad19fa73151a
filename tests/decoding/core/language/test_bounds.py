import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.formats.arpa import load_arpa
from decoding.core.language import automaton as kernels
from decoding.core.language.bounds import best_phrase_score, best_score, bound
from decoding.core.language.model import LanguageModel
from tests.decoding.core.language.naive import NaiveModel, random_model


def all_histories(words, longest):
    for length in range(longest + 1):
        yield from itertools.product(words, repeat=length)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.1, 0.5]), st.booleans())
def test_no_context_scores_better(seed, order, density, closed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, words=1, order=order, density=density, closed=closed)
    lm, naive = LanguageModel.build(model), NaiveModel(model)
    bounds = bound(lm.automaton)
    words = range(len(model.vocabulary))
    best = {}  # the best score of a word after all histories that end in a state's words
    for history in all_histories(words, order):
        states = {}
        for start in range(len(history) + 1):
            state = kernels.EMPTY
            for word in history[start:]:
                state = kernels.advance(lm.automaton, state, word)[1]
            states[state] = start
        for word in words:
            score = naive.score(history, word)[0]
            for state in states:
                best[state, word] = max(best.get((state, word), -np.inf), score)
    tight = bounds.closed[0] and (lm.automaton.states["backoff"] <= 0).all()
    for (state, word), score in best.items():
        got = best_score(lm.automaton, bounds, state, word)
        assert got >= score - 1e-5
        if tight:
            assert got == pytest.approx(score, abs=1e-5)


def test_bounds_of_a_real_model_hold_on_real_text(reference_data):
    lm = load_arpa(reference_data("moses-multi30k-deen/lm.en.5gram.arpa.gz"))
    bounds = bound(lm.automaton)
    assert bounds.closed[0]
    ids, offsets = lm.vocabulary.encode(reference_data("moses-multi30k-deen/val.en").read_bytes())
    states, scores = np.empty(5, np.int32), np.empty(5)
    for start, stop in itertools.pairwise(offsets[:200]):
        sentence = ids[start:stop]
        state = lm.begin
        for i in range(len(sentence) - 4):
            phrase = sentence[i : i + 4]
            kernels.trace_phrase(lm.automaton, phrase, states, scores)
            limit = best_phrase_score(lm.automaton, bounds, phrase, states)
            got, after = 0.0, state
            for word in phrase:
                score, after = kernels.advance(lm.automaton, after, word)
                got += score
            assert got <= limit + 1e-5
            assert scores[4] <= limit + 1e-5
            _, state = kernels.advance(lm.automaton, state, sentence[i])
