"""moses.ini: which models a Moses phrase-based system has, and its weights.

Both styles are read: the new one with ``[feature]`` and ``[weight]``, and the old one with
``[ttable-file]``, ``[lmodel-file]``, ``[distortion-file]`` and ``[weight-*]``. What Moses has and
Variorum has not is refused by name, for a system without it would give other translations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from decoding.core.formats.text import read_utf8
from evaluation.core.errors import InputError

# Sections that say how Moses searches, prints or logs: they do not change what a derivation
# scores, and a search here has options of its own.
_ABOUT_MOSES_ITSELF = frozenset(
    [
        "threads",
        "verbose",
        "v",
        "stack",
        "s",
        "beam-threshold",
        "b",
        "cube-pruning-pop-limit",
        "cbp",
        "cube-pruning-diversity",
        "cbd",
        "cube-pruning-lazy-scoring",
        "search-algorithm",
        "early-discarding-threshold",
        "edt",
        "max-phrase-length",
        "max-trans-opt-per-coverage",
        "persistent-cache-size",
        "cache-size",
        "n-best-list",
        "n-best-factor",
        "report-all-factors",
        "report-segmentation",
        "print-alignment-info",
        "labeled-n-best-list",
        "translation-option-threshold",
    ]
)
_READ = frozenset(
    [
        "feature",
        "weight",
        "distortion-limit",
        "dl",
        "input-factors",
        "mapping",
        "ttable-file",
        "ttable-limit",
        "lmodel-file",
        "distortion-file",
        "weight-t",
        "weight-l",
        "weight-d",
        "weight-w",
        "weight-u",
        "early-distortion-cost",
    ]
)
_PHRASE_TABLES = {
    "PhraseDictionaryMemory": "text",
    "ProbingPT": "binary",
    "PhraseDictionaryCompact": "binary",
    "PhraseDictionaryOnDisk": "binary",
    "PhraseDictionaryBinary": "binary",
}
_LANGUAGE_MODELS = ("KENLM", "SRILM", "IRSTLM")
# Keys of a feature's line that change nothing here.
_HARMLESS_KEYS = frozenset(
    [
        "name",
        "num-features",
        "path",
        "order",
        "factor",
        "input-factor",
        "output-factor",
        "table-limit",
        "type",
        "lazyken",
        "tuneable",
        "load",
        "cache-size",
    ]
)
UNKNOWN_WORD_PENALTY = "UnknownWordPenalty"

# Far beyond what a system has; nonsense would fail where nobody could say why.
_MOST_BYTES = 1_000_000
_MOST_FEATURES = 100
_MOST_VALUES = 1000  # of one feature
_MOST_TRANSLATIONS = 10_000  # of a source phrase
_LARGEST_JUMP = 1000
_LARGEST_WEIGHT = 1e6


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature function as moses.ini has it."""

    kind: str  # "PhraseDictionaryMemory", "KENLM", ...; Moses's name of it
    name: str  # "TranslationModel0": how weights and n-best lists call it
    count: int  # how many values it has
    path: Path | None = None
    table_limit: int = 0  # translations for each source phrase; 0 is no limit
    order: int = 0  # of a language model; 0 where the file decides
    reordering: str = ""  # type of a lexicalised reordering model


@dataclass(frozen=True, slots=True)
class MosesIni:
    """A phrase-based system as moses.ini describes it."""

    features: tuple[Feature, ...]  # in the file's order
    weights: Mapping[str, tuple[float, ...]]  # of each feature by its name
    distortion_limit: int | None  # None is no limit
    early_distortion: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)  # of Moses's own search, unused

    def of_kind(self, *kinds: str) -> list[Feature]:
        """The features of some kinds."""
        return [feature for feature in self.features if feature.kind in kinds]


@dataclass(frozen=True, slots=True)
class _Section:
    line: int
    rows: list[tuple[int, str]]


