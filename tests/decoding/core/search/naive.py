"""Phrase-based translation by trying everything: slow and plainly right.

A `Toy` is a small random model in plain Python; `derivations` lists every derivation of a
sentence, and `features` scores one as a whole, from the definitions (ALGORITHMS D1 and the
features of Moses), without states, stacks or estimates.
"""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from decoding.core import system as kinds
from decoding.core.formats.phrase_tables import PhrasePair
from decoding.core.language.model import LanguageModel
from decoding.core.system import Settings, System, feature_layout
from decoding.core.translation.phrase_table import TableBuilder, floored_log
from decoding.core.translation.reordering import parse_reordering_type
from tests.decoding.core.language.naive import NaiveModel, random_model

UNKNOWN = -100.0
TYPES = [
    "wbe-msd-bidirectional-fe-allff",
    "mslr-bidirectional-fe",
    "phrase-monotonicity-backward-fe",
    "leftright-forward-fe",
    "msd-backward-fe",
]


@dataclass
class Toy:
    pairs: dict  # source -> {target: (scores, reordering scores)}, phrases as tuples of words
    models: list  # of back-off models
    weights: dict  # feature name -> list
    reordering: str
    limit: int | None
    early: bool

    def system(self, table_limit=0):
        builder = TableBuilder()
        reordering = []
        for source, targets in self.pairs.items():
            for target, (scores, orientations) in targets.items():
                points = tuple((0, i) for i in range(len(target)))
                builder.add(PhrasePair(" ".join(source), " ".join(target), scores, points))
                reordering.append(orientations)
        table, source, target = builder.build(floored_log(np.array(reordering)))
        layout = feature_layout([
            (kinds.UNKNOWN_WORDS, "UnknownWordPenalty0", 1, ""),
            (kinds.WORDS, "WordPenalty0", 1, ""),
            (kinds.PHRASES, "PhrasePenalty0", 1, ""),
            (kinds.TRANSLATION, "TranslationModel0", 2, ""),
            (kinds.REORDERING, "LexicalReordering0", len(reordering[0]), self.reordering),
            (kinds.DISTORTION, "Distortion0", 1, ""),
            *((kinds.LANGUAGE, f"LM{i}", 1, "") for i in range(len(self.models))),
        ])  # fmt: skip
        weights = np.concatenate([self.weights[feature.name] for feature in layout])
        return System.build(
            layout, weights, Settings(self.limit, table_limit, self.early), table, source, target,
            [LanguageModel.build(model) for model in self.models],
        )  # fmt: skip


def random_toy(rng, *, models=1, sources="uvwx", targets=2):
    reordering = TYPES[rng.integers(len(TYPES))]
    scores = parse_reordering_type(reordering).scores
    pairs = {}
    phrases = [(s,) for s in sources if rng.random() < 0.9]
    phrases += [(s, t) for s in sources for t in sources if rng.random() < 0.3]
    for source in phrases or [tuple(sources[:1])]:
        pairs[source] = {}
        for _ in range(rng.integers(1, targets + 1)):
            target = tuple(rng.choice(list("abcdz"), rng.integers(1, 3)))
            pairs[source][target] = (
                tuple(np.round(rng.random(2), 3)),
                # Few different values, so that hypotheses with the same ones recombine.
                tuple(rng.choice([0.2, 0.6, 0.0], scores, p=[0.5, 0.4, 0.1])),
            )
    weights = {
        "UnknownWordPenalty0": [1.0],
        "WordPenalty0": rng.normal(0, 0.3, 1),
        "PhrasePenalty0": rng.normal(0, 0.3, 1),
        "TranslationModel0": rng.random(2),
        "LexicalReordering0": rng.random(scores),
        "Distortion0": rng.random(1) * 0.5,
        **{f"LM{i}": rng.random(1) for i in range(models)},
    }
    limit = [None, 0, 1, 2, 3, 6][rng.integers(6)]
    backoff = [random_model(rng, words=4, order=3) for _ in range(models)]
    return Toy(pairs, backoff, weights, reordering, limit, bool(rng.random() < 0.3))


