"""From parallel text to a phrase-based system, step by step, resuming where it was interrupted.

Every step leaves its result in a work folder next to the system and is noted there when it is
done. Training again with the same texts and options goes on after the last step that was; with
others it starts anew. A step that was broken off is taken again from its start, so no step may
remove or change what it reads. The system's own folder appears last, and whole.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from decoding.core import system as kinds
from decoding.core.corpus.align import AlignmentOptions, align
from decoding.core.corpus.assemble import assemble_table, vocabulary_of_side
from decoding.core.corpus.bitext import Bitext, encode_side, open_side, pair_up
from decoding.core.corpus.clean import Cleaner, CleaningOptions
from decoding.core.corpus.entropy import EntropyOptions, prune_by_entropy
from decoding.core.corpus.extract import ExtractionOptions
from decoding.core.corpus.lexical import LexicalTable, lexical_lines, lexical_table
from decoding.core.corpus.links import Links, pharaoh_lines, read_pharaoh
from decoding.core.corpus.moses_tables import (
    START_WEIGHTS,
    moses_ini,
    phrase_table_lines,
    reordering_table_lines,
)
from decoding.core.corpus.phrases import CountedPhrases, PhrasePairs, count_phrases
from decoding.core.corpus.preparation import (
    CasingCounter,
    Preparation,
    PreparationOptions,
    load_preparation,
)
from decoding.core.corpus.prune import PruningOptions, prune_phrases
from decoding.core.corpus.score import (
    ScoringOptions,
    estimate_discounts,
    score_phrases,
    score_reordering,
)
from decoding.core.corpus.symmetrize import SymmetryOptions, symmetrize
from decoding.core.formats.arpa import write_arpa
from decoding.core.formats.text import read_lines, read_parallel, write_utf8
from decoding.core.language.estimate import EstimationOptions, estimate
from decoding.core.language.model import LanguageModel
from decoding.core.language.perplexity import perplexity
from decoding.core.room import Room
from decoding.core.system import Settings, System, feature_layout
from evaluation.core.errors import InputError

SOURCE, TARGET = "source", "target"
REPORT = "training.json"

Progress = Callable[[str, float], None]  # a step's name, and how much of it is done
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """The files to learn from."""

    source: Path
    target: Path
    alignment: Path | None = None  # in Pharaoh format, of another aligner, a line a pair
    monolingual: tuple[Path, ...] = ()  # more text of the target language for the language model
    dev_source: Path | None = None  # to report unknown words and perplexity on
    dev_target: Path | None = None

    def paths(self) -> Iterator[Path]:
        """All files that there are."""
        for path in (
            self.source,
            self.target,
            self.alignment,
            *self.monolingual,
            self.dev_source,
            self.dev_target,
        ):
            if path is not None:
                yield path


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How to learn. Frozen, so that a report can hold all that a system came from."""

    kind: Literal["phrase", "hierarchical"] = "phrase"
    source: PreparationOptions = field(default_factory=PreparationOptions)
    target: PreparationOptions = field(default_factory=PreparationOptions)
    cleaning: CleaningOptions = field(default_factory=CleaningOptions)
    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    symmetry: SymmetryOptions = field(default_factory=SymmetryOptions)
    extraction: ExtractionOptions = field(default_factory=ExtractionOptions)
    pruning: PruningOptions | None = None  # by significance; None: all pairs are kept
    entropy: EntropyOptions | None = None  # by relative entropy, after that
    scoring: ScoringOptions = field(default_factory=ScoringOptions)
    language: EstimationOptions = field(default_factory=EstimationOptions)
    moses_files: bool = False  # also keep tables, language model and moses.ini as Moses's text


