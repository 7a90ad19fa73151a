"""Moses's text formats of phrase and reordering tables, written from counts and scores.

source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| links ||| c(t) c(s) c(s,t) ||| |||
source ||| target ||| backward m s d, forward m s d
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from decoding.core.corpus.bitext import Bitext
from decoding.core.corpus.extract import LONGEST
from decoding.core.corpus.phrases import PhrasePairs, phrase_texts

# Where tuning starts: the weights with which Moses's training leaves a new system.
START_WEIGHTS: dict[str, tuple[float, ...]] = {
    "UnknownWordPenalty0": (1.0,),
    "WordPenalty0": (-1.0,),
    "PhrasePenalty0": (0.2,),
    "TranslationModel0": (0.2, 0.2, 0.2, 0.2),
    "LexicalReordering0": (0.3, 0.3, 0.3, 0.3, 0.3, 0.3),
    "Distortion0": (0.3,),
    "LM0": (0.5,),
}


def phrase_table_lines(
    bitext: Bitext, pairs: PhrasePairs, scores: npt.NDArray[np.float32]
) -> Iterator[str]:
    """A line for every pair, in order. Numbers have six significant digits, as Moses's have."""
    columns = np.column_stack([pairs.target_count, pairs.source_count, pairs.count]).tolist()
    keys = _phrase_keys(bitext, pairs)
    rows = zip(keys, scores.tolist(), pairs.links.tolist(), columns, strict=True)
    for key, (a, b, c, d), links, (count_t, count_s, count) in rows:
        yield (
            f"{key} ||| {a:g} {b:g} {c:g} {d:g} ||| {link_text(links)} "
            f"||| {count_t} {count_s} {count} ||| |||"
        )


def reordering_table_lines(
    bitext: Bitext, pairs: PhrasePairs, orientations: npt.NDArray[np.float64]
) -> Iterator[str]:
    """A line for every pair, in order."""
    for key, values in zip(_phrase_keys(bitext, pairs), orientations.tolist(), strict=True):
        yield f"{key} ||| " + " ".join([f"{value:g}" for value in values])


def moses_ini(*, phrase_table: str, reordering_table: str, language_model: str, order: int) -> str:
    """A configuration that names the models, with `START_WEIGHTS`."""
    weights = "\n".join(
        f"{name}= {' '.join(f'{value:g}' for value in values)}"
        for name, values in START_WEIGHTS.items()
    )
    return f"""[input-factors]
0

[mapping]
0 T 0

[distortion-limit]
6

[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={phrase_table} \
input-factor=0 output-factor=0 table-limit=20
LexicalReordering name=LexicalReordering0 num-features=6 type=wbe-msd-bidirectional-fe-allff \
input-factor=0 output-factor=0 path={reordering_table}
Distortion
KENLM name=LM0 factor=0 path={language_model} order={order}

[weight]
{weights}
"""


@lru_cache(maxsize=1 << 16)
def link_text(mask: int) -> str:
    """The links of a pair as ``source-target``, target by target."""
    return " ".join(
        f"{bit % LONGEST}-{bit // LONGEST}" for bit in range(LONGEST * LONGEST) if mask >> bit & 1
    )


def _phrase_keys(bitext: Bitext, pairs: PhrasePairs) -> Iterator[str]:
    sources = list(phrase_texts(pairs.sources, bitext.source.vocabulary, bitext.source.end))
    targets = list(phrase_texts(pairs.targets, bitext.target.vocabulary, bitext.target.end))
    for s, t in zip(pairs.source.tolist(), pairs.target.tolist(), strict=True):
        yield f"{sources[s]} ||| {targets[t]}"
