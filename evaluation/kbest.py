"""k-best lists between files, where they have words, and the tuners, for which they are arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from decoding.core.formats.nbest import NBestEntry, read_lists, write_nbest
from decoding.core.formats.text import read_lines, read_parallel
from evaluation.core.errors import InputError
from evaluation.core.metrics.words import list_offsets
from evaluation.core.tuning import referee
from evaluation.core.tuning.lists import FloatArray, KBestLists, join, model_scores
from evaluation.core.tuning.record import by_name


@dataclass(frozen=True, slots=True)
class LabelledLists:
    """k-best lists with what tuners need not know: the features' names and the texts."""

    lists: KBestLists
    features: Mapping[str, int]  # name: how many values it has, in the columns' order
    texts: Sequence[str]  # (H,)


class Referee(referee.Referee):
    """One that reads and labels files."""

    @classmethod
    def read(cls, paths: Sequence[Path]) -> Referee:
        """From one file for each reference, a sentence a line."""
        return cls(list(read_parallel(paths)))

    def label(
        self, lists: Sequence[Sequence[NBestEntry]], features: Mapping[str, int] | None = None
    ) -> LabelledLists:
        """The lists with BLEU's statistics; ``features`` fixes the columns if it is known."""
        texts = [entry.text for entries in lists for entry in entries]
        lengths = [len(entries) for entries in lists]
        statistics = self.statistics(texts, lengths)
        features = features or feature_columns(lists)
        rows = np.zeros((len(statistics), sum(features.values())))
        for row, entry in zip(rows, chain.from_iterable(lists), strict=True):
            _fill(row, entry, features)
        return LabelledLists(KBestLists(list_offsets(lengths), rows, statistics), features, texts)

    def label_files(self, paths: Sequence[Path]) -> LabelledLists:
        """Several n-best files of the same sentences as one, without duplicates."""
        read = [list(read_lists(path)) for path in paths]
        features = feature_columns(list(chain.from_iterable(read)))
        parts = []
        for path, lists in zip(paths, read, strict=True):
            try:
                parts.append(self.label(lists, features))
            except InputError as error:
                raise InputError(error.problem, path=path, hint=error.hint) from error
        merged, rows = join([part.lists for part in parts])
        texts = list(chain.from_iterable(part.texts for part in parts))
        return LabelledLists(merged, features, [texts[row] for row in rows])


def feature_columns(lists: Sequence[Sequence[NBestEntry]]) -> dict[str, int]:
    """Each feature's name and number of values, in the order they come."""
    columns: dict[str, int] = {}
    for entry in chain.from_iterable(lists):
        for name, values in entry.features.items():
            columns.setdefault(name, len(values))
    if not columns:
        raise InputError(
            "the lists have no features",
            hint="Tuning needs lists whose third field has the features' names and values.",
        )
    return columns


def _fill(row: FloatArray, entry: NBestEntry, features: Mapping[str, int]) -> None:
    """Put an entry's features into their columns; one that it does not name is 0."""
    at = 0
    for name, count in features.items():
        values = entry.features.get(name)
        if values is not None:
            if len(values) != count:
                raise InputError(
                    f"feature {name} has {len(values)} values in a translation of sentence "
                    f"{entry.sentence}, and {count} in an earlier one",
                    hint="Take all lists from the same system.",
                )
            row[at : at + count] = values
        at += count


def rescored(labelled: LabelledLists, weights: FloatArray) -> Iterator[NBestEntry]:
    """The entries of all lists, each list in the order of its scores under the weights."""
    lists = labelled.lists
    scores = model_scores(lists, weights)
    for sentence in range(len(lists)):
        start, end = lists.offsets[sentence], lists.offsets[sentence + 1]
        for row in start + np.argsort(-scores[start:end], kind="stable"):
            yield NBestEntry(
                sentence,
                labelled.texts[row],
                by_name(lists.features[row], labelled.features),
                float(scores[row]),
            )


def write_kbest(path: Path, labelled: LabelledLists, weights: FloatArray) -> None:
    """Write lists with their scores under the weights, best first, in Moses' format."""
    write_nbest(path, rescored(labelled, weights))


def read_weights(path: Path, features: Mapping[str, int]) -> FloatArray:
    """Weights in lines such as ``LM0= 0.5``, each feature's values after its name.

    Other lines are passed over, so that a moses.ini will do.
    """
    found: dict[str, list[float]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        name, equals, values = line.strip().partition("= ")
        if not equals or name not in features:
            continue
        try:
            found[name] = [float(value) for value in values.split()]
        except ValueError:
            raise InputError(
                f"the weights of {name} are no numbers", path=path, line=number
            ) from None
        if len(found[name]) != features[name]:
            raise InputError(
                f"expected {features[name]} weights of {name}, found {len(found[name])}",
                path=path,
                line=number,
            )
    missing = [name for name in features if name not in found]
    if missing:
        raise InputError(
            f"there are no weights of {', '.join(missing)}",
            path=path,
            hint="Give a line such as LM0= 0.5 for each feature of the lists.",
        )
    return np.concatenate([found[name] for name in features])