def train_system(
    texts: TrainingTexts,
    output: Path,
    options: TrainingOptions | None = None,
    *,
    clock: Clock,
    progress: Progress = lambda _step, _done: None,
) -> dict[str, Any]:
    """Train a system into the folder ``output``; its report, which is kept there too.

    ``clock`` gives seconds, for the report. ``progress`` may raise to stop: the work done remains.
    """
    options = options or TrainingOptions()
    if options.kind != "phrase":
        raise InputError(
            "hierarchical systems cannot be trained yet",
            hint="Train a system of kind phrase; hierarchical ones can be imported from Moses.",
        )
    if output.exists() and not (output.is_dir() and not any(output.iterdir())):
        raise InputError(
            "is there already", path=output, hint="Remove it, or give another --output."
        )
    work = output.with_name(output.name + ".training")
    training = _Training(texts, options, work, clock, progress)
    for name in _STEPS:
        training.step(name)
    report = training.finish()
    if output.exists():
        output.rmdir()
    (work / "system").replace(output)
    shutil.rmtree(work)
    return report


class _Training:
    """A training under way: where its files are, and which steps are done."""

    def __init__(
        self, texts: TrainingTexts, options: TrainingOptions, work: Path, clock: Clock,
        progress: Progress,
    ) -> None:  # fmt: skip
        self.texts, self.options, self.work = texts, options, work
        self.clock, self.progress = clock, progress
        self.state_path = work / "state.json"
        fingerprint = _fingerprint(texts, options)
        self.state: dict[str, Any] = {}
        if self.state_path.exists():
            self.state = json.loads(self.state_path.read_text(encoding="utf-8"))
        if self.state.get("fingerprint") != fingerprint:
            if work.exists():
                shutil.rmtree(work)
            work.mkdir(parents=True)
            self.state = {"fingerprint": fingerprint, "results": {}, "seconds": {}}

    def step(self, name: str) -> None:
        """Take a step unless it is done already, and note that it is."""
        if name not in self.state["results"]:
            self.progress(name, 0.0)
            start = self.clock()
            result = _STEPS[name](self)
            self.state["seconds"][name] = self.clock() - start
            self.state["results"][name] = result
            part = self.state_path.with_suffix(".part")
            part.write_text(json.dumps(self.state), encoding="utf-8")
            part.replace(self.state_path)
        self.progress(name, 1.0)

    def finish(self) -> dict[str, Any]:
        """The report, written into the system's folder."""
        report = {
            "kind": self.options.kind,
            "options": asdict(self.options),
            **self.state["results"],
            "seconds": {name: round(s, 3) for name, s in self.state["seconds"].items()},
        }
        text = json.dumps(report, indent=1, ensure_ascii=False)
        (self.work / "system" / REPORT).write_text(text + "\n", encoding="utf-8")
        read_again: dict[str, Any] = json.loads(text)  # lists for tuples, as whoever reads it has
        return read_again

    # What later steps load of what earlier ones left.

    def preparation(self, side: str) -> Preparation:
        return load_preparation(self.work / f"preparation.{side}.json")

    def bitext(self) -> Bitext:
        return pair_up(open_side(self.work, SOURCE), open_side(self.work, TARGET))

    def links(self) -> Links:
        points = np.load(self.work / "links.npy", mmap_mode="c")
        return Links(np.asarray(points), np.load(self.work / "links.offsets.npy"))

    def lexical(self) -> LexicalTable:
        with np.load(self.work / "lexical.npz") as arrays:
            return LexicalTable(**{name: arrays[name] for name in arrays.files})

    def counted(self) -> CountedPhrases:
        counts = dict(self.state["results"]["phrases"])
        del counts["extracted"]
        folder = self.work / "phrases"
        shards = tuple(folder / f"pairs.{k}.npz" for k in range(counts.pop("shards")))
        return CountedPhrases(shards, folder / "targets", **counts)


