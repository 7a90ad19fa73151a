import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import digamma as scipy_digamma

from decoding.core.corpus import hmm
from decoding.core.corpus.align import AlignmentOptions, align
from decoding.core.corpus.bitext import number_sentences, pair_up
from decoding.core.corpus.diagonal import fit_tension
from decoding.core.corpus.lexicon import digamma, uniform_lexicon
from decoding.core.corpus.symmetrize import symmetrize
from decoding.core.room import Room

from . import naive

short = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
texts = st.lists(st.tuples(short, short), min_size=1, max_size=4)


def as_bitext(pairs):
    return pair_up(number_sentences(s for s, _ in pairs), number_sentences(t for _, t in pairs))


class Twin:
    """Expectation maximisation of one direction with dicts."""

    def __init__(self, pairs, options):
        self.pairs, self.options = pairs, options
        size = len({w for _, target in pairs for w in target} | {"|||"})
        self.t = defaultdict(lambda: 1 / size)
        self.null = defaultdict(lambda: 1 / size)
        self.jumps = defaultdict(lambda: 1.0)
        self.perplexities = []

    def run(self, stage, last):
        options = self.options
        counts, null_counts, jumps = defaultdict(float), defaultdict(float), defaultdict(float)
        log_likelihood, links = 0.0, []
        for source, target in self.pairs:
            if stage == "hmm":
                posterior, part, moved = naive.expect_hmm(
                    source, target, self.t, self.null, options.null, self.weight, hmm.UNIFORM
                )
                for width, c in moved.items():
                    jumps[width] += c
            else:
                tension = options.tension if stage == "diagonal" else 0.0
                posterior, part = naive.expect_diagonal(
                    source, target, self.t, self.null, options.null, tension
                )
            log_likelihood += part
            for (i, j), p in posterior.items():
                if i < 0:
                    null_counts[target[j]] += p
                else:
                    counts[source[i], target[j]] += p
            links.append(posterior)
        words = sum(len(target) for _, target in self.pairs)
        self.perplexities.append(math.exp(-log_likelihood / words))
        if not last:
            self.maximize(counts, null_counts)
            if stage == "hmm":
                self.jumps = defaultdict(lambda: 1e-3, {k: c + 1e-3 for k, c in jumps.items()})
        return links

    def weight(self, width):
        return self.jumps[width]

    def maximize(self, counts, null_counts):
        alpha = self.options.alpha
        # The prior counts the words that occur with the given one; NULL occurs with all.
        vocabulary = {w for _, target in self.pairs for w in target} | {"|||"}
        null_counts = {w: null_counts.get(w, 0.0) for w in vocabulary}
        by_given = defaultdict(dict)
        for (e, f), c in counts.items():
            by_given[e][f] = c
        for e, row in by_given.items():
            for f, value in self.estimate(row, alpha).items():
                self.t[e, f] = value
        self.null = self.estimate(null_counts, alpha)

    @staticmethod
    def estimate(row, alpha):
        total = sum(row.values()) + (alpha or 0) * len(row)
        if alpha is None:
            return {f: c / total for f, c in row.items()}
        return {
            f: math.exp(scipy_digamma(c + alpha) - scipy_digamma(total)) for f, c in row.items()
        }


@pytest.mark.parametrize("model", ["diagonal", "ibm1", "hmm"])
@pytest.mark.parametrize("alpha", [None, 0.01])
@settings(max_examples=25, deadline=None)
@given(texts)
def test_equals_the_plain_twin(model, alpha, pairs):
    options = AlignmentOptions(
        model=model, iterations=3, ibm1_iterations=2, alpha=alpha, optimize_tension=False
    )
    ours = align(as_bitext(pairs), options)
    stages = ["ibm1", "ibm1", "hmm", "hmm", "hmm"] if model == "hmm" else [model] * 3
    for swap, report, links in (
        (False, ours.forward_report, ours.forward),
        (True, ours.backward_report, ours.backward),
    ):
        twin = Twin([(t, s) if swap else (s, t) for s, t in pairs], options)
        for k, stage in enumerate(stages):
            posteriors = twin.run(stage, k == len(stages) - 1)
        assert report.perplexities == pytest.approx(twin.perplexities, rel=1e-4)
        for s, posterior in enumerate(posteriors):
            chosen = {(i, j) if not swap else (j, i) for i, j in links.of(s)}
            for j in range(len(twin.pairs[s][1])):
                best = max(p for (_, y), p in posterior.items() if y == j)
                [mine] = [i for i, y in chosen if y == j] or [-1]
                assert posterior.get((mine, j), 0) == pytest.approx(best, rel=1e-3, abs=1e-6)


