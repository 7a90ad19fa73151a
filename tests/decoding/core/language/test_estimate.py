import itertools
import math
import re
from collections import Counter, defaultdict

import kenlm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.formats.arpa import load_arpa, read_arpa, write_arpa
from decoding.core.language.counting import count_ngrams
from decoding.core.language.estimate import FALLBACK, EstimationOptions, _blocks, estimate
from decoding.core.language.model import LanguageModel
from decoding.core.language.vocabulary import Vocabulary, vocabulary_of
from decoding.core.room import Room
from evaluation.core.errors import InputError
from tests.decoding.core.language.naive import NaiveModel


class NaiveEstimate:
    """Interpolated modified Kneser-Ney and Witten-Bell, from their definitions."""

    def __init__(self, sentences, options, vocabulary=None):
        self.options = options
        self.prune = list(options.prune) + [options.prune[-1]] * options.order
        if vocabulary is not None:
            sentences = [[w if w in vocabulary else "<unk>" for w in s] for s in sentences]
        words = {w for s in sentences for w in s} if vocabulary is None else set(vocabulary)
        self.words = sorted(words | {"</s>", "<unk>"})
        self.counts = [Counter() for _ in range(options.order + 1)]
        for sentence in sentences:
            padded = ["<s>", *sentence, "</s>"]
            for end in range(1, len(padded)):
                for n in range(1, min(options.order, end + 1) + 1):
                    self.counts[n][tuple(padded[end + 1 - n : end + 1])] += 1
        self.adjusted = [None] + [self.adjust(n) for n in range(1, options.order + 1)]
        self.discounts = [None] + [self.discount(n) for n in range(1, options.order + 1)]
        self.after = defaultdict(list)
        for n in range(1, options.order + 1):
            for gram in self.counts[n]:
                self.after[gram[:-1]].append(gram)

    def adjust(self, n):
        if n == self.options.order or self.options.smoothing == "witten-bell":
            return dict(self.counts[n])
        before = defaultdict(set)
        for gram in self.counts[n + 1]:
            before[gram[1:]].add(gram[0])
        return {
            gram: count if gram[0] == "<s>" else len(before[gram])
            for gram, count in self.counts[n].items()
        }

    def discount(self, n):
        n1, n2, n3, n4 = (sum(c == k for c in self.adjusted[n].values()) for k in (1, 2, 3, 4))
        if not (n1 and n2 and n3):
            return FALLBACK
        y = n1 / (n1 + 2 * n2)
        found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        return found if all(0 < d <= k for k, d in zip((1, 2, 3), found, strict=True)) else FALLBACK

    def is_kept(self, gram):
        return len(gram) == 1 or self.counts[len(gram)][gram] > self.prune[len(gram) - 1]

    def share_and_left(self, gram):
        """The n-gram's share of its context, and what the context leaves to the next shorter."""
        n, counts = len(gram), self.adjusted[len(gram)]
        total, left, share = 0.0, 0.0, 0.0
        kinds = len(self.after[gram[:-1]]) if self.options.smoothing == "witten-bell" else 0
        for other in self.after[gram[:-1]]:
            count = counts[other]
            total += count
            taken = 0 if kinds else self.discounts[n][min(count, 3) - 1]
            taken = taken if self.is_kept(other) else count
            left += taken
            if other == gram:
                share = count - taken
        if total == 0:
            return 0.0, 1.0
        return share / (total + kinds), (left + kinds) / (total + kinds)

    def probability(self, gram):
        share, left = self.share_and_left(gram)
        if len(gram) == 1:
            return share + left / len(self.words)
        return share + left * self.probability(gram[1:])


def text_of(sentences):
    return "".join(" ".join(sentence) + "\n" for sentence in sentences).encode()


corpora = st.lists(st.lists(st.sampled_from("aaaaabbbcd"), max_size=8), min_size=1, max_size=30)
all_options = st.builds(
    EstimationOptions,
    order=st.integers(1, 7),
    smoothing=st.sampled_from(["kneser-ney", "witten-bell"]),
    prune=st.sampled_from([(0,), (0, 0, 1), (0, 1), (0, 1, 2), (0, 0, 0, 0, 0, 1)]),
)


@settings(max_examples=120)
@given(corpora, all_options, st.sampled_from([None, ["a", "c", "e"]]))
def test_an_estimate_is_that_of_the_definitions(sentences, options, known):
    vocabulary = None if known is None else Vocabulary.of(known)
    model = estimate(text_of(sentences), options, vocabulary=vocabulary).model
    naive = NaiveEstimate(sentences, options, known)
    words = model.vocabulary.words
    assert {w for w in words if w != "<s>"} == set(naive.words)
    assert model.order == options.order
    for n, ngrams in enumerate(model.orders, 1):
        rows = {tuple(words[w] for w in row): i for i, row in enumerate(ngrams.words.tolist())}
        if n > 1:
            assert set(rows) == {gram for gram in naive.counts[n] if naive.is_kept(gram)}
        for gram, i in rows.items():
            expected = 0.0 if gram == ("<s>",) else math.log10(naive.probability(gram))
            assert ngrams.log10_probability[i] == pytest.approx(expected, abs=1e-5)
            if n < options.order:
                _, left = naive.share_and_left((*gram, "a"))
                assert ngrams.log10_backoff[i] == pytest.approx(math.log10(left), abs=1e-5)
            else:
                assert ngrams.log10_backoff[i] == 0


