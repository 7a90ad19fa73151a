"""The k best derivations of a search graph, and the features of derivations.

A graph's nodes are hypotheses that stand for all that recombined with them (`workspace`); each
node keeps the ways into it, best first. A derivation is the graph's best one but for a chain of
deviations, each taking another way into a node. Derivations leave a queue by their scores, and
each puts in those with one deviation more (as Moses lists its n best; it is Eppstein's path
enumeration): nothing is computed for derivations that are not asked for, and the k that come
out are exactly the k best of the graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.automaton import advance, begin_state
from decoding.core.language.vocabulary import END
from decoding.core.search.beam import distortion
from decoding.core.search.compiled import inlined, kernel
from decoding.core.search.options import NO_ROW
from decoding.core.translation.phrase_table import LOWEST
from decoding.core.translation.reordering import LEFT, MONOTONE, RIGHT, SWAP

# A derivation in the queue: its parent but for one way into one node.
ENTRY = np.dtype(
    [
        ("score", np.float64),
        ("parent", np.int64),
        ("node", np.int32),
        ("arc", np.int32),
    ]
)


class Ways(NamedTuple):
    """The ways into each node of a graph, best first."""

    first: NDArray[np.int32]  # (hypotheses + 1,)
    hypothesis: NDArray[np.int32]  # (hypotheses,)


class Columns(NamedTuple):
    """Where each value stands in a feature vector; -1 is nowhere."""

    reordering: NDArray[np.int32]  # (reordering values,)
    backward: NDArray[np.bool_]  # (4, reordering values)  which count in an orientation ...
    forward: NDArray[np.bool_]  # ... of the phrase, and of the one after it
    languages: NDArray[np.int32]  # (models,)
    table: int
    distortion: int
    words: int
    phrases: int
    unknown: int


class Scratch(NamedTuple):
    """What listing n best derivations needs."""

    entries: NDArray[np.void]  # ENTRY
    queue: NDArray[np.int64]
    prints: NDArray[np.uint64]  # (wanted + 1,)  fingerprints of the translations listed
    slots: NDArray[np.int64]  # (a power of two,)  ... and where they are found
    chain: NDArray[np.int64]  # (words + 2,)


class Listed(NamedTuple):
    """Derivations: number i chose the options ``chosen[offsets[i]:offsets[i + 1]]``, in order."""

    chosen: NDArray[np.int32]
    offsets: NDArray[np.int64]
    totals: NDArray[np.float64]


@kernel
def list_ways(hypotheses, ways):  # type: ignore[no-untyped-def]
    """Fill ``ways``: for each node its hypothesis and the twins of it, by score."""
    at = 0
    for node in range(hypotheses.size):
        ways.first[node] = at
        if hypotheses[node].group < 0:
            continue
        begin = at
        twin = np.int64(node)
        while twin >= 0:
            score = hypotheses[twin].score
            place = at
            while place > begin and hypotheses[ways.hypothesis[place - 1]].score < score:
                ways.hypothesis[place] = ways.hypothesis[place - 1]
                place -= 1
            ways.hypothesis[place] = twin
            at += 1
            twin = np.int64(hypotheses[twin].twin)
    ways.first[hypotheses.size] = at


@inlined
def push(queue, entries, size, entry):  # type: ignore[no-untyped-def]
    score = entries[entry].score
    at = size
    while at > 0:
        above = (at - 1) >> 1
        other = entries[queue[above]].score
        if other > score or (other == score and queue[above] < entry):
            break
        queue[at] = queue[above]
        at = above
    queue[at] = entry


@inlined
def drop_first(queue, entries, size):  # type: ignore[no-untyped-def]
    size -= 1
    entry = queue[size]
    score = entries[entry].score
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size:
            left, right = entries[queue[below]].score, entries[queue[below + 1]].score
            if right > left or (right == left and queue[below + 1] < queue[below]):
                below += 1
        other = entries[queue[below]].score
        if other < score or (other == score and queue[below] > entry):
            break
        queue[at] = queue[below]
        at = below
    queue[at] = entry


@inlined
def _fingerprint(options, chosen, first, stop):  # type: ignore[no-untyped-def]
    """A number that equal translations share."""
    mixed = np.uint64(1469598103934665603)
    for i in range(first, stop):
        option = chosen[i]
        for w in range(options.word_at[option], options.word_at[option + 1]):
            mixed = (mixed ^ np.uint64(options.words[w])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    return mixed


@inlined
def _same_words(options, chosen, i, i_stop, j, j_stop):  # type: ignore[no-untyped-def]
    """Whether two derivations yield the same translation."""
    v = v_stop = w = w_stop = np.int64(0)
    while True:
        while v == v_stop and i < i_stop:
            v, v_stop = options.word_at[chosen[i]], options.word_at[chosen[i] + 1]
            i += 1
        while w == w_stop and j < j_stop:
            w, w_stop = options.word_at[chosen[j]], options.word_at[chosen[j] + 1]
            j += 1
        if v == v_stop or w == w_stop:
            return v == v_stop and w == w_stop
        if options.words[v] != options.words[w]:
            return False
        v += 1
        w += 1


@inlined
def _seen(options, chosen, offsets, found, first, stop, prints, slots):  # type: ignore[no-untyped-def]
    """Whether the translation is among the first ``found``; takes it up as the next if not."""
    mark = _fingerprint(options, chosen, first, stop)
    mask = slots.size - 1
    slot = np.int64(mark & np.uint64(mask))
    while slots[slot] >= 0:
        other = slots[slot]
        if prints[other] == mark and _same_words(
            options, chosen, offsets[other], offsets[other + 1], first, stop
        ):
            return True
        slot = (slot + 1) & mask
    slots[slot] = found
    prints[found] = mark
    return False


@kernel
def list_best(hypotheses, ways, options, goal, wanted, most, unique, scratch, listed):  # type: ignore[no-untyped-def]
    """List derivations from the best on, until there are ``wanted`` or ``most`` were looked at.

    With ``unique`` only the best derivation of each translation counts (ALGORITHMS A4). Returns
    how many there are, and whether the graph has no more.
    """
    entries, queue, prints, slots, chain = scratch
    chosen, offsets, totals = listed
    entries[0].score = hypotheses[goal].score
    entries[0].parent = -1
    entries[0].node = goal
    entries[0].arc = ways.first[goal]
    queue[0] = 0
    size, count, found = 1, 1, 0
    offsets[0] = 0
    for _ in range(most):
        if size == 0 or found == wanted:
            break
        e = queue[0]
        drop_first(queue, entries, size)
        size -= 1
        deviations = 0
        ancestor = e
        while ancestor >= 0:
            chain[deviations] = ancestor
            deviations += 1
            ancestor = entries[ancestor].parent
        arc = entries[e].arc + 1
        node = np.int64(entries[e].node)
        if arc < ways.first[node + 1]:  # the next way into the same node
            loss = (
                hypotheses[ways.hypothesis[arc - 1]].score - hypotheses[ways.hypothesis[arc]].score
            )
            entries[count].score = entries[e].score - loss
            entries[count].parent = entries[e].parent
            entries[count].node = node
            entries[count].arc = arc
            push(queue, entries, size, count)
            size += 1
            count += 1
        node = np.int64(goal)
        length = 0
        first = offsets[found]
        while hypotheses[node].back >= 0:
            way = np.int64(ways.hypothesis[ways.first[node]])
            if deviations > 0 and entries[chain[deviations - 1]].node == node:
                deviations -= 1
                way = np.int64(ways.hypothesis[entries[chain[deviations]].arc])
            elif deviations == 0 and ways.first[node] + 1 < ways.first[node + 1]:
                other = np.int64(ways.hypothesis[ways.first[node] + 1])
                loss = hypotheses[way].score - hypotheses[other].score
                entries[count].score = entries[e].score - loss
                entries[count].parent = e
                entries[count].node = node
                entries[count].arc = ways.first[node] + 1
                push(queue, entries, size, count)
                size += 1
                count += 1
            chosen[first + length] = hypotheses[way].option
            length += 1
            node = np.int64(hypotheses[way].back)
        for i in range(length // 2):  # from the sentence's start to its end
            chosen[first + i], chosen[first + length - 1 - i] = (
                chosen[first + length - 1 - i],
                chosen[first + i],
            )
        offsets[found + 1] = first + length
        if unique and _seen(options, chosen, offsets, found, first, first + length, prints, slots):
            continue
        totals[found] = entries[e].score
        found += 1
    return found, size == 0


@kernel
def trace_best(hypotheses, goal, chosen):  # type: ignore[no-untyped-def]
    """The options of the best derivation, in order. Returns how many there are."""
    length = 0
    h = np.int64(goal)
    while hypotheses[h].back >= 0:
        length += 1
        h = np.int64(hypotheses[h].back)
    h = np.int64(goal)
    for i in range(length - 1, -1, -1):
        chosen[i] = hypotheses[h].option
        h = np.int64(hypotheses[h].back)
    return length


@kernel
def phrase_features(model, columns, options, ws_states, previous, gap, option, last, features):  # type: ignore[no-untyped-def]
    """Add to ``features`` what one phrase after another contributes (D1 and Moses's features).

    ``previous`` is the option before, or -1; ``gap`` the first gap before the phrase is placed;
    ``ws_states`` the language models' states, which move on; ``last`` adds the sentence's end.
    """
    start, end = options.start[option], options.end[option]
    previous_start = previous_end = np.int64(-1)
    if previous >= 0:
        previous_start, previous_end = (
            np.int64(options.start[previous]),
            np.int64(options.end[previous]),
        )
    if start == previous_end + 1:
        o = MONOTONE
    elif end + 1 == previous_start:
        o = SWAP
    elif start > previous_end:
        o = RIGHT
    else:
        o = LEFT
    row = options.row[option]
    for i in range(columns.reordering.size):
        if columns.backward[o, i] and row != NO_ROW:
            features[columns.reordering[i]] += model.table.reordering[row, i]
        if columns.forward[o, i] and previous >= 0 and options.row[previous] != NO_ROW:
            features[columns.reordering[i]] += model.table.reordering[options.row[previous], i]
    if columns.distortion >= 0:
        features[columns.distortion] -= distortion(
            model.early_distortion, gap, previous_end, start, end
        )
    for k in range(len(model.languages)):
        lm = model.languages[k].automaton
        total = 0.0
        state = ws_states[k]
        for w in range(options.word_at[option], options.word_at[option + 1]):
            log10, state = advance(lm, state, options.language_words[k, w])
            total += log10
        if last:
            total += advance(lm, state, END)[0]
        ws_states[k] = state
        features[columns.languages[k]] += total * np.log(10.0)
    length = options.word_at[option + 1] - options.word_at[option]
    if columns.words >= 0:
        features[columns.words] -= length
    if columns.phrases >= 0:
        features[columns.phrases] += 1.0
    if row == NO_ROW:
        if columns.unknown >= 0:
            features[columns.unknown] += LOWEST
    else:
        for i in range(model.table_weights.size):
            features[columns.table + i] += model.table.scores[row, i]


@kernel
def derivation_features(model, columns, options, n, chosen, offsets, states, covered, features):  # type: ignore[no-untyped-def]
    """Fill ``features`` (derivations, columns) with the feature vectors of derivations."""
    for d in range(offsets.size - 1):
        features[d, :] = 0.0
        for k in range(len(model.languages)):
            states[k] = begin_state(model.languages[k].automaton)
        covered[:] = False
        gap = 0
        previous = np.int64(-1)
        for i in range(offsets[d], offsets[d + 1]):
            option = np.int64(chosen[i])
            phrase_features(
                model,
                columns,
                options,
                states,
                previous,
                gap,
                option,
                i + 1 == offsets[d + 1],
                features[d],
            )
            for position in range(options.start[option], options.end[option] + 1):
                covered[position] = True
            while gap < n and covered[gap]:
                gap += 1
            previous = option
