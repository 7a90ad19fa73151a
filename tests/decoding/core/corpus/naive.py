"""Plain, slow, obviously right twins of the kernels, on Python lists and dicts."""

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
from hypothesis import strategies as st

from decoding.core.corpus.bitext import number_sentences, pair_up
from decoding.core.corpus.links import collect_links

sentences = st.lists(st.sampled_from("abcde"), min_size=1, max_size=6)


@st.composite
def linked_texts(draw, max_pairs=4):
    """Sentence pairs with any links whatever: (source, target, sorted links)."""
    pairs = []
    for _ in range(draw(st.integers(1, max_pairs))):
        source, target = draw(sentences), draw(sentences)
        cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
        links = draw(st.sets(st.sampled_from(cells), max_size=8))
        pairs.append((source, target, sorted(links)))
    return pairs


def arrays(pairs):
    """The same as a bitext and links."""
    bitext = pair_up(
        number_sentences(source for source, _, _ in pairs),
        number_sentences(target for _, target, _ in pairs),
    )
    return bitext, collect_links(links for _, _, links in pairs)


# Alignment models: brute force over single links and whole paths.


def expect_diagonal(source, target, t, null, p0, tension):
    """Posterior of every link of the target words, and log likelihood; i = -1 for no link."""
    m, n = len(source), len(target)
    posterior, log_likelihood = {}, 0.0
    for j, f in enumerate(target):
        prior = [math.exp(-tension * abs((i + 1) / m - (j + 1) / n)) for i in range(m)]
        joint = {i: (1 - p0) * prior[i] / sum(prior) * t[source[i], f] for i in range(m)} | {
            -1: p0 * null[f]
        }
        total = sum(joint.values())
        log_likelihood += math.log(total)
        posterior.update({(i, j): p / total for i, p in joint.items()})
    return posterior, log_likelihood


def expect_hmm(source, target, t, null, p0, weight, uniform):
    """The same for the hidden Markov model, by enumeration of all paths, and expected jumps."""
    m = len(source)

    def move(i, k):
        return (1 - uniform) * weight(k - i) / sum(weight(x - i) for x in range(m)) + uniform / m

    states = [(k, silent) for k in range(m) for silent in (False, True)]
    paths = {}
    for path in itertools.product(states, repeat=len(target)):
        p = 1.0
        for j, (k, silent) in enumerate(path):
            p *= p0 * null[target[j]] if silent else (1 - p0) * t[source[k], target[j]]
            if j == 0:
                p *= 1 / m
            elif silent:
                p *= float(path[j - 1][0] == k)
            else:
                p *= move(path[j - 1][0], k)
        paths[path] = p
    total = sum(paths.values())
    posterior, jumps = defaultdict(float), defaultdict(float)
    for path, p in paths.items():
        for j, (k, silent) in enumerate(path):
            posterior[-1 if silent else k, j] += p / total
            if j and not silent:
                jumps[k - path[j - 1][0]] += p / total
    return posterior, math.log(total), jumps


# Symmetrisation, from the description of what each tool does.