def _prepare(training: _Training) -> dict[str, Any]:
    """Tokenise and clean; learn the usual case of words."""
    texts, work = training.texts, training.work
    sides = {
        SOURCE: Preparation(training.options.source),
        TARGET: Preparation(training.options.target),
    }
    casing = {side: CasingCounter() for side in sides}
    cleaner = Cleaner(training.options.cleaning)
    kept: list[int] = []  # lines of the given alignment
    given = [texts.source, texts.target, *([texts.alignment] if texts.alignment else [])]
    count = sum(1 for _ in read_lines(texts.source, strict=False))  # a moment, beside tokenising
    with (
        (work / "tokens.source").open("w", encoding="utf-8", newline="\n") as source_file,
        (work / "tokens.target").open("w", encoding="utf-8", newline="\n") as target_file,
        (work / "links.given").open("w", encoding="utf-8", newline="\n") as links_file,
    ):
        for number, lines in enumerate(read_parallel(given, strict=False), start=1):
            if number % 1000 == 0:
                training.progress("prepare", number / count)
            source, target = sides[SOURCE].tokenize(lines[0]), sides[TARGET].tokenize(lines[1])
            if not cleaner.keeps(source, target):
                continue
            casing[SOURCE].add(source)
            casing[TARGET].add(target)
            source_file.write(" ".join(source) + "\n")
            target_file.write(" ".join(target) + "\n")
            if texts.alignment:
                links_file.write(lines[2] + "\n")
                kept.append(number)
    if not cleaner.report.kept:
        raise InputError(
            f"none of the {cleaner.report.read} sentence pairs is fit for training",
            path=texts.source,
            hint="See whether the two files belong together, and the limits on length and ratio.",
        )
    np.save(work / "links.lines.npy", np.array(kept, np.int64))
    for side, preparation in sides.items():
        learned = casing[side].casing() if preparation.options.case == "true" else {}
        Preparation(preparation.options, learned).save(work / f"preparation.{side}.json")
    return cleaner.report.as_dict()


def _number(training: _Training) -> dict[str, Any]:
    """Recase, and turn words into numbers."""
    counts: dict[str, Any] = {}
    for side in (SOURCE, TARGET):
        preparation = training.preparation(side)
        lines = read_lines(training.work / f"tokens.{side}")
        recased = (" ".join(preparation.recase(line.split(" "))) for line in lines)
        with (training.work / f"text.{side}").open("w", encoding="utf-8", newline="\n") as file:
            encoded = encode_side(_copied(recased, file.write), training.work, side)
        counts[side] = {"words": len(encoded.words), "types": len(encoded.vocabulary) - 1}
    return counts


def _copied(lines: Iterable[str], write: Callable[[str], object]) -> Iterator[str]:
    for line in lines:
        write(line + "\n")
        yield line


def _align(training: _Training) -> dict[str, Any]:
    """Align both ways and symmetrise, or take the alignment that was given."""
    bitext, options = training.bitext(), training.options
    result: dict[str, Any] = {}
    if training.texts.alignment:
        links = _given_links(training, bitext)
        result["model"] = "given"
    else:
        found = align(
            bitext,
            options.alignment,
            lambda done: training.progress("align", done),
            room=Room(training.work),
        )
        links = symmetrize(
            found.forward, found.backward, options.symmetry, room=Room(training.work)
        )
        result |= {
            "model": options.alignment.model,
            "heuristic": options.symmetry.heuristic,
            "forward": asdict(found.forward_report),
            "backward": asdict(found.backward_report),
        }
    np.save(training.work / "links.npy", links.points)
    np.save(training.work / "links.offsets.npy", links.offsets)
    for name in ("tokens.source", "tokens.target"):  # nothing reads them any more
        (training.work / name).unlink(missing_ok=True)
    return result | {"links": len(links.points)}


def _given_links(training: _Training, bitext: Bitext) -> Links:
    """The links of another aligner; an error names the line of the file as it was given."""
    given = read_lines(training.work / "links.given")
    try:
        return read_pharaoh(given, bitext, path=training.texts.alignment)
    except InputError as error:
        if error.line is None:
            raise
        line = int(np.load(training.work / "links.lines.npy")[error.line - 1])
        raise InputError(error.problem, path=error.path, line=line, hint=error.hint) from error


def _lexical(training: _Training) -> dict[str, Any]:
    """Word translation probabilities from the links."""
    table = lexical_table(training.bitext(), training.links())
    with (training.work / "lexical.npz").open("wb") as file:
        np.savez(file, **asdict(table))
    return {"pairs": len(table.keys)}


