"""What is done to text before it is trained on or translated, and undone for display.

A system keeps one `Preparation` a side, so that what it is asked to translate is treated just as
what it was trained on. Text that comes tokenised is left as it is but for the one character that
the file formats of phrase-based systems keep for themselves.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

from decoding.core.corpus.words import join_characters, segmenter_of
from evaluation.core.errors import InputError

Case = Literal["as-is", "lower", "true"]

# Names for segmenters of languages that are written without blanks, or with much in one word; any
# other can be given as module:function, a function from a line to its words.
SEGMENTERS = {
    "characters": "decoding.core.corpus.words:split_characters",
    "jieba": "jieba:lcut",
}

_SENTENCE_END = {".", ":", "?", "!"}
_BEFORE_SENTENCE = {"(", "[", '"', "'", "„", "“", "«"}
_ARABIC_MARKS = re.compile(r" +([،؛؟])")  # Moses' detokeniser knows no others than ours
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ufeff]")
_RESERVED, _RESERVED_ESCAPE = "|", "&#124;"
_ESCAPED_WORDS = {word: f"&lt;{word[1:-1]}&gt;" for word in ("<unk>", "<s>", "</s>")}


@dataclass(frozen=True, slots=True)
class PreparationOptions:
    """What is to be done to one side's text."""

    language: str | None = None  # its code, as "de"; None: the text is tokenised already
    case: Case = "as-is"
    segmenter: str | None = None  # a name in SEGMENTERS or module:function


@dataclass(frozen=True, slots=True)
class Preparation:
    """How one side's text is prepared, and how that is undone."""

    options: PreparationOptions = field(default_factory=PreparationOptions)
    casing: dict[str, str] = field(default_factory=dict)  # lower-cased word -> its usual form

    def tokenize(self, line: str) -> list[str]:
        """The words of a line as it was written, their case untouched."""
        line = _CONTROL.sub(" ", line)
        if self.options.segmenter:
            line = " ".join(_segmenter(self.options.segmenter)(line))
        if self.options.language:
            normalizer, tokenizer, _ = _moses(self.options.language)
            line = tokenizer(normalizer(line))
        words = line.replace(_RESERVED, _RESERVED_ESCAPE).split()
        if "<" in line:  # no word may be one of the language models' own
            words = [_ESCAPED_WORDS.get(word, word) for word in words]
        return words

    def recase(self, words: list[str]) -> list[str]:
        """The words in the case in which the system knows them."""
        if self.options.case == "lower":
            return [word.lower() for word in words]
        if self.options.case == "true":
            return [
                self.casing.get(word.lower(), word) if first else word
                for word, first in zip(words, _sentence_starts(words), strict=True)
            ]
        return words

    def prepare(self, line: str) -> str:
        """A line as the system wants it: words parted by single blanks."""
        return " ".join(self.recase(self.tokenize(line)))

    def restore(self, line: str) -> str:
        """A line of the system's words as a person would write it."""
        words = line.split()
        if self.options.case == "true" and words:
            words = [
                word[:1].upper() + word[1:] if first else word
                for word, first in zip(words, _sentence_starts(words), strict=True)
            ]
        language, segmenter = self.options.language, self.options.segmenter
        text = " ".join(words)
        if language:
            text = _ARABIC_MARKS.sub(r"\1", _moses(language)[2](words))
        if segmenter or (language and segmenter_of(language)):
            text = join_characters(text)
        return text.replace(_RESERVED_ESCAPE, _RESERVED)

    def save(self, path: Path) -> None:
        """Write it as JSON, to be kept with the system."""
        options = self.options
        content = {
            "language": options.language,
            "case": options.case,
            "segmenter": options.segmenter,
            "casing": self.casing,
        }
        path.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def load_preparation(path: Path) -> Preparation:
    """What `Preparation.save` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        casing = content.pop("casing")
        return Preparation(PreparationOptions(**content), casing)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"the text preparation cannot be read ({error})",
            path=path,
            hint="Copy the whole system directory again, or train it again.",
        ) from error


@dataclass(slots=True)
class CasingCounter:
    """Learns the usual case of every word, from where a sentence's start does not dictate it."""

    forms: Counter[str] = field(default_factory=Counter)

    def add(self, words: list[str]) -> None:
        """Count a sentence's words, but not those that start it.

        Unlike for recasing, a stop right at a start (as in "... and") is a word that starts it.
        """
        for word, first in zip(words, _sentence_starts(words, stops_are_words=True), strict=True):
            if not first and word.lower() != word.upper():
                self.forms[word] += 1

    def casing(self) -> dict[str, str]:
        """The most frequent form of each word; of two as frequent, the one seen first."""
        best: dict[str, str] = {}
        for form in self.forms:
            known = best.setdefault(form.lower(), form)
            if self.forms[form] > self.forms[known]:
                best[form.lower()] = form
        return best


def _sentence_starts(words: list[str], *, stops_are_words: bool = False) -> Iterator[bool]:
    """For each word, whether a sentence begins with it."""
    first = True
    for word in words:
        yield first
        if word in _SENTENCE_END and not (first and stops_are_words):
            first = True
        elif word not in _BEFORE_SENTENCE:
            first = False


@lru_cache(maxsize=16)
def _moses(
    language: str,
) -> tuple[Callable[[str], str], Callable[[str], str], Callable[[list[str]], str]]:
    """Moses's punctuation normaliser, tokeniser and detokeniser for a language."""
    normalizer = MosesPunctNormalizer(lang=language)
    tokenizer = MosesTokenizer(lang=language)
    detokenizer = MosesDetokenizer(lang=language)
    return (
        normalizer.normalize,
        lambda line: tokenizer.tokenize(line, escape=False, return_str=True),
        lambda words: detokenizer.detokenize(words, unescape=False),
    )


@lru_cache(maxsize=16)
def _segmenter(name: str) -> Callable[[str], Iterable[str]]:
    """The function that a segmenter's name stands for."""
    module, _, function = SEGMENTERS.get(name, name).partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"there is no segmenter {name!r} here",
            hint=f"Known names: {', '.join(SEGMENTERS)}; or give module:function of an installed "
            "package, or text that is segmented already.",
        ) from error
    if not callable(found):
        raise InputError(f"the segmenter {name!r} is not a function")
    segment: Callable[[str], Iterable[str]] = found
    return segment