def symmetrize(forward, backward, heuristic, order):
    forward, backward = set(forward), set(backward)
    union = forward | backward
    if heuristic in {"union", "intersect", "forward", "backward"}:
        return {
            "union": union,
            "intersect": forward & backward,
            "forward": forward,
            "backward": backward,
        }[heuristic]
    steps = [(-1, 0), (0, -1), (1, 0), (0, 1)]  # (target, source)
    if "diag" in heuristic:
        steps += [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    chosen = forward & backward

    def covered(point):
        return point[0] in {i for i, _ in chosen}, point[1] in {j for _, j in chosen}

    def by_target(points):
        return sorted(points, key=lambda point: point[::-1])

    if order == "atools":
        while True:
            before = len(chosen)
            for i, j in sorted(union - chosen):
                near = any((i + di, j + dj) in chosen for dj, di in steps)
                if near and not all(covered((i, j))):
                    chosen.add((i, j))
            if len(chosen) == before:
                break
    else:
        while True:
            before = len(chosen)
            visited = None
            while True:  # a set that grows while it is gone through in order
                rest = [p for p in by_target(chosen) if visited is None or p[::-1] > visited]
                if not rest:
                    break
                i, j = rest[0]
                visited = (j, i)
                for dj, di in steps:
                    point = (i + di, j + dj)
                    if point in union and not all(covered(point)):
                        chosen.add(point)
            if len(chosen) == before:
                break
    if "final" in heuristic:
        for points in (forward, backward):
            for point in by_target(points) if order == "symal" else sorted(points):
                both = covered(point)
                if not (any(both) if heuristic.endswith("-and") else all(both)):
                    chosen.add(point)
    return chosen


# Extraction, straight from the definition of consistency.


def extract(pairs, longest=7):
    """Every occurrence as (source words, target words, links inside, before, after)."""
    found = []
    for source, target, links in pairs:
        m, n = len(source), len(target)
        linked = set(links) | {(-1, -1), (m, n)}

        def orientation(straight, crossed, linked=linked):
            if (straight in linked) != (crossed in linked):
                return "m" if straight in linked else "s"
            return "d"

        for s0, t0 in itertools.product(range(m), range(n)):
            for s1, t1 in itertools.product(range(s0, m), range(t0, n)):
                if s1 - s0 >= longest or t1 - t0 >= longest:
                    continue
                inside = [(i, j) for i, j in links if s0 <= i <= s1 and t0 <= j <= t1]
                touching = [(i, j) for i, j in links if s0 <= i <= s1 or t0 <= j <= t1]
                if not inside or inside != touching:
                    continue
                found.append(
                    (
                        tuple(source[s0 : s1 + 1]),
                        tuple(target[t0 : t1 + 1]),
                        frozenset((i - s0, j - t0) for i, j in inside),
                        orientation((s0 - 1, t0 - 1), (s1 + 1, t0 - 1)),
                        orientation((s1 + 1, t1 + 1), (s0 - 1, t1 + 1)),
                    )
                )
    return found


# Scoring.


def lexical(pairs):
    """w(t|s) and w(s|t), keyed (source, target), None for NULL."""
    count = Counter()
    for source, target, links in pairs:
        count.update((source[i], target[j]) for i, j in links)
        count.update((s, None) for i, s in enumerate(source) if i not in {i for i, _ in links})
        count.update((None, t) for j, t in enumerate(target) if j not in {j for _, j in links})
    by_source, by_target = Counter(), Counter()
    for (s, t), c in count.items():
        by_source[s] += c
        by_target[t] += c
    return (
        {(s, t): round(c / by_source[s], 7) for (s, t), c in count.items()},
        {(s, t): round(c / by_target[t], 7) for (s, t), c in count.items()},
    )


def score(pairs):
    """{(s, t): (four scores, six orientation probabilities, links, three counts)}."""
    occurrences = extract(pairs)
    w_t, w_s = lexical(pairs)
    count = Counter((s, t) for s, t, *_ in occurrences)
    table = {}
    for s, t in count:
        mine = [o for o in occurrences if o[:2] == (s, t)]
        times = Counter(o[2] for o in mine)
        most = [links for links, c in times.items() if c == max(times.values())]
        best = max(most, key=lambda a: [sorted(i for i, k in a if k == j) for j in range(len(t))])
        inverse = max(
            most, key=lambda a: [sorted(j for k, j in a if k == i) for i in range(len(s))]
        )
        lex_t = math.prod(
            np.mean([w_t[s[i], t[j]] for i, k in best if k == j] or [w_t.get((None, t[j]), 1.0)])
            for j in range(len(t))
        )
        lex_s = math.prod(
            np.mean([w_s[s[i], t[j]] for k, j in inverse if k == i] or [w_s.get((s[i], None), 1.0)])
            for i in range(len(s))
        )
        count_s = sum(c for (x, _), c in count.items() if x == s)
        count_t = sum(c for (_, x), c in count.items() if x == t)
        c = count[s, t]
        before, after = Counter(o[3] for o in mine), Counter(o[4] for o in mine)
        table[s, t] = (
            (c / count_t, lex_s, c / count_s, lex_t),
            tuple((x[o] + 0.5) / (c + 1.5) for x in (before, after) for o in "msd"),
            best,
            (count_t, count_s, c),
        )
    return table
