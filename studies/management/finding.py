"""The study that somebody means in a terminal."""

from __future__ import annotations

from evaluation.core.errors import InputError
from studies.models import Study


def find_study(said: str) -> Study:
    """By the code in its link, its number in the pages' addresses, or its name."""
    found = list(Study.objects.filter(code=said) or Study.objects.filter(name=said))
    if not found and said.isdecimal():
        found = list(Study.objects.filter(pk=said))
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"{len(found)} studies are called {said}",
            hint="Give the number in its page's address, or the code in its link.",
        )
    there = "; ".join(Study.objects.values_list("name", flat=True)[:10])
    raise InputError(
        f"there is no study {said}",
        hint=f"There are: {there}." if there else "There is none yet: manage.py make_study.",
    )
