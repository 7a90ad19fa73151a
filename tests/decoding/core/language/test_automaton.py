import kenlm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.formats.arpa import load_arpa, write_arpa
from decoding.core.language import automaton as kernels
from decoding.core.language.model import LanguageModel
from decoding.core.language.ngrams import BackoffModel, NGrams
from decoding.core.language.vocabulary import BEGIN, END
from evaluation.core.errors import InputError
from tests.decoding.core.language.naive import NaiveModel, random_model

models = st.builds(
    lambda seed, words, order, density, closed: random_model(
        np.random.default_rng(seed), words=words, order=order, density=density, closed=closed
    ),
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([0.02, 0.2, 0.7]),
    st.booleans(),
)
sentences = st.lists(st.sampled_from([0, 3, 4, 5, 6]), max_size=12)


def known_ids(model, sentence):
    return [w if w < len(model.vocabulary) else 0 for w in sentence]


@settings(max_examples=150)
@given(models, sentences)
def test_scores_and_lengths_are_those_of_the_dictionaries(model, sentence):
    lm, naive = LanguageModel.build(model), NaiveModel(model)
    history, state = [BEGIN], lm.begin
    for word in [*known_ids(model, sentence), END]:
        expected, length = naive.score(history, word)
        matched = kernels.matched_length(lm.automaton, state, word)
        assert matched == length or (matched > length and not is_closed(model))
        score, state = kernels.advance(lm.automaton, state, word)
        assert score == pytest.approx(expected, abs=1e-5)
        history.append(word)


@settings(max_examples=100)
@given(models, sentences, sentences)
def test_a_state_is_the_longest_suffix_that_can_matter(model, left, right):
    """Two histories have one state exactly when their longest suffix that can matter is one."""
    lm, naive = LanguageModel.build(model), NaiveModel(model)
    contexts = {ngram[:i] for ngram in naive.probability for i in range(1, len(ngram))}

    def longest(history):
        suffixes = (tuple(history[i:]) for i in range(len(history)))
        return next((s for s in suffixes if s in contexts or naive.backoff.get(s)), ())

    def state_of(history):
        state = kernels.EMPTY
        for word in history:
            state = kernels.advance(lm.automaton, state, word)[1]
        return state

    left, right = known_ids(model, left), known_ids(model, right)
    assert (state_of(left) == state_of(right)) == (longest(left) == longest(right))
    assert lm.automaton.lengths[state_of(left)] == len(longest(left))


@settings(max_examples=100)
@given(models, sentences, sentences)
def test_a_phrase_by_itself_tells_the_rest_once_the_states_agree(model, before, phrase):
    lm = LanguageModel.build(model)
    phrase = np.array(known_ids(model, phrase), np.int32)
    states, scores = np.empty(len(phrase) + 1, np.int32), np.empty(len(phrase) + 1)
    kernels.trace_phrase(lm.automaton, phrase, states, scores)
    assert scores[-1] == pytest.approx(
        kernels.score_sentence(lm.automaton, phrase, False, False), abs=1e-6
    )
    state = lm.begin
    for word in known_ids(model, before):
        state = kernels.advance(lm.automaton, state, word)[1]
    total, known = 0.0, None
    for i, word in enumerate(phrase):
        if known is None and state == states[i]:
            known = total + scores[-1] - scores[i]
        score, state = kernels.advance(lm.automaton, state, word)
        total += score
    if known is not None:
        assert known == pytest.approx(total, abs=1e-5)
        assert state == states[-1]


@settings(max_examples=30)
@given(
    model=models.filter(lambda m: m.order > 1 and all(len(n) for n in m.orders)),
    lines=st.lists(sentences),
)
def test_scores_are_kenlm_s(tmp_path_factory, model, lines):
    if not is_closed(model):
        return
    path = tmp_path_factory.mktemp("lm") / "model.arpa"
    write_arpa(model, path)
    lm, reference = load_arpa(path), kenlm.Model(str(path))
    for sentence in lines:
        text = " ".join("ab?dxyz"[w] for w in sentence)
        scores = lm.word_scores(text)
        expected = list(reference.full_scores(text))
        assert [(s.ngram_length, s.unknown) for s in scores] == [(n, u) for _, n, u in expected]
        assert [s.log10_probability for s in scores] == pytest.approx(
            [p for p, _, _ in expected], abs=1e-5
        )


def is_closed(model):
    ngrams = set(NaiveModel(model).probability)
    return all(n[:-1] in ngrams and n[1:] in ngrams for n in ngrams if len(n) > 1)


def test_the_empty_sentence_still_ends(tmp_path):
    model = random_model(np.random.default_rng(0))
    lm, naive = LanguageModel.build(model), NaiveModel(model)
    assert lm.score("") == pytest.approx(naive.score([BEGIN], END)[0], abs=1e-6)
    assert lm.score("", end=False) == 0.0


def test_repeated_ngrams_are_refused():
    model = random_model(np.random.default_rng(1), words=2, order=2, density=1.0)
    pairs = model.orders[1]
    twice = NGrams(
        np.concatenate([pairs.words, pairs.words[:1]]),
        np.append(pairs.log10_probability, np.float32(-1)),
        np.append(pairs.log10_backoff, np.float32(0)),
    )
    with pytest.raises(InputError, match="is there twice"):
        LanguageModel.build(BackoffModel(model.vocabulary, (model.orders[0], twice)))
