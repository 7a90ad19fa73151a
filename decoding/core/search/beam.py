"""Stack decoding with lazily scored cube pruning (ALGORITHMS A1, D1).

Hypotheses that cover t words make up stack t. Those with the same coverage and end form a group;
a group and a span that may follow form a bundle, a grid of hypotheses times translation options,
both sorted. A stack is filled from all bundles that lead to it, best first: a queue holds places
in grids by their score without the language models' view of the context; the place on top is
scored fully and goes back with its true score, unless it is still the best, and then it is
accepted. So language models are asked about promising places only, and places are accepted
in the order of their true scores as far as the queue knows them.

What is expected of the words not yet translated is, beside the usual estimate of their best
translation, what the jumps over gaps and covered words must cost (Moore and Quirk 2007).

Ties go to the candidate that was created first. Groups, bundles and candidates are created in an
order that depends on the sentence alone, so the same input gives the same output on any number
of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from decoding.core.language.automaton import advance, begin_state
from decoding.core.language.vocabulary import END
from decoding.core.search.compiled import inlined, kernel
from decoding.core.search.coverage import cover_more, covers, intern_coverage, mix
from decoding.core.search.guide import follow
from decoding.core.search.workspace import (
    ACCEPTED,
    BUNDLES,
    CONTEXTS,
    EVALUATED,
    GROUPS,
    HYPOTHESES,
    SORTED,
)
from decoding.core.translation.reordering import LEFT, MONOTONE, ORIENTATIONS, RIGHT, SWAP

NO_TRANSLATION, NO_ROOM = -1, -2


class Beam(NamedTuple):
    """How a search prunes, as kernels see it."""

    pop_limit: int  # candidates accepted for each stack
    stack_limit: int  # hypotheses of a stack that are extended
    threshold: float  # how much worse than a stack's best a hypothesis may be
    keep: bool  # whether hypotheses that recombine are kept, for lists and lattices


# Contexts -----------------------------------------------------------------------------------


@inlined
def _intern_context(ws):  # type: ignore[no-untyped-def]
    """The number of the language models' states in ``ws.states``; of one model, its state."""
    states = ws.states
    if states.size == 1:
        return np.int64(states[0])
    mixed = np.uint64(0)
    for k in range(states.size):
        mixed = mix(mixed ^ np.uint64(states[k]))
    mask = ws.context_slots.size - 1
    slot = np.int64(mixed & np.uint64(mask))
    while True:
        context = np.int64(ws.context_slots[slot])
        if context < 0:
            break
        same = True
        for k in range(states.size):
            if ws.contexts[context, k] != states[k]:
                same = False
                break
        if same:
            return context
        slot = (slot + 1) & mask
    context = ws.counters[CONTEXTS]
    if context == ws.contexts.shape[0]:
        return -1
    ws.counters[CONTEXTS] += 1
    ws.context_slots[slot] = context
    for k in range(states.size):
        ws.contexts[context, k] = states[k]
    return context


@inlined
def _extend_context(model, options, ws, context, option):  # type: ignore[no-untyped-def]
    """The weighted score of an option's words after a context; the new states in ``ws.states``.

    As soon as the state is the one that the phrase has by itself, the rest is known.
    """
    first = options.word_at[option]
    length = options.word_at[option + 1] - first
    base = first + option
    total = 0.0
    for k in range(len(model.languages)):
        state = np.int32(context) if ws.states.size == 1 else ws.contexts[context, k]
        score = 0.0
        for i in range(length):
            if state == options.states[k, base + i]:
                score += options.scores[k, base + length] - options.scores[k, base + i]
                state = options.states[k, base + length]
                break
            log10, state = advance(
                model.languages[k].automaton, state, options.language_words[k, first + i]
            )
            score += log10
        total += model.language_weights[k] * score
        ws.states[k] = state
    return total


@inlined
def _end_score(model, ws):  # type: ignore[no-untyped-def]
    """The weighted score of the sentence's end after the states in ``ws.states``."""
    total = 0.0
    for k in range(len(model.languages)):
        log10, _ = advance(model.languages[k].automaton, ws.states[k], END)
        total += model.language_weights[k] * log10
    return total