def _phrases(training: _Training) -> dict[str, Any]:
    """Extract and count phrase pairs, and drop those that are together by chance."""
    bitext, pruning = training.bitext(), training.options.pruning
    entropy, folder = training.options.entropy, training.work / "phrases"
    parts = 1 + (pruning is not None) + (entropy is not None)

    def part(number: int) -> Callable[[float], None]:
        return lambda done: training.progress("phrases", (number + done) / parts)

    counted = count_phrases(
        bitext,
        training.links(),
        folder,
        training.options.extraction,
        progress=part(0),
    )
    extracted = counted.pairs
    if not extracted:
        raise InputError(
            "no phrase pair could be extracted",
            path=training.texts.alignment or training.texts.source,
            hint="The alignment links no words; see whether the texts belong together.",
        )
    if pruning:
        counted = prune_phrases(counted, bitext, pruning, part(1))
    if entropy:
        counted = prune_by_entropy(counted, entropy, folder, part(parts - 1))
    return {
        "extracted": extracted,
        "shards": len(counted.shards),
        "pairs": counted.pairs,
        "occurrences": counted.occurrences,
        "source_phrases": counted.source_phrases,
        "target_phrases": counted.target_phrases,
    }


def _language(training: _Training) -> dict[str, Any]:
    """Estimate the language model of the target side and what is added to it."""
    text = (training.work / "text.target").read_bytes()
    preparation = training.preparation(TARGET)
    for path in training.texts.monolingual:
        text += "".join(
            preparation.prepare(line) + "\n" for line in read_lines(path, strict=False)
        ).encode()
    training.progress("language", 0.1)
    room = Room(training.work)
    estimated = estimate(text, training.options.language, room=room)
    del text
    training.progress("language", 0.3)
    LanguageModel.build(estimated.model, room).save(training.work / "language")
    if training.options.moses_files:
        write_arpa(estimated.model, training.work / "language.arpa.gz")
    return {
        "order": training.options.language.order,
        "ngrams": [len(order) for order in estimated.model.orders],
        "discounts": estimated.discounts,
        "fell_back": estimated.fell_back,
    }


