"""Which sentences a study is about (ALGORITHMS C1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluation.core.errors import InputError
from evaluation.core.statistics.quartiles import quartiles
from studies.core.chance import drawn, shuffled
from studies.core.design import Design


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that might be chosen."""

    segment: int  # its number in the corpus
    reference_lengths: tuple[int, ...]  # in words, one for each reference
    entries: int  # in the shortest of the conditions' lists
    baseline_bleu1: float | None = None  # of the baseline's 1-best; only to stratify


@dataclass(frozen=True, slots=True)
class Sample:
    """The chosen sentences in the order of the study, and why the others could not be chosen."""

    segments: tuple[int, ...]
    eligible: int
    left_out: dict[str, int]  # reason -> sentences


def sample_sentences(
    candidates: Sequence[Candidate], design: Design, *, exclude: Collection[int] = ()
) -> Sample:
    """C1: ``design.sample_size`` sentences with a reference of 5 to 25 words, by the seed.

    Of several references one in the range is enough. With ``design.stratified``, equally many of
    each quartile of the baseline's BLEU+1 among those that are eligible (sizes differ by one at
    most). A segment's chance depends on its number, not on its place in ``candidates``.
    """
    eligible: list[Candidate] = []
    left_out: dict[str, int] = {}
    for candidate in sorted(candidates, key=lambda one: one.segment):
        reason = _why_not(candidate, design, exclude)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        else:
            eligible.append(candidate)
    if len(eligible) < design.sample_size:
        why = "; ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        raise InputError(
            f"only {len(eligible)} sentences can be chosen, not {design.sample_size}"
            + (f" ({why})" if why else ""),
            hint="Ask for fewer, widen the range of lengths, or take a larger corpus.",
        )
    strata = _quartiles(eligible) if design.stratified else [eligible]
    chosen = [
        one.segment
        for stratum, members in enumerate(strata)
        for one in drawn(
            members,
            _share(design.sample_size, len(strata), stratum),
            design.seed,
            "sample",
            stratum,
        )
    ]
    return Sample(tuple(shuffled(chosen, design.seed, "order")), len(eligible), left_out)


def _why_not(candidate: Candidate, design: Design, exclude: Collection[int]) -> str:
    low, high = design.shortest_reference, design.longest_reference
    if candidate.segment in exclude:
        return "excluded by name"
    if not any(low <= length <= high for length in candidate.reference_lengths):
        return f"without a reference of {low} to {high} words"
    if candidate.entries < design.list_length:
        return f"with a list of fewer than {design.list_length} translations"
    return ""


def _quartiles(eligible: list[Candidate]) -> list[list[Candidate]]:
    """Four groups by BLEU+1, ties in the order of the segments, as in the report (B5)."""
    scores: list[float] = []
    for one in eligible:
        if one.baseline_bleu1 is None:
            raise InputError(
                f"segment {one.segment} has no BLEU+1 of the baseline's 1-best",
                hint="Make the baseline's lists first, or do not stratify.",
            )
        scores.append(one.baseline_bleu1)
    groups = quartiles(scores)
    return [[eligible[place] for place in groups.members(group)] for group in range(groups.count)]


def _share(total: int, groups: int, group: int) -> int:
    """The size of one of ``groups`` nearly equal parts of ``total``; the first are the larger."""
    return total // groups + (group < total % groups)
