"""The answer of a study in a sentence or two, computed (the paper's section 9.4)."""

from __future__ import annotations

from evaluation.core.report.figures import Group, Grouping, PreferencePart
from evaluation.core.report.slices import Slice
from evaluation.core.statistics.crossover import Crossing
from evaluation.core.statistics.intervals import FEWEST_SENTENCES, Interval
from evaluation.core.statistics.preferences import Preference


def answer(
    part: PreferencePart,
    grouping: Grouping | None,
    cut: Slice,
    *,
    edited: bool = False,
    interim: bool = False,
) -> str:
    """Who won in the lowest group and in the highest, by how much, and where it changes sides.

    ``edited``: what was compared is what people wrote, not what a system put out.
    """
    if not part.overall.judgments:
        return f"Nobody has compared {part.first} with {part.second} yet."
    sentences = []
    if grouping is None or len(part.groups) < 2:
        sentences.append(_upper(f"overall {_said(part, part.overall, cut, edited)}."))
    else:
        ends = (0, len(part.groups) - 1)
        sentences += [
            f"In the {_end(grouping.groups[g], low=not g)} "
            f"{_said(part, part.groups[g], cut, edited)}."
            for g in ends
        ]
        sentences.append(_changes_sides(part, grouping, cut))
    if interim:
        sentences.insert(0, "So far, while answers still come in:")
    return " ".join(sentence for sentence in sentences if sentence)


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _end(group: Group, *, low: bool) -> str:
    return f"{'lowest' if low else 'highest'} {group.name}"


def _said(part: PreferencePart, found: Preference, cut: Slice, edited: bool) -> str:
    """What the judgments of a group say, with the winner first."""
    if found.sentences < FEWEST_SENTENCES:
        return (
            f"there are too few judged sentences to say anything ({found.sentences} of the "
            f"{FEWEST_SENTENCES} or more that it takes)"
        )
    estimate = found.difference.estimate or 0.0
    ahead, behind = (
        ((part.first, found.first), (part.second, found.second))
        if estimate >= 0
        else ((part.second, found.second), (part.first, found.first))
    )
    if not ahead[1].estimate and not behind[1].estimate:
        return "every judgment says that the two are the same"
    sizes = f"{_percent(ahead[1])} of judgments against {_percent(behind[1])}"
    level = f"{cut.level * 100:g}%"
    limits = _limits(found.difference, estimate)
    points = f"{abs(estimate) * 100:.0f}"
    unit = "point" if points == "1" else "points"
    size = f"difference {points} {unit}, {level} interval {limits}"
    winner = f"edits from {ahead[0]}" if edited else f"outputs of {ahead[0]}"
    loser = f"those {'from' if edited else 'of'} {behind[0]}"
    if _decided(found.difference):
        return f"{winner} were preferred to {loser}: {sizes} ({size})"
    return f"there is no clear difference: {winner} were preferred in {sizes} for {loser} ({size})"


def _decided(difference: Interval) -> bool:
    if difference.low is None or difference.high is None:
        return False
    return difference.low > 0 or difference.high < 0


def _percent(share: Interval) -> str:
    return "-" if share.estimate is None else f"{share.estimate * 100:.0f}%"


def _limits(difference: Interval, estimate: float) -> str:
    """The limits, seen from the side that is ahead."""
    if difference.low is None or difference.high is None:
        return "unknown"
    low, high = difference.low * 100, difference.high * 100
    if estimate < 0:
        low, high = -high, -low
    return f"{whole(low)} to {whole(high)}"


def whole(value: float) -> str:
    """A whole number with a true minus, never "-0"."""
    rounded = round(value)
    return f"\N{MINUS SIGN}{-rounded}" if rounded < 0 else f"{rounded}"


def _changes_sides(part: PreferencePart, grouping: Grouping, cut: Slice) -> str:
    """Where the preference crosses over, if the data know."""
    if part.crossover is None:
        return ""
    found = part.crossover.logistic
    label = grouping.label
    if found.at.estimate is None or found.certainty is None or found.certainty < cut.level:
        return f"The data do not show a {label} at which the preference changes sides."
    below, above = (part.second, part.first) if found.rising else (part.first, part.second)
    return (
        f"The preference changes sides at a {label} of {found.at.estimate:.0f} "
        f"({cut.level * 100:g}% interval {_ends(found)}): "
        f"below, {below} is preferred, above, {above}."
    )


def _ends(found: Crossing) -> str:
    low, high = found.at.low, found.at.high
    if low is None and high is None:
        return "open on both sides"
    if low is None:
        return f"up to {high:.0f}, open below"
    if high is None:
        return f"from {low:.0f}, open above"
    return f"{low:.0f} to {high:.0f}"
