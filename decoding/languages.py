"""Which languages go together: scripts and regions of one language do."""

from __future__ import annotations

from django.db.models import Q

from decoding.core.corpus.words import base_language
from decoding.models import Corpus
from decoding.models.corpora import Languages

_SIDES = ("source", "target")


def language_problem(one: Languages, corpus: Corpus) -> str:
    """Why a system (or another corpus) and a corpus do not go together; mostly nothing.

    The target language counts where the corpus has references to compare with.
    """
    for side in _SIDES if corpus.most_references else _SIDES[:1]:
        wanted, found = (getattr(each, f"{side}_language") for each in (one, corpus))
        if base_language(wanted) != base_language(found):
            return (
                f"The {side} language of {one} is {wanted}, and that of {corpus} is {found}. "
                "Choose a corpus of the same languages."
            )
    return ""


def is_in(side: str, language: str) -> Q:
    """That the source or the target of a corpus or system is in a language."""
    base = base_language(language)
    return Q(**{f"{side}_language": base}) | Q(**{f"{side}_language__startswith": f"{base}-"})


def readable_by(one: Languages) -> Q:
    """That a corpus goes with a system, by `language_problem`."""
    return is_in("source", one.source_language) & (
        is_in("target", one.target_language) | Q(most_references=0)
    )


def same_languages(one: Languages) -> Q:
    """That a corpus or system has the languages of another."""
    return is_in("source", one.source_language) & is_in("target", one.target_language)