# The queue: a binary heap, the best first, earlier candidates before later ones -----------------


@inlined
def _push(queue, size, key, candidate):  # type: ignore[no-untyped-def]
    at = size
    while at > 0:
        above = (at - 1) >> 1
        other = queue[above].key
        if other > key or (other == key and queue[above].candidate < candidate):
            break
        queue[at].key = other
        queue[at].candidate = queue[above].candidate
        at = above
    queue[at].key = key
    queue[at].candidate = candidate


@inlined
def _drop_first(queue, size):  # type: ignore[no-untyped-def]
    size -= 1
    key = queue[size].key
    candidate = queue[size].candidate
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        other = queue[below].key
        if below + 1 < size and (
            queue[below + 1].key > other
            or (
                queue[below + 1].key == other
                and queue[below + 1].candidate < queue[below].candidate
            )
        ):
            below += 1
            other = queue[below].key
        if other < key or (other == key and queue[below].candidate > candidate):
            break
        queue[at].key = other
        queue[at].candidate = queue[below].candidate
        at = below
    queue[at].key = key
    queue[at].candidate = candidate


# Groups and bundles ---------------------------------------------------------------------------


@inlined
def _group(ws, coverage, start, end):  # type: ignore[no-untyped-def]
    """The group of hypotheses with a coverage whose last phrase is ``start`` to ``end``, or -1.

    Where that phrase began matters only while a phrase could still be swapped before it.
    """
    left = start
    if start == 0 or covers(ws.coverages, ws.coverage_bits, coverage, start - 1):
        left = -1
    group = np.int64(ws.coverages[coverage].group)
    while group >= 0:
        if ws.groups[group].end == end and ws.groups[group].start == left:
            return group
        group = np.int64(ws.groups[group].next)
    group = ws.counters[GROUPS]
    if group == ws.groups.size:
        return -1
    ws.counters[GROUPS] += 1
    ws.groups[group].coverage = coverage
    ws.groups[group].start = left
    ws.groups[group].end = end
    ws.groups[group].next = ws.coverages[coverage].group
    ws.coverages[coverage].group = group
    return group


@kernel
def _cut(ws, first, stop, beam):  # type: ignore[no-untyped-def]
    """The total below which hypotheses of a stack are not extended."""
    hypotheses = ws.hypotheses
    best = -np.inf
    alive = 0
    for h in range(first, stop):
        if hypotheses[h].group >= 0:
            best = max(best, hypotheses[h].total)
            alive += 1
    if alive <= beam.stack_limit:
        return best - beam.threshold
    # The best so many: a heap of their totals, the worst on top.
    size = 0
    for h in range(first, stop):
        if hypotheses[h].group < 0:
            continue
        total = hypotheses[h].total
        if size < beam.stack_limit:
            _push(ws.queue, size, -total, h)
            size += 1
        elif -ws.queue[0].key < total:
            _drop_first(ws.queue, size)
            _push(ws.queue, size - 1, -total, h)
    return max(best - beam.threshold, -ws.queue[0].key)


@kernel
def _gather_groups(ws, first, stop, first_group, stop_group, cut):  # type: ignore[no-untyped-def]
    """List the hypotheses of each group in ``ws.sorted``, the best first."""
    hypotheses, groups, order = ws.hypotheses, ws.groups, ws.sorted
    for g in range(first_group, stop_group):
        groups[g].count = 0
        for o in range(ORIENTATIONS):
            ws.group_sorted[g, o] = -1
    for h in range(first, stop):
        if hypotheses[h].group >= 0 and hypotheses[h].total >= cut:
            groups[hypotheses[h].group].count += 1
    at = ws.counters[SORTED]
    for g in range(first_group, stop_group):
        groups[g].first = at
        at += groups[g].count
        groups[g].count = 0
    if at > order.size:
        return False
    ws.counters[SORTED] = at
    for h in range(first, stop):
        g = hypotheses[h].group
        if g >= 0 and hypotheses[h].total >= cut:
            begin = groups[g].first
            at = begin + groups[g].count
            score = hypotheses[h].score
            while at > begin and hypotheses[order[at - 1]].score < score:
                order[at] = order[at - 1]
                at -= 1
            order[at] = h
            groups[g].count += 1
    return True