def read_moses_ini(path: Path, *, base: Path | None = None) -> MosesIni:
    """Read a moses.ini; relative paths in it are relative to ``base``, by default its folder.

    (Moses takes them relative to where it is started, which for most models is the same.)
    """
    sections = _sections(path)
    for name, section in sections.items():
        if name not in _READ | _ABOUT_MOSES_ITSELF:
            raise InputError(
                f"[{name}] is not supported",
                path=path,
                line=section.line,
                hint="Variorum reads phrase-based models without it.",
            )
    _check_factors(path, sections)
    base = path.parent if base is None else base
    if "feature" in sections:
        features = _new_features(path, sections["feature"], base)
        weights = _new_weights(path, sections.get("weight"), features)
    else:
        features, weights = _old_style(path, sections, base)
    limit = _setting(path, sections, ("distortion-limit", "dl"), 6, least=-1, most=_LARGEST_JUMP)
    early = sections.get("early-distortion-cost")
    return MosesIni(
        features=tuple(features),
        weights=weights,
        distortion_limit=None if limit < 0 else limit,
        early_distortion=early is not None and _flag(early),
        settings={
            name: " ".join(text for _, text in section.rows)
            for name, section in sections.items()
            if name in _ABOUT_MOSES_ITSELF
        },
    )


def _sections(path: Path) -> dict[str, _Section]:
    text = read_utf8(path, most=_MOST_BYTES).decode()
    sections: dict[str, _Section] = {}
    current: _Section | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].strip()
            if name in sections:
                raise InputError(
                    f"[{name}] is there twice",
                    path=path,
                    line=number,
                    hint="Join the two sections.",
                )
            current = sections[name] = _Section(number, [])
        elif current is None:
            raise InputError(
                "expected a section such as [feature]",
                path=path,
                line=number,
                hint="Is this a moses.ini?",
            )
        else:
            current.rows.append((number, line))
    if not sections:
        raise InputError("the file is empty", path=path, hint="Is this a moses.ini?")
    return sections


def _flag(section: _Section) -> bool:
    return not section.rows or section.rows[0][1].lower() in ("1", "true", "yes", "on")


def _setting(
    path: Path, sections: Mapping[str, _Section], names: Sequence[str], default: int,
    *, least: int = 0, most: int,
) -> int:  # fmt: skip
    """The one number in a section, by any of its names."""
    for name in names:
        if name in sections:
            section = sections[name]
            text = section.rows[0][1] if section.rows else ""
            return _whole(path, section.line, f"[{name}]", text, least=least, most=most)
    return default


def _whole(path: Path, line: int, what: str, text: str, *, least: int = 0, most: int) -> int:
    """A whole number that makes sense."""
    try:
        number = int(text)
    except ValueError:
        number = most + 1
    if not least <= number <= most:
        raise InputError(
            f"{what} needs a whole number from {least} to {most:,}, not {text[:20]!r}",
            path=path,
            line=line,
        )
    return number


def _check_factors(path: Path, sections: Mapping[str, _Section]) -> None:
    """Refuse factored models and more than one translation step."""
    factors = sections.get("input-factors")
    if factors is not None and [text for _, text in factors.rows] not in ([], ["0"]):
        raise InputError(
            "factored input is not supported",
            path=path,
            line=factors.line,
            hint="Variorum reads models of words alone: [input-factors] 0.",
        )
    mapping = sections.get("mapping")
    if mapping is not None and [t.split()[-2:] for _, t in mapping.rows] not in ([], [["T", "0"]]):
        raise InputError(
            "[mapping] has more than one step",
            path=path,
            line=mapping.line,
            hint="Variorum reads models with one phrase table: 0 T 0.",
        )


