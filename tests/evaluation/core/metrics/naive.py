"""The metrics as a textbook would write them: slow, and plainly right."""

from __future__ import annotations

import math
from collections import Counter


def ngrams(words, order=4):
    return Counter(
        tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1)
    )


def reference_counts(references, order=4):
    counts: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        counts |= ngrams(reference.split(), order)  # the larger of the two counts
    return counts


def bleu_statistics(hypothesis, references, order=4):
    words = hypothesis.split()
    have, want = ngrams(words, order), reference_counts(references, order)
    matches, totals = [0] * order, [0] * order
    for gram, count in have.items():
        matches[len(gram) - 1] += min(count, want[gram])
        totals[len(gram) - 1] += count
    lengths = [len(reference.split()) for reference in references]
    closest = min(lengths, key=lambda length: (abs(length - len(words)), length))
    return [*matches, *totals, len(words), closest]


def bleu1(hypothesis, references, order=4):
    row = bleu_statistics(hypothesis, references, order)
    matches, totals, length, closest = row[:order], row[order:-2], row[-2], row[-1]
    if matches[0] == 0:
        return 0.0
    logs = [math.log(matches[0] / totals[0])]
    logs += [math.log((m + 1) / (t + 1)) for m, t in zip(matches[1:], totals[1:], strict=True)]
    penalty = min(1.0, math.exp(1 - closest / length))
    return 100 * penalty * math.exp(sum(logs) / order)


def pool(translations, pooling, order=4):
    pooled: Counter[tuple[str, ...]] = Counter()
    for translation in translations:
        counts = ngrams(translation.split(), order)
        pooled = pooled + counts if pooling == "sum" else pooled | counts
    return pooled


def coverage(translations, references, pooling="sum", order=4):
    have, want = pool(translations, pooling, order), reference_counts(references, order)
    product = 1.0
    for n in range(1, order + 1):
        matches = sum(min(have[g], c) for g, c in want.items() if len(g) == n)
        total = sum(c for g, c in want.items() if len(g) == n)
        product *= matches / total if n == 1 else (matches + 1) / (total + 1)
    return 100 * product ** (1 / order)