@kernel
def _sort_group(options, ws, group, orientation):  # type: ignore[no-untyped-def]
    """List a group's hypotheses by what they score before a phrase in this orientation."""
    begin = ws.groups[group].first
    count = ws.groups[group].count
    first = ws.counters[SORTED]
    if first + count > ws.sorted.size:
        return False
    ws.counters[SORTED] += count
    ws.group_sorted[group, orientation] = first
    keys, order = ws.sort_keys, ws.sorted
    for i in range(count):
        h = order[begin + i]
        key = ws.hypotheses[h].score
        key += options.forward_scores[ws.hypotheses[h].forward, orientation]
        at = i
        while at > 0 and keys[at - 1] < key:
            keys[at] = keys[at - 1]
            order[first + at] = order[first + at - 1]
            at -= 1
        keys[at] = key
        order[first + at] = h
    return True


@inlined
def distortion(early, gap, previous_end, start, end):  # type: ignore[no-untyped-def]
    """What a jump costs, as Moses counts it; ``gap`` is the first gap before the jump.

    ``early`` pays as soon as it is certain that the way must be gone back (Moore and Quirk 2007,
    as in Moses).
    """
    if not early:
        return abs(start - previous_end - 1)
    if start == gap:
        return 0
    length = end - start + 1
    if end < previous_end:
        return 2 * length
    if previous_end < gap:
        return 2 * (start - gap + length)
    return 2 * (start - previous_end - 1 + length)


@kernel
def _add_bundles(model, options, ws, n, longest, covered, first_group, stop_group):  # type: ignore[no-untyped-def]
    """Make the bundles that lead out of a stack. Returns whether there was room."""
    groups = ws.groups
    limit = model.distortion_limit
    for g in range(first_group, stop_group):
        if groups[g].count == 0:
            continue
        coverage = groups[g].coverage
        gap = ws.coverages[coverage].gap
        previous_start, previous_end = groups[g].start, groups[g].end
        last = n - 1 if limit < 0 else min(n - 1, previous_end + 1 + limit)
        for start in range(gap, last + 1):
            if covers(ws.coverages, ws.coverage_bits, coverage, start):
                continue
            if limit >= 0 and abs(start - previous_end - 1) > limit:
                continue
            for length in range(1, longest + 1):
                end = start + length - 1
                if end >= n or covers(ws.coverages, ws.coverage_bits, coverage, end):
                    break
                # From where this phrase ends the first gap must still be in reach.
                if limit >= 0 and start != gap and end + 1 - gap > limit:
                    break
                span = start * longest + length - 1
                if options.span_first[span] == options.span_first[span + 1]:
                    continue
                b = ws.counters[BUNDLES]
                if b == ws.bundles.size:
                    return False
                after = cover_more(ws, n, coverage, start, end, options.future)
                if after < 0:
                    return False
                ws.counters[BUNDLES] += 1
                if start == previous_end + 1:
                    o = MONOTONE
                elif end + 1 == previous_start:
                    o = SWAP
                elif start > previous_end:
                    o = RIGHT
                else:
                    o = LEFT
                if ws.group_sorted[g, o] < 0 and not _sort_group(options, ws, g, o):
                    return False
                cost = distortion(model.early_distortion, gap, previous_end, start, end)
                expected = ws.coverages[after].future
                if not model.early_distortion and covered + length < n:
                    back = max(0, end + 1 - ws.coverages[after].gap)
                    expected -= model.distortion_weight * (back + ws.coverages[after].jumps)
                ws.bundles[b].base = expected - model.distortion_weight * cost
                ws.bundles[b].expected = expected
                ws.bundles[b].group = g
                ws.bundles[b].span = span
                ws.bundles[b].coverage = after
                ws.bundles[b].target = -1
                ws.bundles[b].orientation = o
                ws.bundles[b].next = ws.stacks[covered + length]
                ws.stacks[covered + length] = b
    return True


# Filling a stack --------------------------------------------------------------------------------