def _new_features(path: Path, section: _Section, base: Path) -> list[Feature]:
    features: list[Feature] = []
    counts: dict[str, int] = {}
    for line, text in section.rows:
        kind, *pairs = text.split()
        options = {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not equals:
                raise InputError(f"expected key=value, found {pair!r}", path=path, line=line)
            options[key] = value
        default_name = f"{kind}{counts.get(kind, 0)}"
        counts[kind] = counts.get(kind, 0) + 1
        features.append(_feature(path, line, kind, default_name, options, base))
    _check_set(path, section.line, features)
    return features


def _feature(
    path: Path, line: int, kind: str, name: str, options: Mapping[str, str], base: Path
) -> Feature:
    """One line of [feature]."""

    def refuse(problem: str, hint: str = "") -> InputError:
        return InputError(problem, path=path, line=line, hint=hint)

    for key, value in options.items():
        if key not in _HARMLESS_KEYS:
            raise refuse(f"{kind} with {key}= is not supported", "Variorum reads models without.")
        if key.endswith("factor") and value != "0":
            raise refuse("factored models are not supported", f"{key}=0 is the only one.")
    name = options.get("name", name)
    file = base / _expanded(path, line, options["path"]) if "path" in options else None

    def whole(key: str, default: int, most: int = _MOST_VALUES) -> int:
        return _whole(path, line, key, options.get(key, str(default)), most=most)

    if kind in _LANGUAGE_MODELS:
        if file is None:
            raise refuse(f"{kind} needs path=")
        if whole("num-features", 1) != 1:
            raise refuse(
                f"{kind} with more than one value (out-of-vocabulary feature)",
                "Variorum gives a language model one value.",
            )
        return Feature(kind, name, 1, file, order=whole("order", 0))
    if _PHRASE_TABLES.get(kind) == "text":
        if file is None:
            raise refuse(f"{kind} needs path=")
        limit = whole("table-limit", 20, _MOST_TRANSLATIONS)
        return Feature(kind, name, whole("num-features", 0), file, limit)
    if _PHRASE_TABLES.get(kind) == "binary":
        raise refuse(
            f"{kind} is a binary phrase table",
            "Give the text table from which it was made: PhraseDictionaryMemory.",
        )
    if kind == "LexicalReordering":
        if file is None:
            raise refuse("LexicalReordering needs path=")
        return Feature(
            kind, name, whole("num-features", 0), file, reordering=options.get("type", "")
        )
    if kind in ("WordPenalty", "PhrasePenalty", UNKNOWN_WORD_PENALTY, "Distortion"):
        if whole("num-features", 1) != 1:
            raise refuse(f"{kind} has one value")
        return Feature(kind, name, 1)
    raise refuse(
        f"the feature {kind} is not supported",
        "Variorum reads phrase tables, lexicalised reordering, n-gram models, Distortion, "
        "WordPenalty, PhrasePenalty and UnknownWordPenalty.",
    )


def _expanded(path: Path, line: int, text: str) -> str:
    if "${" in text:
        raise InputError(
            f"the path {text} has a variable in it",
            path=path,
            line=line,
            hint="Write the path itself.",
        )
    return text


def _check_set(path: Path, line: int, features: list[Feature]) -> None:
    """The features that a system must have once, and those it may have once."""
    if len(features) > _MOST_FEATURES:
        raise InputError(
            f"{len(features):,} features, and {_MOST_FEATURES} is the most", path=path, line=line
        )
    by_kind = Counter(feature.kind for feature in features)
    for name, times in Counter(feature.name for feature in features).items():
        if times > 1:
            raise InputError(f"the feature name {name} is there twice", path=path, line=line)
    if by_kind["PhraseDictionaryMemory"] != 1:
        raise InputError(
            f"{by_kind['PhraseDictionaryMemory']} phrase tables",
            path=path,
            line=line,
            hint="Variorum reads models with exactly one.",
        )
    for kind in ("Distortion", "WordPenalty", "PhrasePenalty", UNKNOWN_WORD_PENALTY):
        if by_kind[kind] > 1:
            raise InputError(f"{kind} is there twice", path=path, line=line)


def _new_weights(
    path: Path, section: _Section | None, features: list[Feature]
) -> dict[str, tuple[float, ...]]:
    known = {feature.name: feature for feature in features}
    weights: dict[str, tuple[float, ...]] = {}
    for line, text in section.rows if section is not None else []:
        name, equals, rest = text.partition("=")
        name = name.strip()
        if not equals or name not in known:
            raise InputError(
                f"a weight for {name!r}, which is no feature",
                path=path,
                line=line,
                hint=f"The features are {', '.join(known)}.",
            )
        weights[name] = _weights(path, line, rest.split())
    for feature in features:
        if feature.name not in weights:
            if feature.kind != UNKNOWN_WORD_PENALTY:
                raise InputError(
                    f"no weight for {feature.name}",
                    path=path,
                    hint=f"Write {feature.name}= and a number under [weight].",
                )
            weights[feature.name] = (1.0,)
        elif feature.count and len(weights[feature.name]) != feature.count:
            raise InputError(
                f"{feature.name} has {feature.count} values and "
                f"{len(weights[feature.name])} weights",
                path=path,
                line=section.line if section else None,
            )
    return weights


def _weights(path: Path, line: int | None, texts: list[str]) -> tuple[float, ...]:
    try:
        numbers = tuple(float(text) for text in texts)
    except ValueError:
        numbers = (math.nan,)
    if not numbers or not all(math.isfinite(number) for number in numbers):
        raise InputError("a weight is not a finite number", path=path, line=line)
    if (largest := max(map(abs, numbers))) > _LARGEST_WEIGHT:
        raise InputError(
            f"a weight is {largest:g}, and {_LARGEST_WEIGHT:,.0f} is the most",
            path=path,
            line=line,
            hint="Scores are sums of products with weights; those of tuned systems are about 1.",
        )
    return numbers


def _old_style(
    path: Path, sections: Mapping[str, _Section], base: Path
) -> tuple[list[Feature], dict[str, tuple[float, ...]]]:
    """Moses before 2013: one section for each kind of model, and weights in order."""
    tables = sections.get("ttable-file")
    if tables is None or len(tables.rows) != 1:
        raise InputError(
            "expected [feature], or [ttable-file] with one phrase table",
            path=path,
            hint="Is this the moses.ini of a phrase-based system?",
        )
    features = [Feature(UNKNOWN_WORD_PENALTY, "UnknownWordPenalty0", 1)]
    features.append(Feature("WordPenalty", "WordPenalty0", 1))
    line, text = tables.rows[0]
    fields = text.split()
    if len(fields) != 5 or fields[:3] != ["0", "0", "0"]:
        raise InputError(
            "expected '0 0 0 scores path'",
            path=path,
            line=line,
            hint="Variorum reads text tables (implementation 0) of words (factor 0).",
        )
    limit = _setting(path, sections, ("ttable-limit",), 20, most=_MOST_TRANSLATIONS)
    scores = _whole(path, line, "the number of scores", fields[3], most=_MOST_VALUES)
    features.append(
        Feature("PhraseDictionaryMemory", "TranslationModel0", scores, base / fields[4], limit)
    )
    for index, (line, text) in enumerate(_rows(sections, "distortion-file")):
        fields = text.split()
        if len(fields) != 4 or fields[0] != "0-0":
            raise InputError("expected '0-0 type scores path'", path=path, line=line)
        features.append(
            Feature(
                "LexicalReordering",
                f"LexicalReordering{index}",
                _whole(path, line, "the number of scores", fields[2], most=_MOST_VALUES),
                base / fields[3],
                reordering=fields[1],
            )
        )
    features.append(Feature("Distortion", "Distortion0", 1))
    for index, (line, text) in enumerate(_rows(sections, "lmodel-file")):
        fields = text.split()
        if len(fields) != 4 or fields[1] != "0":
            raise InputError("expected 'implementation 0 order path'", path=path, line=line)
        order = _whole(path, line, "the order", fields[2], most=_MOST_VALUES)
        features.append(Feature("KENLM", f"LM{index}", 1, base / fields[3], order=order))
    _check_set(path, tables.line, features)
    return features, _old_weights(path, sections, features)


def _old_weights(
    path: Path, sections: Mapping[str, _Section], features: list[Feature]
) -> dict[str, tuple[float, ...]]:
    """[weight-d] has the distortion first and then all lexicalised reordering."""
    homes = {
        "weight-t": [f for f in features if f.kind == "PhraseDictionaryMemory"],
        "weight-l": [f for f in features if f.kind == "KENLM"],
        "weight-w": [f for f in features if f.kind == "WordPenalty"],
        "weight-d": [f for f in features if f.kind == "Distortion"]
        + [f for f in features if f.kind == "LexicalReordering"],
        "weight-u": [f for f in features if f.kind == UNKNOWN_WORD_PENALTY],
    }
    weights: dict[str, tuple[float, ...]] = {}
    for name, owners in homes.items():
        given = sections.get(name)
        if given is None and name == "weight-u":
            weights[owners[0].name] = (1.0,)
            continue
        numbers = (
            _weights(
                path,
                given.line if given else None,
                [t for _, text in _rows(sections, name) for t in text.split()],
            )
            if given
            else ()
        )
        wanted = sum(owner.count for owner in owners)
        if len(numbers) != wanted:
            raise InputError(
                f"[{name}] has {len(numbers)} weights, and the models have {wanted} values",
                path=path,
                line=given.line if given else None,
            )
        for owner in owners:
            weights[owner.name], numbers = numbers[: owner.count], numbers[owner.count :]
    return weights


def _rows(sections: Mapping[str, _Section], name: str) -> list[tuple[int, str]]:
    section = sections.get(name)
    return section.rows if section is not None else []