def _system(training: _Training) -> dict[str, Any]:
    """Score the phrases and write the system's folder."""
    bitext, lexical, options = training.bitext(), training.lexical(), training.options.scoring
    counted = training.counted()
    discounts = estimate_discounts(counted.load()) if options.discount != "none" else None

    def score(pairs: PhrasePairs) -> tuple[Any, Any]:
        return score_phrases(pairs, lexical, options, discounts), score_reordering(pairs, options)

    scored = 0

    def score_and_tell(pairs: PhrasePairs) -> tuple[Any, Any]:
        nonlocal scored
        scored += len(pairs)
        probabilities = score(pairs)
        training.progress("system", 0.6 * scored / counted.pairs)
        return probabilities

    columns = training.work / "columns"
    columns.mkdir(exist_ok=True)
    table = assemble_table(counted, bitext.source, bitext.target, score_and_tell, columns)
    features = feature_layout(_FEATURES)
    weights = np.concatenate([np.array(START_WEIGHTS[feature.name]) for feature in features])
    system = System.build(
        features,
        weights,
        Settings(),
        table,
        vocabulary_of_side(bitext.source),
        vocabulary_of_side(bitext.target),
        [LanguageModel.open(training.work / "language")],
        Room(training.work),
    )
    training.progress("system", 0.8)
    folder = training.work / "system"
    system.save(folder)
    for side in (SOURCE, TARGET):
        training.preparation(side).save(folder / f"preparation.{side}.json")
    if training.options.moses_files:
        _write_moses_files(training, folder / "moses", score)
    shutil.rmtree(columns)
    return {"bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())}


def _write_moses_files(
    training: _Training, folder: Path, score: Callable[[PhrasePairs], tuple[Any, Any]]
) -> None:
    """The same models as Moses's text files, with a moses.ini that names them."""
    folder.mkdir(exist_ok=True)
    bitext = training.bitext()

    def pairs_lines() -> Iterator[str]:
        for pairs in training.counted().load():
            for line in phrase_table_lines(bitext, pairs, score(pairs)[0]):
                yield line + "\n"

    def orientation_lines() -> Iterator[str]:
        for pairs in training.counted().load():
            for line in reordering_table_lines(bitext, pairs, score(pairs)[1]):
                yield line + "\n"

    write_utf8(folder / "phrase-table.gz", pairs_lines())
    write_utf8(folder / "reordering-table.gz", orientation_lines())
    shutil.copyfile(training.work / "language.arpa.gz", folder / "language.arpa.gz")
    target_given_source, source_given_target = lexical_lines(training.lexical(), bitext)
    write_utf8(folder / "lex.f2e", (line + "\n" for line in sorted(target_given_source)))
    write_utf8(folder / "lex.e2f", (line + "\n" for line in sorted(source_given_target)))
    write_utf8(folder / "aligned.gz", (line + "\n" for line in pharaoh_lines(training.links())))
    text = moses_ini(
        phrase_table="phrase-table.gz",
        reordering_table="reordering-table.gz",
        language_model="language.arpa.gz",
        order=training.options.language.order,
    )
    (folder / "moses.ini").write_text(text, encoding="utf-8")


def _dev(training: _Training) -> dict[str, Any]:
    """How well the system knows the words of a text that it has not seen."""
    texts, result = training.texts, dict[str, Any]()
    if texts.dev_source:
        source = training.bitext().source
        known = _single_words(training, source.end)
        numbers = {word: number for number, word in enumerate(source.vocabulary)}
        prepare = training.preparation(SOURCE).prepare
        words = [
            w for line in read_lines(texts.dev_source, strict=False) for w in prepare(line).split()
        ]
        unknown = [w for w in words if numbers.get(w, -1) not in known]
        result["source_words"] = len(words)
        result["unknown_rate"] = len(unknown) / max(len(words), 1)
        result["unknown_types"] = len(set(unknown))
    if texts.dev_target:
        prepare = training.preparation(TARGET).prepare
        text = "".join(
            prepare(line) + "\n" for line in read_lines(texts.dev_target, strict=False)
        ).encode()
        measured = perplexity(LanguageModel.open(training.work / "language"), text)
        result["perplexity"] = measured.with_unknown
        result["perplexity_of_known_words"] = measured.without_unknown
        result["target_unknown_rate"] = measured.unknown_rate
    return result


def _single_words(training: _Training, end: int) -> set[int]:
    """The source words that the phrase table can translate by themselves."""
    single: set[int] = set()
    for pairs in training.counted().load():
        single.update(pairs.sources[pairs.sources[:, 1] == end, 0].tolist())
    return single


def _fingerprint(texts: TrainingTexts, options: TrainingOptions) -> str:
    """What a training depends on: its options, and its files by name, size and time."""
    files = {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in texts.paths()
        if path.exists()
    }
    return json.dumps([asdict(options), str(texts), files], sort_keys=True, default=str)


_FEATURES = (
    (kinds.REORDERING, "LexicalReordering0", 6, "wbe-msd-bidirectional-fe-allff"),
    (kinds.DISTORTION, "Distortion0", 1, ""),
    (kinds.LANGUAGE, "LM0", 1, ""),
    (kinds.WORDS, "WordPenalty0", 1, ""),
    (kinds.PHRASES, "PhrasePenalty0", 1, ""),
    (kinds.TRANSLATION, "TranslationModel0", 4, ""),
    (kinds.UNKNOWN_WORDS, "UnknownWordPenalty0", 1, ""),
)

_STEPS: dict[str, Callable[[_Training], dict[str, Any]]] = {
    "prepare": _prepare,
    "number": _number,
    "align": _align,
    "lexical": _lexical,
    "phrases": _phrases,
    "language": _language,
    "system": _system,
    "dev": _dev,
}

STEPS = tuple(_STEPS)
"""The names of the steps, in their order."""