def test_em_never_lowers_the_likelihood_without_a_prior():
    rng = np.random.default_rng(1)
    words = "abcdefgh"
    pairs = []
    for _ in range(60):
        source = [words[k] for k in rng.integers(0, 8, rng.integers(2, 7))]
        pairs.append((source, [w.upper() for w in rng.permutation(source)]))
    for model in ("ibm1", "diagonal", "hmm"):
        report = align(
            as_bitext(pairs), AlignmentOptions(model=model, iterations=8, alpha=None)
        ).forward_report
        falls = np.diff(report.perplexities)
        if model == "hmm":
            falls = falls[5:]  # the step from IBM 1 is to another model
        assert (falls < 1e-6).all()
        assert report.entropy >= 0
        assert 0 <= report.null_share <= 1


def test_a_dictionary_is_found_across_word_order():
    rng = np.random.default_rng(2)
    pairs = []
    for _ in range(300):
        source = [f"w{k}" for k in rng.permutation(30)[: rng.integers(3, 8)]]
        pairs.append((source, [w.upper() for w in source[::-1]]))
    for model in ("ibm1", "hmm"):
        found = align(as_bitext(pairs), AlignmentOptions(model=model))
        for links in (found.forward, found.backward):
            right = sum(
                sum(i + j == len(source) - 1 for i, j in links.of(s))
                for s, (source, _) in enumerate(pairs)
            )
            assert right > 0.95 * sum(len(source) for source, _ in pairs)


def test_the_tension_is_where_the_prior_expects_what_is_observed():
    given_lengths, predicted = np.array([4, 7, 12]), np.array([5, 6, 12])
    times = np.array([3, 2, 5])

    def expected(tension):
        total = 0.0
        for m, n, c in zip(given_lengths, predicted, times, strict=True):
            for j in range(n):
                h = [-abs((i + 1) / m - (j + 1) / n) for i in range(m)]
                weight = [math.exp(tension * x) for x in h]
                total += c * sum(map(math.prod, zip(h, weight, strict=True))) / sum(weight)
        return total

    observed = expected(6.5)
    assert fit_tension(given_lengths, predicted, times, observed, 0.0, 4.0) == pytest.approx(6.5)
    share = 0.2
    ours = fit_tension(given_lengths, predicted, times, observed, share, 4.0)
    assert ours == pytest.approx(
        brentq(lambda x: (1 - share) * expected(x) - observed, 0.1, 20), abs=1e-3
    )


@pytest.mark.parametrize("x", [1e-3, 0.01, 0.5, 1.0, 3.7, 7.0, 250.0, 1e6])
def test_digamma(x):
    assert digamma(x) == pytest.approx(scipy_digamma(x), rel=1e-9)


def test_the_table_of_pairs_grows():
    pairs = [([f"s{k}", f"r{k}"], [f"t{k}", f"u{k}"]) for k in range(30_000)]
    keys = uniform_lexicon(as_bitext(pairs)).keys
    assert (keys >= 0).sum() == 4 * len(pairs)
    assert len(np.unique(keys)) == 4 * len(pairs) + 1


def test_in_files_it_makes_the_same_links(tmp_path):
    rng = np.random.default_rng(3)
    pairs = [([f"s{k}" for k in rng.integers(0, 99, 9)], [f"t{k}" for k in rng.integers(0, 99, 9)])
             for _ in range(50)]  # fmt: skip
    room = Room(tmp_path, large=1)
    in_memory, in_files = align(as_bitext(pairs)), align(as_bitext(pairs), room=room)
    assert in_files.forward_report == in_memory.forward_report
    for one, other in ((in_memory.forward, in_files.forward),
                       (in_memory.backward, in_files.backward)):  # fmt: skip
        assert np.array_equal(one.points, other.points)
        assert np.array_equal(one.offsets, other.offsets)
    grown = symmetrize(in_memory.forward, in_memory.backward)
    assert np.array_equal(
        grown.points, symmetrize(in_files.forward, in_files.backward, room=room).points
    )


def test_progress_is_told():
    told = []
    align(
        as_bitext([(["a"], ["x"])]), AlignmentOptions(ibm1_iterations=1, iterations=3), told.append
    )
    assert told == [0.25, 0.5, 0.75, 1.0]
