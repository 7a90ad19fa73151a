"""The tuners' parts as a textbook would write them: slow, and plainly right."""

from __future__ import annotations

import itertools

import numpy as np


def rows_of(lists, s):
    return range(lists.offsets[s], lists.offsets[s + 1])


def select(lists, weights):
    return [
        max(rows_of(lists, s), key=lambda h: sum(lists.features[h] * weights))
        for s in range(len(lists))
    ]


def corpus_score(lists, chosen, metric):
    return metric.corpus(sum(lists.statistics[h].astype(float) for h in chosen))


def line_optimum(lists, intercepts, slopes, metric):
    """The best score between any two neighbouring crossings of any two lines of any list."""
    crossings = set()
    for s in range(len(lists)):
        for i in rows_of(lists, s):
            for j in rows_of(lists, s):
                if slopes[i] != slopes[j]:
                    crossings.add((intercepts[i] - intercepts[j]) / (slopes[j] - slopes[i]))
    points = sorted(crossings)
    if not points:
        candidates = [0.0]
    else:
        candidates = [points[0] - 1, points[-1] + 1]
        candidates += [
            (a + b) / 2 for a, b in itertools.pairwise(points) if b - a > 1e-9 * (abs(a) + abs(b))
        ]
    return max(
        corpus_score(
            lists,
            [
                max(rows_of(lists, s), key=lambda h: intercepts[h] + gamma * slopes[h])
                for s in range(len(lists))
            ],
            metric,
        )
        for gamma in candidates
    )


def merge(*parts):
    """For each sentence the distinct (features, statistics), in the order they come."""
    merged = []
    for s in range(len(parts[0])):
        seen = {}
        for part in parts:
            for h in rows_of(part, s):
                seen.setdefault((tuple(part.features[h] + 0.0), tuple(part.statistics[h])), None)
        merged.append(list(seen))
    return merged


def pairs(lists, s, quality):
    """All (i, j) of a list where i is better than j."""
    rows = rows_of(lists, s)
    return [(i, j) for i in rows for j in rows if quality[i] > quality[j]]


def ranking_loss(lists, weights, quality, C):
    """R(w) of ALGORITHMS E6 by two loops over all pairs, with its gradient."""
    loss, gradient = 0.0, np.zeros(len(weights))
    for s in range(len(lists)):
        for i, j in pairs(lists, s, quality):
            difference = lists.features[i] - lists.features[j]
            hinge = max(0.0, 1 - difference @ weights)
            loss += hinge**2
            gradient -= 2 * hinge * difference
    share = C / len(lists.features)
    return 0.5 * weights @ weights + share * loss, weights + share * gradient


def ranking_curvature(lists, weights, vector, quality, C):
    """The product of R's (generalised) Hessian at the weights with a vector."""
    product = np.zeros(len(weights))
    for s in range(len(lists)):
        for i, j in pairs(lists, s, quality):
            difference = lists.features[i] - lists.features[j]
            if 1 - difference @ weights > 0:
                product += 2 * (difference @ vector) * difference
    return vector + C / len(lists.features) * product