@inlined
def _suggest(options, ws, size, count, b, row, column, lift):  # type: ignore[no-untyped-def]
    """Put a place of a grid into the queue with its estimate."""
    bundle = ws.bundles[b]
    o = bundle.orientation
    h = ws.sorted[ws.group_sorted[bundle.group, o] + row]
    option = options.order[o, options.span_first[bundle.span] + column]
    ws.candidates[count].bundle = b
    ws.candidates[count].row = row
    ws.candidates[count].column = column
    ws.candidates[count].score = np.nan
    key = (
        ws.hypotheses[h].score
        + options.forward_scores[ws.hypotheses[h].forward, o]
        + options.estimate[option]
        + options.backward[option, o]
        + bundle.base
        + lift
    )
    _push(ws.queue, size, key, count)


@inlined
def _evaluate(model, options, guide, ws, h, option, bundle, final):  # type: ignore[no-untyped-def]
    """The true score of a place in a grid with its expectation, its context and guide state.

    Context -1 says that there is no more room. The score is -inf where the guide forbids it.
    """
    cost = 0.0
    state = np.int64(0)
    if guide.active:
        cost, state = follow(
            guide,
            np.int64(ws.hypotheses[h].guide),
            options.word_at[option],
            options.word_at[option + 1],
        )
        if cost == np.inf or (final and guide.accepted >= 0 and state != guide.accepted):
            return -np.inf, np.int64(0), np.int64(0)
    o = bundle.orientation
    score = (
        ws.hypotheses[h].score
        + options.forward_scores[ws.hypotheses[h].forward, o]
        + options.static[option]
        + options.backward[option, o]
        + bundle.base
        - cost
        + _extend_context(model, options, ws, ws.hypotheses[h].context, option)
    )
    if final:
        return score + _end_score(model, ws), np.int64(0), np.int64(0)
    return score, _intern_context(ws), state


@inlined
def _accept(options, ws, keep, candidate, h, option, key, final):  # type: ignore[no-untyped-def]
    """Make a hypothesis of a place in a grid, or recombine it. Returns whether there was room."""
    hypotheses = ws.hypotheses
    b = candidate.bundle
    if ws.bundles[b].target < 0:
        start, end = options.start[option], options.end[option]
        if final:  # nothing follows, so all finished hypotheses are one node
            start, end = 0, 0
        ws.bundles[b].target = _group(ws, ws.bundles[b].coverage, start, end)
        if ws.bundles[b].target < 0:
            return False
    group = ws.bundles[b].target
    forward = 0 if final else options.forward[option]
    context, state = candidate.context, candidate.guide
    mixed = mix(np.uint64(group) << np.uint64(32) | np.uint64(context))
    mixed = mix(mixed ^ (np.uint64(state) << np.uint64(32) | np.uint64(forward)))
    mask = ws.hypothesis_slots.size - 1
    slot = np.int64(mixed & np.uint64(mask))
    while True:
        other = ws.hypothesis_slots[slot]
        if other < 0 or (
            hypotheses[other].group == group
            and hypotheses[other].context == context
            and hypotheses[other].guide == state
            and hypotheses[other].forward == forward
        ):
            break
        slot = (slot + 1) & mask
    score = key - ws.bundles[b].expected
    new = ws.counters[HYPOTHESES]
    worse = other >= 0 and hypotheses[other].score >= score
    if other >= 0 and not keep:
        if worse:
            return True
        new = np.int64(other)
    else:
        if new == hypotheses.size:
            return False
        ws.counters[HYPOTHESES] += 1
    hypotheses[new].score = score
    hypotheses[new].total = key
    hypotheses[new].context = context
    hypotheses[new].guide = state
    hypotheses[new].forward = forward
    hypotheses[new].group = group
    hypotheses[new].back = h
    hypotheses[new].option = option
    hypotheses[new].twin = -1
    if other >= 0 and keep:
        if worse:
            hypotheses[new].group = -1
            hypotheses[new].twin = hypotheses[other].twin
            hypotheses[other].twin = new
            return True
        hypotheses[other].group = -1
        hypotheses[new].twin = other
    ws.hypothesis_slots[slot] = new
    return True


