"""The search against trying everything, on random small models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.search.decoder import EXHAUSTIVE, MAX_WORDS, Decoder, SearchOptions
from decoding.core.search.guide import Penalty
from evaluation.core.errors import InputError
from tests.decoding.core.search import naive

seeds = st.integers(0, 2**32 - 1)


def some_sentence(rng, longest):
    return [str(w) for w in rng.choice(list("uvwxq"), rng.integers(1, longest + 1))]


def some_penalty(rng, toy, tokens):
    if rng.random() < 0.4:
        return None
    words = rng.choice(list("abcdzq"), 12)
    n = rng.integers(1, 4)
    classes = {"a": "d", "b": "d"} if rng.random() < 0.3 else None
    return Penalty(
        {tuple(map(str, words[i : i + n])): float(rng.random()) for i in range(12 - n)}, classes
    )


def check_against_everything(seed, longest, models=1):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng, models=models)
    tokens = some_sentence(rng, longest)
    penalty = some_penalty(rng, toy, tokens)
    expected = naive.ranked(toy, tokens, penalty)
    decoder = Decoder(toy.system())
    graph = decoder.search(decoder.collect(tokens), EXHAUSTIVE, penalty=penalty)
    assert graph.found == bool(expected)
    if not expected:
        return
    listed = graph.best_derivations(len(expected) + 5)
    assert len(listed) == len(expected)
    assert listed.totals == pytest.approx([total for total, _, _ in expected], abs=1e-6)
    costs = [naive.penalty_of(penalty, text.split()) for text in listed.texts]
    assert listed.scores - costs == pytest.approx(listed.totals, abs=1e-9)
    best = listed[0]
    same = [d for total, _, d in expected if total > expected[0][0] - 1e-6]
    assert tuple((p.start, p.end) for p in best.phrases) in {
        tuple((start, end) for start, end, _ in d) for d in same
    }
    every_text = {}
    for total, words, _ in expected:
        every_text.setdefault(" ".join(words), total)
    unique = graph.best_derivations(len(every_text) + 5, unique=True, most=10**6)
    assert sorted(unique.texts) == sorted(every_text)
    assert [every_text[text] for text in unique.texts] == pytest.approx(
        unique.totals.tolist(), abs=1e-6
    )


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_an_unpruned_search_finds_every_derivation_in_order(seed):
    check_against_everything(seed, 4)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_so_it_does_with_two_language_models(seed):
    check_against_everything(seed, 4, models=2)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(seeds)
def test_so_it_does_with_six_words(seed):
    check_against_everything(seed, 6)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_features_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = some_sentence(rng, 5)
    decoder = Decoder(toy.system())
    graph = decoder.search(decoder.collect(tokens), SearchOptions(pop_limit=3))
    if not graph.found:
        return
    for derivation in graph.best_derivations(3):
        steps = tuple(
            (p.start, p.end, None if p.unknown else tuple(p.text.split()))
            for p in derivation.phrases
        )
        expected = naive.features(toy, tokens, steps)
        for name, values in decoder.system.named(derivation.features).items():
            assert values == pytest.approx(expected[name], abs=1e-4), name
        weights = decoder.system.weights
        assert derivation.score == pytest.approx(float(weights @ derivation.features))


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_forced_decoding_finds_the_best_derivation_of_a_translation(seed):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = some_sentence(rng, 4)
    decoder = Decoder(toy.system())
    sentence = decoder.collect(tokens)
    expected = naive.ranked(toy, tokens)
    texts = {" ".join(words): total for total, words, _ in reversed(expected)}
    for text in list(texts)[:5]:
        best = decoder.force(sentence, text).best()
        assert best.text == text
        assert best.total == pytest.approx(texts[text], abs=1e-6)
    for text in ("a a a a a a a a a a", "never", ""):
        assert decoder.force(sentence, text).found == (text in texts)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_pruning_never_finds_more_than_there_is(seed):
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = some_sentence(rng, 5)
    decoder = Decoder(toy.system())
    sentence = decoder.collect(tokens)
    best = decoder.search(sentence, EXHAUSTIVE)
    for pop_limit in (1, 2, 10):
        for stack_limit in (None, 1, 3):
            options = SearchOptions(pop_limit=pop_limit, stack_limit=stack_limit, threshold=0.5)
            pruned = decoder.search(sentence, options)
            if pruned.found:
                assert pruned.best().total <= best.best().total + 1e-9


def test_without_keeping_the_best_is_the_same():
    rng = np.random.default_rng(5)
    toy = naive.random_toy(rng)
    decoder = Decoder(toy.system())
    sentence = decoder.collect("u v w x u v w")
    kept, single = (decoder.search(sentence, keep=keep) for keep in (True, False))
    assert kept.best().text == single.best().text
    assert kept.best().total == single.best().total
    assert len(single.hypotheses) < len(kept.hypotheses)


def test_narrowed_searches_look_at_less():
    narrow = SearchOptions().narrowed()
    assert (narrow.pop_limit, narrow.threshold) == (250, pytest.approx(1.0))
    assert SearchOptions(pop_limit=2, threshold=0.1).narrowed().threshold == 0.05
    assert EXHAUSTIVE.narrowed().threshold is None


def test_long_sentences_and_no_limit():
    rng = np.random.default_rng(5)
    toy = naive.random_toy(rng)
    for limit in (None, 6, 80):
        toy.limit = limit
        decoder = Decoder(toy.system())
        tokens = [str(w) for w in rng.choice(list("uvwx"), 200)]
        graph = decoder.search(decoder.collect(tokens), SearchOptions(pop_limit=20))
        best = graph.best()
        assert sorted(i for p in best.phrases for i in range(p.start, p.end + 1)) == [*range(200)]
        assert best.score == pytest.approx(best.total)


def test_an_empty_sentence_has_an_empty_translation():
    toy = naive.random_toy(np.random.default_rng(1))
    decoder = Decoder(toy.system())
    (only,) = decoder.search(decoder.collect("")).best_derivations(10)
    assert only.text == ""
    assert only.phrases == ()
    expected = naive.features(toy, [], ())
    assert decoder.system.named(only.features)["LM0"] == pytest.approx(expected["LM0"])


def test_a_line_that_is_no_sentence_is_refused():
    decoder = Decoder(naive.random_toy(np.random.default_rng(1)).system())
    with pytest.raises(InputError, match=f"has 10000 words, and {MAX_WORDS} is the most"):
        decoder.collect("u " * 10000)


def test_control_characters_are_blanks():
    decoder = Decoder(naive.random_toy(np.random.default_rng(1)).system())
    assert decoder.collect("u\x00v\tw\x7f\x1bx\u2028u\r").tokens == ("u", "v", "w", "x", "u")


@pytest.mark.parametrize("options", [{"pop_limit": 0}, {"stack_limit": 0}, {"threshold": 0.0}])
def test_a_search_that_can_find_nothing_is_refused(options):
    with pytest.raises(InputError):
        SearchOptions(**options)
