"""Figures to be reported: from strings to a number that says how it was made.

Corpus BLEU and chrF are sacrebleu's own. A figure's signature has the form of sacrebleu's:
whoever has it and the texts can have the figure again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import (
    StatisticsArray,
    check_same_sentences,
    sentence_bleu1,
    sentence_statistics,
)
from evaluation.core.metrics.coverage import Pooling, coverage_statistics, list_coverage
from evaluation.core.metrics.oracle import list_spread, oracle_translations
from evaluation.core.metrics.references import References, check_references, index_references
from evaluation.core.metrics.words import (
    SentenceLists,
    Vocabulary,
    list_offsets,
)

Lists = Sequence[Sequence[str]]  # of each sentence: its translations, best first; its references

# Raised whenever a change may change a figure that is not sacrebleu's.
VERSION = "variorum-1"

# Of sacrebleu's tokenizers those that need nothing but the text.
TOKENIZERS = ("none", "13a", "intl", "char", "zh")


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """What the figures leave to choose."""

    tokenize: str = "none"  # one of TOKENIZERS; "none" splits at white space
    lowercase: bool = False
    pooling: Pooling = "sum"  # of coverage


@dataclass(frozen=True, slots=True)
class MeanSpread:
    """Median, least and greatest score of a list, each averaged over the sentences (Figure 1)."""

    median: float
    minimum: float
    maximum: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its origin."""

    metric: str  # a name in METRICS
    score: float  # 0..100
    signature: str
    sentences: int
    translations: int  # in all lists
    spread: MeanSpread | None = None  # of BLEU+1 only


@dataclass(frozen=True, slots=True, eq=False)
class FigureBySentence:
    """A figure, and what each sentence adds to it, by which lists are compared."""

    figure: Figure
    rows: NDArray[np.float64]  # (S, K): BLEU's statistics; of a mean 1, and the value


def bleu_figure(lists: Lists, references: Lists, options: FigureOptions) -> Figure:
    """Corpus BLEU of each list's first translation, by sacrebleu (ALGORITHMS B1)."""
    _check(lists, references)
    return _sacre_figure("bleu", _bleu(options), [own[0] for own in lists], lists, references)


def chrf_figure(lists: Lists, references: Lists, options: FigureOptions) -> Figure:
    """Corpus chrF2 of each list's first translation, by sacrebleu; it needs no tokenizer."""
    _check(lists, references)
    metric = sacrebleu.CHRF(lowercase=options.lowercase)
    return _sacre_figure("chrf", metric, [own[0] for own in lists], lists, references)


def bleu1_figure(lists: Lists, references: Lists, options: FigureOptions) -> Figure:
    """Mean BLEU+1 of each list's first translation, and its spread (ALGORITHMS B2, B5)."""
    encoded, index = _encoded(lists, references, options)
    scores = sentence_bleu1(sentence_statistics(encoded, index))
    spread = list_spread(scores, encoded.offsets)
    return Figure(
        "bleu1",
        float(scores[encoded.offsets[:-1]].mean()),
        signature(index, options, "smooth:add-k[1.00]"),
        len(encoded),
        len(scores),
        MeanSpread(*(float(s.mean()) for s in (spread.median, spread.minimum, spread.maximum))),
    )


def coverage_figure(lists: Lists, references: Lists, options: FigureOptions) -> Figure:
    """Mean coverage of the lists (ALGORITHMS B3)."""
    return coverage_by_sentence(lists, references, options).figure


def coverage_by_sentence(
    lists: Lists, references: Lists, options: FigureOptions
) -> FigureBySentence:
    """Mean coverage of the lists, and the coverage of each."""
    encoded, index = _encoded(lists, references, options)
    scores = list_coverage(coverage_statistics(encoded, index, options.pooling))
    figure = Figure(
        "coverage",
        float(scores.mean()),
        signature(index, options, f"pool:{options.pooling}", "smooth:add-k[1.00]"),
        len(encoded),
        len(encoded.sentences),
    )
    return FigureBySentence(figure, np.column_stack([np.ones(len(scores)), scores]))


def oracle_figure(lists: Lists, references: Lists, options: FigureOptions) -> Figure:
    """Corpus BLEU of each list's best translation by BLEU+1 (ALGORITHMS B4)."""
    return oracle_by_sentence(lists, references, options).figure