@kernel
def _fill_stack(model, options, guide, ws, beam, stack, final):  # type: ignore[no-untyped-def]
    """Take the best candidates of all bundles that lead to a stack. Whether there was room."""
    size = 0
    count = 0
    b = ws.stacks[stack]
    while b >= 0:
        if count == ws.candidates.size:
            return False
        _suggest(options, ws, size, count, b, 0, 0, 0.0)
        size += 1
        count += 1
        b = ws.bundles[b].next
    accepted = 0
    best = -np.inf
    while size > 0 and accepted < beam.pop_limit:
        key = ws.queue[0].key
        c = ws.queue[0].candidate
        if key < best - beam.threshold:
            break  # nothing in the queue, or after it, is expected to be better
        _drop_first(ws.queue, size)
        size -= 1
        candidate = ws.candidates[c]
        b = candidate.bundle
        bundle = ws.bundles[b]
        o = bundle.orientation
        span_first = options.span_first[bundle.span]
        h = ws.sorted[ws.group_sorted[bundle.group, o] + candidate.row]
        option = options.order[o, span_first + candidate.column]
        if np.isnan(candidate.score):
            if count + 2 > ws.candidates.size:
                return False
            # Every place has one way to it: down the first column, then along its row.
            if candidate.column == 0 and candidate.row + 1 < ws.groups[bundle.group].count:
                _suggest(options, ws, size, count, b, candidate.row + 1, 0, 0.0)
                size += 1
                count += 1
            if span_first + candidate.column + 1 < options.span_first[bundle.span + 1]:
                _suggest(options, ws, size, count, b, candidate.row, candidate.column + 1, 0.0)
                size += 1
                count += 1
            score, context, state = _evaluate(model, options, guide, ws, h, option, bundle, final)
            ws.counters[EVALUATED] += 1
            if context < 0:
                return False
            if score == -np.inf:
                continue
            candidate.score = score
            candidate.context = context
            candidate.guide = state
            key = score
            if size > 0 and score < ws.queue[0].key:
                _push(ws.queue, size, score, c)
                size += 1
                continue
        accepted += 1
        best = max(best, key)
        if not _accept(options, ws, beam.keep, candidate, h, option, key, final):
            return False
    ws.counters[ACCEPTED] += accepted
    return True


@kernel
def search_stacks(model, options, guide, ws, n, longest, beam):  # type: ignore[no-untyped-def]
    """Search a sentence of n > 0 words.

    Returns the best finished hypothesis, `NO_TRANSLATION` if there is none (a guide or the
    distortion limit may forbid all), or `NO_ROOM` if the workspace is too small.
    """
    ws.hypothesis_slots[:] = -1
    ws.coverage_slots[:] = -1
    ws.context_slots[:] = -1
    ws.counters[:] = 0
    ws.stacks[: n + 1] = -1
    for k in range(len(model.languages)):
        ws.states[k] = begin_state(model.languages[k].automaton)
    ws.bits[:] = 0
    coverage = intern_coverage(ws, n, 0, options.future)
    start = ws.hypotheses[0]
    start.score = 0.0
    start.total = ws.coverages[coverage].future
    start.context = _intern_context(ws)
    start.guide = 0
    start.forward = 0
    start.group = _group(ws, coverage, 0, -1)
    start.back = -1
    start.option = -1
    start.twin = -1
    ws.counters[HYPOTHESES] = 1
    first, first_group = 0, 0
    for covered in range(n):
        stop, stop_group = ws.counters[HYPOTHESES], ws.counters[GROUPS]
        cut = _cut(ws, first, stop, beam)
        if not _gather_groups(ws, first, stop, first_group, stop_group, cut):
            return NO_ROOM
        if not _add_bundles(model, options, ws, n, longest, covered, first_group, stop_group):
            return NO_ROOM
        first, first_group = stop, stop_group
        if not _fill_stack(model, options, guide, ws, beam, covered + 1, covered + 1 == n):
            return NO_ROOM
    for h in range(first, ws.counters[HYPOTHESES]):
        if ws.hypotheses[h].group >= 0:
            return h
    return NO_TRANSLATION
