"""Rules of models. Of a recipe: what makes no sense is refused, what is unusual advised against."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.exceptions import ValidationError

# What Gimpel et al. (2013) tried for lists of five, Arabic, German and Chinese into English.
PAPERS_ORDERS = range(2, 10)
PAPERS_PENALTIES = (0.005, 0.01, 0.05, 0.1, 0.2)


# Of orders 1 to 4 the matches and the n-grams, and both lengths.
_STATISTICS = 10

# Above which λ makes no sense: nothing but the penalty would count.
LARGEST_PENALTY = 10.0


def validate_statistics(said: object) -> None:
    """BLEU's sufficient statistics of two translations, as `TranslationList` keeps them."""
    rows = list(said.values()) if isinstance(said, dict) else []
    if not (
        isinstance(said, dict)
        and set(said) == {"first", "oracle"}
        and all(isinstance(row, list) and len(row) == _STATISTICS for row in rows)
        and all(type(count) is int and 0 <= count < 2**31 for row in rows for count in row)
    ):
        raise ValidationError(f"Statistics are {_STATISTICS} counts of the first and the oracle.")


def penalties_of(text: str) -> tuple[float, ...]:
    """The numbers of "0.1, 0.05"; none of an empty text."""
    return tuple(float(part) for part in text.split(",")) if text.strip() else ()


def validate_penalties(text: str) -> None:
    """Numbers with commas between them, each a λ."""
    try:
        penalties = penalties_of(text)
    except ValueError:
        raise ValidationError("Write numbers with commas between them: 0.2, 0.1, 0.1.") from None
    if not all(0 <= one <= LARGEST_PENALTY for one in penalties):
        raise ValidationError(f"λ is from 0 to {LARGEST_PENALTY:g}.")


def validate_recipe(version) -> None:
    """Hard limits that concern two settings at once; those of one are the fields' own."""
    problems = dict(_problems(version))
    if problems:
        raise ValidationError(problems)


def _problems(version) -> Iterator[tuple[str, str]]:
    length, kbest = version.length, version.kbest
    if kbest is not None and length is not None and kbest < length:
        yield "kbest", f"K is less than M, so a list could never hold {length}. Raise K."
    if version.penalties.strip():
        given = version.penalties.count(",") + 1
        if not version.is_penalized:
            yield "penalties", "Lists of this kind have no λ. Leave it empty."
        elif length is not None and given < length - 1:
            yield (
                "penalties",
                f"A list of {length} needs {length - 1} of them, and there are {given}.",
            )
    for name in ("distinct", "from_graph"):
        if getattr(version, name) and version.kind != version.Kind.DIVERSE:
            yield name, "Only for diverse lists that are decoded."
    if version.from_graph and version.distinct:
        yield "from_graph", "A list from one search may repeat a translation: choose one of both."
    elif version.from_graph and version.per_list != 1:
        yield "from_graph", "One search has no N translations of each decoding: N must be 1."


def recipe_advice(version) -> list[str]:
    """What is unusual about the settings, against the paper's; mostly nothing."""
    advice = []
    if version.is_penalized:
        if version.order not in PAPERS_ORDERS:
            advice.append(
                f"n = {version.order}: the paper tried n from {PAPERS_ORDERS[0]} to "
                f"{PAPERS_ORDERS[-1]}. With n = 1 every repeated word costs, also the little ones."
            )
        lowest, highest = PAPERS_PENALTIES[0], PAPERS_PENALTIES[-1]
        given = penalties_of(version.penalties) or (version.penalty,)
        unusual = [f"{one:g}" for one in given if not lowest <= one <= highest]
        if not any(given):
            advice.append("With λ = 0 nothing is penalised, so all translations will be the same.")
        elif unusual:
            advice.append(
                f"With λ = {', '.join(unusual)}: the paper tried λ from {lowest} to {highest}. "
                "It must suit the scale of the system's scores: look at some lists in the "
                "playground."
            )
    if version.length > 10:
        advice.append(f"M = {version.length}: nobody reads so many translations of a sentence.")
    if version.kind == version.Kind.UNIQUE_BEST and version.kbest < 100 * version.length:
        advice.append(
            f"K = {version.kbest}: derivations are often of the same text, so lists may hold less "
            f"than {version.length}. The paper took K = 1000."
        )
    return advice