def oracle_by_sentence(lists: Lists, references: Lists, options: FigureOptions) -> FigureBySentence:
    """Corpus BLEU of each list's best translation by BLEU+1, and its statistics."""
    encoded, index = _encoded(lists, references, options)
    flat = list(chain.from_iterable(lists))
    statistics = sentence_statistics(encoded, index)
    best = oracle_translations(statistics, encoded.offsets)
    figure = _sacre_figure(
        "oracle",
        _bleu(options),
        [flat[h] for h in best],
        lists,
        references,
        f"|select:bleu1|selector:{VERSION}",
    )
    return FigureBySentence(figure, statistics[best].astype(np.float64))


METRICS: dict[str, Callable[[Lists, Lists, FigureOptions], Figure]] = {
    "bleu": bleu_figure,
    "bleu1": bleu1_figure,
    "coverage": coverage_figure,
    "oracle": oracle_figure,
    "chrf": chrf_figure,
}


def first_bleu1(lists: Lists, references: Lists, options: FigureOptions) -> list[float]:
    """BLEU+1 of each list's first translation: by it sentences fall into quartiles (B5)."""
    encoded, index = _encoded([own[:1] for own in lists], references, options)
    return [float(score) for score in sentence_bleu1(sentence_statistics(encoded, index))]


def bleu_statistics(lists: Lists, references: Lists, options: FigureOptions) -> StatisticsArray:
    """BLEU's statistics of each list's first translation, by which systems are compared."""
    encoded, index = _encoded([own[:1] for own in lists], references, options)
    return sentence_statistics(encoded, index)


def signature(references: References, options: FigureOptions, *choices: str) -> str:
    """How one of our own figures was made, in sacrebleu's form."""
    case = "lc" if options.lowercase else "mixed"
    version = VERSION
    if options.tokenize != "none":
        version += f"+sacrebleu-{sacrebleu.__version__}"  # whose tokenizer it was
    nrefs, tok = references.per_sentence, options.tokenize
    return "|".join(
        (f"nrefs:{nrefs}", f"case:{case}", "eff:no", f"tok:{tok}", *choices, f"version:{version}")
    )


def _bleu(options: FigureOptions) -> sacrebleu.BLEU:
    if options.tokenize not in TOKENIZERS:
        raise InputError(
            f"there is no tokenizer {options.tokenize!r}", hint=f"Choose {', '.join(TOKENIZERS)}."
        )
    # Without force sacrebleu complains about tokenized text, which is what we mostly have.
    return sacrebleu.BLEU(lowercase=options.lowercase, tokenize=options.tokenize, force=True)


def _check(lists: Lists, references: Lists) -> None:
    """Raise unless both are of the same sentences, and no list and no reference is empty."""
    check_same_sentences(list_offsets(map(len, lists)), len(references))
    words = [len(reference.split()) for own in references for reference in own]
    check_references(np.array(words), list_offsets(map(len, references)))


def _encoded(
    lists: Lists, references: Lists, options: FigureOptions
) -> tuple[SentenceLists, References]:
    """Both as word ids, after the lower-casing and tokenizing that sacrebleu would do."""
    tokenizer = _bleu(options).tokenizer

    def prepare(own: Sequence[str]) -> Sequence[str]:
        if options.lowercase:
            own = [line.lower() for line in own]
        return own if options.tokenize == "none" else [tokenizer(line.rstrip()) for line in own]

    vocabulary = Vocabulary()
    return (
        vocabulary.encode_lists([prepare(own) for own in lists]),
        index_references(vocabulary.encode_lists([prepare(own) for own in references])),
    )


def _sacre_figure(
    name: str,
    metric: sacrebleu.BLEU | sacrebleu.CHRF,
    hypotheses: list[str],
    lists: Lists,
    references: Lists,
    more: str = "",
) -> Figure:
    """The corpus figure of sacrebleu, which takes the first reference of all, then the second."""
    most = max(map(len, references))
    streams = [[own[r] if r < len(own) else None for own in references] for r in range(most)]
    score = metric.corpus_score(hypotheses, streams).score  # type: ignore[arg-type]
    # One sum of logarithms too many can end just above 100.
    return Figure(
        name,
        min(float(score), 100.0),
        str(metric.get_signature()) + more,
        len(lists),
        sum(map(len, lists)),
    )
