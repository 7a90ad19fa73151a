"""The memory of a search: arrays that one thread uses for one sentence after another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.translation.reordering import ORIENTATIONS

# A partial translation. Those that the future cannot tell apart are one node of the search
# graph: the best stands for all, and ``twin`` chains the others behind it if they are kept.
HYPOTHESIS = np.dtype(
    [
        ("score", np.float64),  # of the phrases placed so far
        ("total", np.float64),  # with what is expected of the rest
        ("context", np.int32),  # state of the language models
        ("guide", np.int32),  # state of the guide
        ("forward", np.int32),  # forward reordering scores of its last phrase, still to be paid
        ("group", np.int32),  # or -1: a twin of a better one
        ("back", np.int32),  # the hypothesis that it extends, or -1
        ("option", np.int32),  # by which translation option
        ("twin", np.int32),  # the next that ends in the same node, or -1
        ("pad", np.int32),
    ]
)
# Hypotheses that cover the same words and end at the same place: they go on in the same ways.
GROUP = np.dtype(
    [
        ("coverage", np.int32),
        ("end", np.int32),  # last word of the last phrase
        ("start", np.int32),  # its first, where a phrase could still be swapped before it, else -1
        ("next", np.int32),  # another group of the same coverage, or -1
        ("first", np.int32),  # its hypotheses in ``sorted``, by score
        ("count", np.int32),
    ]
)
COVERAGE = np.dtype(
    [
        ("future", np.float64),  # what is expected of the words not covered
        ("gap", np.int32),  # the first word not covered
        ("jumps", np.int32),  # covered words after it
        ("group", np.int32),  # its first group, or -1
        ("pad", np.int32),
    ]
)
# A group and a span: a grid of its hypotheses times the span's options.
BUNDLE = np.dtype(
    [
        ("base", np.float64),  # distortion and expectation, the same for the whole grid
        ("expected", np.float64),  # the expectation alone
        ("group", np.int32),
        ("span", np.int32),
        ("coverage", np.int32),  # afterwards
        ("target", np.int32),  # group afterwards, or -1: not looked up yet
        ("orientation", np.int32),
        ("next", np.int32),  # another bundle for the same stack, or -1
    ]
)
# A place in a grid. Its score is NaN until the language models have been asked.
CANDIDATE = np.dtype(
    [
        ("score", np.float64),
        ("bundle", np.int32),
        ("row", np.int32),
        ("column", np.int32),
        ("context", np.int32),
        ("guide", np.int32),
        ("pad", np.int32),
    ]
)
QUEUED = np.dtype([("key", np.float64), ("candidate", np.int64)])

# Places in ``counters``.
CONTEXTS, COVERAGES, GROUPS, BUNDLES, HYPOTHESES, SORTED, EVALUATED, ACCEPTED = range(8)


class Workspace(NamedTuple):
    """The arrays of a search. What is written is said by ``counters`` alone."""

    hypotheses: NDArray[np.void]
    hypothesis_slots: NDArray[np.int32]  # (a power of two,)  nodes by what the future can tell
    sorted: NDArray[np.int32]  # hypotheses of groups, see GROUP
    sort_keys: NDArray[np.float64]
    groups: NDArray[np.void]
    group_sorted: NDArray[np.int32]  # (groups, 4)  first in ``sorted`` by orientation, or -1
    coverages: NDArray[np.void]
    coverage_bits: NDArray[np.uint64]  # (coverages, words)  bit i: word gap + i is covered
    coverage_slots: NDArray[np.int32]  # (a power of two,)
    bits: NDArray[np.uint64]  # (words,)  scratch
    bundles: NDArray[np.void]
    stacks: NDArray[np.int32]  # (words + 1,)  the first bundle for each stack, or -1
    candidates: NDArray[np.void]
    queue: NDArray[np.void]
    contexts: NDArray[np.int32]  # (contexts, models)  only where there are several models
    context_slots: NDArray[np.int32]  # (a power of two,)
    states: NDArray[np.int32]  # (models,)  scratch
    counters: NDArray[np.int64]


def fitted(ws: Workspace, hypotheses: int) -> Workspace:
    """The same memory for at most so many hypotheses: what is to be cleared is smaller."""
    size = min(len(ws.hypothesis_slots), power_of_two(2 * hypotheses))
    return ws._replace(hypothesis_slots=ws.hypothesis_slots[:size])


def power_of_two(size: int) -> int:
    """The smallest power of two that is larger."""
    return 1 << int(size).bit_length()


def empty_workspace(words: int, window: int, models: int, hypotheses: int) -> Workspace:
    """Room for sentences of so many words, with coverages of ``window`` bits after the first gap.

    The number of hypotheses decides the rest; a search that does not fit says so.
    """
    width = max(1, -(-window // 64))
    groups = hypotheses + 64 * words + 1024
    contexts = hypotheses if models > 1 else 1
    return Workspace(
        hypotheses=np.empty(hypotheses, HYPOTHESIS),
        hypothesis_slots=np.empty(power_of_two(2 * hypotheses), np.int32),
        sorted=np.empty(5 * hypotheses, np.int32),
        sort_keys=np.empty(hypotheses),
        groups=np.empty(groups, GROUP),
        group_sorted=np.empty((groups, ORIENTATIONS), np.int32),
        coverages=np.empty(groups, COVERAGE),
        coverage_bits=np.empty((groups, width), np.uint64),
        coverage_slots=np.empty(power_of_two(2 * groups), np.int32),
        bits=np.empty(width, np.uint64),
        bundles=np.empty(4 * groups, BUNDLE),
        stacks=np.empty(words + 2, np.int32),
        candidates=np.empty(4 * hypotheses + 4 * groups, CANDIDATE),
        queue=np.empty(4 * hypotheses + 4 * groups, QUEUED),
        contexts=np.empty((contexts, models), np.int32),
        context_slots=np.empty(power_of_two(2 * contexts), np.int32),
        states=np.empty(models, np.int32),
        counters=np.zeros(8, np.int64),
    )