@settings(max_examples=80)
@given(corpora, all_options, st.lists(st.sampled_from("abcdz"), max_size=4))
def test_the_words_after_any_history_have_probability_one(sentences, options, history):
    model = estimate(text_of(sentences), options).model
    naive, ids = NaiveModel(model), model.vocabulary.ids(["<s>", *history])
    predicted = [w for w in range(len(model.vocabulary)) if w != 1]
    assert sum(10 ** naive.score(ids, w)[0] for w in predicted) == pytest.approx(1, abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(corpora, all_options, st.integers(1, 20))
def test_in_files_and_in_parts_it_is_the_same(tmp_path_factory, sentences, options, at_once):
    room, text = Room(tmp_path_factory.getbasetemp(), large=1), text_of(sentences)
    vocabulary = vocabulary_of(text)
    numbered = (*vocabulary.encode(text), options.order, len(vocabulary))
    for whole, parts in zip(
        count_ngrams(*numbered), count_ngrams(*numbered, room=room, at_once=at_once), strict=True
    ):
        for name in ("context", "suffix", "word", "occurrences", "starts"):
            assert np.array_equal(getattr(whole, name), getattr(parts, name))
    direct, mapped = estimate(text, options), estimate(text, options, room=room)
    for one, other in zip(direct.model.orders, mapped.model.orders, strict=True):
        assert np.array_equal(one.words, other.words)
        assert np.array_equal(one.log10_probability, other.log10_probability)
        assert np.array_equal(one.log10_backoff, other.log10_backoff)
    scored = [LanguageModel.build(one.model, one_room) for one, one_room in
              ((direct, Room()), (mapped, room))]  # fmt: skip
    assert scored[0].score_lines(text).tolist() == scored[1].score_lines(text).tolist()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=20), st.integers(1, 6))
def test_blocks_cut_no_context_in_two(lengths, size):
    context = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    blocks = [context[block] for block in _blocks(context, size)]
    assert np.concatenate(blocks).tolist() == context.tolist()
    for before, after in itertools.pairwise(blocks):
        assert before[-1] < after[0]
    assert all(len(block) < size + max(lengths) for block in blocks)


def test_an_estimate_needs_no_file(tmp_path):
    sentences = [["a", "b", "a", "c"], ["a", "b"], ["c", "a", "b", "a", "d"]] * 3
    model = estimate(text_of(sentences), EstimationOptions(order=3)).model
    write_arpa(model, tmp_path / "m.arpa.gz")
    direct, read = LanguageModel.build(model), load_arpa(tmp_path / "m.arpa.gz")
    for line in ["a b a", "c c c zzz", ""]:
        assert direct.score(line) == read.score(line)


def test_the_model_of_lmplz_is_reproduced(reference_data, multi30k_english):
    """Made by KenLM from this text: order 5, no pruning, no fixed discounts."""
    expected = read_arpa(reference_data("moses-multi30k-deen/lm.en.5gram.arpa.gz"))
    result = estimate(multi30k_english, EstimationOptions(order=5, fallback=None))
    assert result.fell_back == ()
    assert set(result.model.vocabulary.words) == set(expected.vocabulary.words)
    mapping = expected.vocabulary.ids(result.model.vocabulary.words)
    for ours, theirs in zip(result.model.orders, expected.orders, strict=True):
        mapped = mapping[ours.words]
        by_ours, by_theirs = np.lexsort(mapped.T), np.lexsort(theirs.words.T)
        np.testing.assert_array_equal(mapped[by_ours], theirs.words[by_theirs])
        for name in ("log10_probability", "log10_backoff"):
            np.testing.assert_allclose(
                getattr(ours, name)[by_ours], getattr(theirs, name)[by_theirs], atol=2e-6
            )


@pytest.mark.parametrize(
    "options", [{"order": 6}, {"order": 4, "prune": (0, 0, 1)}, {"smoothing": "witten-bell"}]
)
def test_kenlm_reads_and_scores_what_is_estimated(reference_data, tmp_path, options):
    text = reference_data("moses-multi30k-deen/val.en").read_bytes()
    model = estimate(text, EstimationOptions(**options)).model
    write_arpa(model, tmp_path / "m.arpa")
    lm, reference = LanguageModel.build(model), kenlm.Model(str(tmp_path / "m.arpa"))
    lines = reference_data("moses-multi30k-deen/test_2016_flickr.en").read_text().splitlines()
    np.testing.assert_allclose(
        lm.score_lines("\n".join(lines).encode()),
        [reference.score(line) for line in lines],
        rtol=3e-6,
    )


def test_counts_that_give_no_discounts_fall_back_or_are_refused():
    text = text_of([["a", "b"]])
    result = estimate(text, EstimationOptions(order=2))
    assert result.fell_back == (1, 2)
    assert result.discounts == (FALLBACK, FALLBACK)
    with pytest.raises(InputError, match="1-grams are too few"):
        estimate(text, EstimationOptions(order=2, fallback=None))


@pytest.mark.parametrize(
    ("text", "options", "problem", "line"),
    [
        (b"", {}, "no text", None),
        (b"a b\n\nc </s> d\n", {}, "the word </s>", 3),
        (b"<s> a\n", {}, "the word <s>", 1),
        (b"a\n", {"order": 8}, "the order is 8", None),
        (b"a\n", {"order": 0}, "the order is 0", None),
        (b"a\n", {"smoothing": "laplace"}, "no smoothing 'laplace'", None),
        (b"a\n", {"prune": (1,)}, "thresholds are 1", None),
        (b"a\n", {"prune": (0, 2, 1)}, "thresholds are 0 2 1", None),
    ],
)
def test_what_cannot_be_estimated_is_refused(text, options, problem, line):
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        estimate(text, EstimationOptions(**options))
    assert caught.value.line == line
