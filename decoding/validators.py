"""The rules of a recipe: what makes no sense is refused, what is unusual is advised against."""

from __future__ import annotations

from django.core.exceptions import ValidationError

# What Gimpel et al. (2013) tried for lists of five, Arabic, German and Chinese into English.
PAPERS_ORDERS = range(2, 10)
PAPERS_PENALTIES = (0.005, 0.01, 0.05, 0.1, 0.2)


def validate_recipe(version) -> None:
    """Hard limits that concern two settings at once; those of one are the fields' own."""
    if version.kbest is not None and version.length is not None and version.kbest < version.length:
        raise ValidationError(
            {"kbest": f"K is less than M, so a list could never hold {version.length}. Raise K."}
        )


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
        if version.penalty == 0:
            advice.append("λ = 0: nothing is penalised, so all translations will be the same.")
        elif not lowest <= version.penalty <= highest:
            advice.append(
                f"λ = {version.penalty:g}: the paper tried λ from {lowest} to {highest}. It must "
                "suit the scale of the system's scores: look at some lists in the playground."
            )
    if version.length > 10:
        advice.append(f"M = {version.length}: nobody reads so many translations of a sentence.")
    if version.kind == version.Kind.UNIQUE_BEST and version.kbest < 100 * version.length:
        advice.append(
            f"K = {version.kbest}: derivations are often of the same text, so lists may hold less "
            f"than {version.length}. The paper took K = 1000."
        )
    return advice
