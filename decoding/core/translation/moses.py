"""From a moses.ini to a system: reads every model that it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from decoding.core import system as kinds
from decoding.core.formats.arpa import load_arpa
from decoding.core.formats.moses_ini import Feature, MosesIni, read_moses_ini
from decoding.core.formats.phrase_tables import read_phrase_table, read_reordering_table
from decoding.core.language.model import LanguageModel
from decoding.core.system import Settings, System, feature_layout
from decoding.core.translation.phrase_table import TableBuilder, floored_log
from decoding.core.translation.reordering import ReorderingType, parse_reordering_type
from evaluation.core.errors import InputError

_KIND = {
    "LexicalReordering": kinds.REORDERING,
    "Distortion": kinds.DISTORTION,
    "KENLM": kinds.LANGUAGE,
    "SRILM": kinds.LANGUAGE,
    "IRSTLM": kinds.LANGUAGE,
    "WordPenalty": kinds.WORDS,
    "PhrasePenalty": kinds.PHRASES,
    "PhraseDictionaryMemory": kinds.TRANSLATION,
    "UnknownWordPenalty": kinds.UNKNOWN_WORDS,
}


def read_moses_system(
    ini_path: Path, *, base: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> System:
    """Read all models of a moses.ini; ``progress`` hears what is being read."""
    ini = read_moses_ini(ini_path, base=base)
    (table_feature,) = ini.of_kind("PhraseDictionaryMemory")
    models = [
        (feature, _reordering_type(ini_path, feature))
        for feature in ini.of_kind("LexicalReordering")
    ]
    builder = TableBuilder()
    scores = _read_table(ini, table_feature, builder, progress)
    reordering = [_read_reordering(feature, kind, builder, progress) for feature, kind in models]
    table, source, target = builder.build(
        np.concatenate(reordering, axis=1) if reordering else None
    )
    languages = []
    for feature in ini.of_kind("KENLM", "SRILM", "IRSTLM"):
        assert feature.path is not None
        progress(feature.path.name)
        languages.append(_read_language(feature))
    if not languages:
        raise InputError(
            "there is no language model",
            path=ini_path,
            hint="Name one under [feature], such as KENLM.",
        )
    sizes = {feature.name: kind.scores for feature, kind in models}
    sizes[table_feature.name] = scores
    layout = feature_layout(
        [(_KIND[f.kind], f.name, sizes.get(f.name, f.count), f.reordering) for f in ini.features]
    )
    weights = np.concatenate([np.array(ini.weights[feature.name]) for feature in layout])
    if len(weights) != sum(feature.count for feature in layout):
        raise InputError("there are not as many weights as values", path=ini_path)
    settings = Settings(ini.distortion_limit, table_feature.table_limit, ini.early_distortion)
    return System.build(layout, weights, settings, table, source, target, languages)


def _reordering_type(ini_path: Path, feature: Feature) -> ReorderingType:
    try:
        kind = parse_reordering_type(feature.reordering)
    except InputError as error:
        raise InputError(error.problem, path=ini_path, hint=error.hint) from error
    if feature.count not in (0, kind.scores):
        raise InputError(
            f"{feature.name} of type {feature.reordering} has {kind.scores} values, "
            f"not {feature.count}",
            path=ini_path,
        )
    return kind


def _read_table(
    ini: MosesIni, feature: Feature, builder: TableBuilder, progress: Callable[[str], None]
) -> int:
    assert feature.path is not None
    progress(feature.path.name)
    scores = 0
    wanted = feature.count or len(ini.weights[feature.name])
    for pair in read_phrase_table(feature.path, scores=wanted):
        scores = len(pair.scores)
        if not builder.add(pair):
            raise InputError(
                f"the pair {pair.source!r} ||| {pair.target!r} is there twice",
                path=feature.path,
                hint="Delete one of the two lines.",
            )
    if not scores:
        raise InputError("the phrase table is empty", path=feature.path)
    return scores


def _read_reordering(
    feature: Feature, kind: ReorderingType, builder: TableBuilder, progress: Callable[[str], None]
) -> NDArray[np.float32]:
    """The model's values for each pair; pairs that it has not get 0, as in Moses."""
    assert feature.path is not None
    progress(feature.path.name)
    values = np.zeros((len(builder), kind.scores), np.float32)
    rows: list[int] = []
    found: list[tuple[float, ...]] = []
    for entry in read_reordering_table(
        feature.path, scores=kind.scores, with_target=kind.with_target
    ):
        for row in builder.rows_of(entry.source, entry.target):
            rows.append(row)
            found.append(entry.scores)
    if rows:
        values[rows] = floored_log(np.array(found, np.float64))
    return values


def _read_language(feature: Feature) -> LanguageModel:
    assert feature.path is not None
    model = load_arpa(feature.path)
    if feature.order and feature.order != model.order:
        raise InputError(
            f"{feature.name} is said to be of order {feature.order}, and is of {model.order}",
            path=feature.path,
            hint="Correct order= in the moses.ini.",
        )
    return model