def derivations(toy, tokens):
    """Every derivation: a tuple of (start, end, target or None where a word is copied)."""
    n = len(tokens)

    def options(start, end):
        targets = list(toy.pairs.get(tuple(tokens[start : end + 1]), ()))
        return targets if targets or start != end else [None]

    def extend(done, covered, previous_end):
        if len(covered) == n:
            yield tuple(done)
            return
        gap = min(set(range(n)) - covered)
        for start in range(gap, n):
            for end in range(start, n):
                if end in covered or start in covered:
                    break
                if toy.limit is not None:
                    if abs(start - previous_end - 1) > toy.limit:
                        continue
                    # Moses's second condition: the first gap stays in reach.
                    if start != gap and abs(end + 1 - gap) > toy.limit:
                        continue
                for target in options(start, end):
                    yield from extend(
                        [*done, (start, end, target)], covered | set(range(start, end + 1)), end
                    )

    return list(extend([], set(), -1))


def words_of(derivation, tokens):
    return [w for s, e, t in derivation for w in (tokens[s : e + 1] if t is None else t)]


def features(toy, tokens, derivation):
    """Feature values by name."""
    found = {name: np.zeros(len(w)) for name, w in toy.weights.items()}
    kind = parse_reordering_type(toy.reordering)
    words = words_of(derivation, tokens)
    found["WordPenalty0"][0] = -len(words)
    found["PhrasePenalty0"][0] = len(derivation)
    for i, model in enumerate(toy.models):
        naive = NaiveModel(model)
        numbers = model.vocabulary.numbers
        ids = [1, *(numbers.get(w, 0) for w in words), 2]
        found[f"LM{i}"][0] = math.log(10) * sum(
            naive.score(ids[:k], ids[k])[0] for k in range(1, len(ids))
        )
    previous = (-1, -1, None)
    covered = set()
    for start, end, target in derivation:
        found["Distortion0"][0] -= jump_cost(toy.early, covered, previous, start, end)
        column = orientation_class(kind.family, previous, start, end)
        if target is None:
            found["UnknownWordPenalty0"][0] += UNKNOWN
        else:
            scores, orientations = toy.pairs[tuple(tokens[start : end + 1])][target]
            found["TranslationModel0"] += [log(score) for score in scores]
            if kind.backward:
                found["LexicalReordering0"][column] += log(orientations[column])
        if kind.forward and previous[2] is not None:
            scores = toy.pairs[tuple(tokens[previous[0] : previous[1] + 1])][previous[2]][1]
            at = kind.classes * kind.backward + column
            found["LexicalReordering0"][at] += log(scores[at])
        covered |= set(range(start, end + 1))
        previous = (start, end, target)
    return found


def log(probability):
    return max(-100.0, math.log(probability)) if probability > 0 else -100.0


def orientation_class(family, previous, start, end):
    monotone, swap = start == previous[1] + 1, end + 1 == previous[0]
    right = start > previous[1]
    if family == "monotonicity":
        return 0 if monotone else 1
    if family == "leftright":
        return 0 if right else 1
    if monotone or swap:
        return 0 if monotone else 1
    if family == "msd":
        return 2
    return 3 if right else 2


def jump_cost(early, covered, previous, start, end):
    if not early:
        return abs(start - previous[1] - 1)
    # Moore and Quirk (2007) as Moses has it; S'' is the translated beginning of the sentence.
    gap = 0
    while gap in covered:
        gap += 1
    length = end - start + 1
    if start == gap:
        return 0
    if end < previous[1]:
        return 2 * length
    if previous[1] < gap:
        return 2 * (start - gap + length)
    return 2 * (start - previous[1] - 1 + length)


def penalty_of(penalty, words):
    """What the n-grams of a translation cost, counted one by one."""
    if penalty is None:
        return 0.0
    classes = penalty.classes or {}
    words = [classes.get(word, word) for word in words]
    counts = Counter()
    for length in {len(ngram) for ngram in penalty.costs}:
        counts.update(tuple(words[i : i + length]) for i in range(len(words) - length + 1))
    return sum(cost * counts[ngram] for ngram, cost in penalty.costs.items())


def ranked(toy, tokens, penalty=None):
    """All derivations as (total, words), the best first."""
    scored = []
    for derivation in derivations(toy, tokens):
        values = features(toy, tokens, derivation)
        score = sum(float(np.dot(values[name], w)) for name, w in toy.weights.items())
        words = words_of(derivation, tokens)
        scored.append((score - penalty_of(penalty, words), words, derivation))
    return sorted(scored, key=lambda entry: -entry[0])
