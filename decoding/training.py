"""What can be said about a training, and what follows from it: texts, options, time, shares.

A training is `decoding.core.corpus.training.train_system` over a corpus: its sources, and one of
its references each as their translation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings as server

from decoding.core.corpus.words import base_language, segmenter_of
from decoding.models import Corpus, Reference

if TYPE_CHECKING:  # numba comes with it, and pages must not wait for it
    from decoding.core.corpus.align import Model as Aligner
    from decoding.core.corpus.preparation import Case
    from decoding.core.corpus.training import TrainingOptions, TrainingTexts

REPORT = "training.json"  # beside the arrays; decoding.core.corpus.training writes it

CASES = {
    "as-is": "as it is",
    "true": "words at the start of a sentence in their usual case",
    "lower": "all in lower case",
}
ALIGNERS = {
    "hmm": "hidden Markov model: the better links",
    "diagonal": "diagonal: half the time",
    "ibm1": "words only: a first look",
}
PRUNING = {
    "": "keep all phrase pairs",
    "a-e": "drop what may be chance, keep what occurs once",
    "a+e": "drop what may be chance: the smallest table",
    "entropy": "drop what shorter phrases make almost as well (relative entropy)",
}
SMOOTHINGS = {
    "kneser-ney": "modified Kneser-Ney: the best for text",
    "witten-bell": "Witten-Bell: for few words, such as classes or tags",
}
ORDERS = range(1, 8)

# Of a hundred pieces, how many each step takes; between Multi30k and 65,000 sentences of news, both
# tokenised here, for which a step's share differs by up to half. The rest keeps the system.
SHARES = {
    "prepare": 20, "number": 2, "align": 40, "lexical": 1, "phrases": 15, "language": 4,
    "system": 15, "dev": 1,
}  # fmt: skip
PIECES = 100
STEP_WORDS = {
    "prepare": "tokenising and cleaning",
    "number": "numbering words",
    "align": "aligning words",
    "lexical": "word translation probabilities",
    "phrases": "extracting phrases",
    "language": "estimating the language model",
    "system": "scoring phrases",
    "dev": "looking at the dev corpus",
}

# Seconds for a word of the source on one core; benchmarks/training.py measures 0.8e-4 of
# tokenised text, and a shared machine is slower.
_SECONDS_A_WORD = 1.5e-4
_SECONDS_AT_LEAST = 20


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train, as the form and `ask_for_training` have it; the rest is the core's default."""

    source_rules: str = ""  # the language by whose rules the source is tokenised; "": it is already
    target_rules: str = ""
    case: Case = "as-is"  # one of CASES
    aligner: Aligner = "hmm"  # one of ALIGNERS
    order: int = 5  # of the language model
    pruning: str = ""  # one of PRUNING
    smoothing: str = "kneser-ney"  # of the language model, one of SMOOTHINGS

    def options(self) -> TrainingOptions:
        """The core's options; `manage.py train_system` makes the same of the same arguments."""
        from decoding.core.corpus.align import AlignmentOptions
        from decoding.core.corpus.entropy import EntropyOptions
        from decoding.core.corpus.preparation import PreparationOptions
        from decoding.core.corpus.prune import PruningOptions
        from decoding.core.corpus.training import TrainingOptions
        from decoding.core.language.estimate import EstimationOptions

        source, target = (
            PreparationOptions(
                language=rules or None,
                case=self.case,
                segmenter=segmenter_of(rules),
            )
            for rules in (self.source_rules, self.target_rules)
        )
        return TrainingOptions(
            source=source,
            target=target,
            alignment=AlignmentOptions(model=self.aligner),
            pruning=PruningOptions(self.pruning) if self.pruning in ("a-e", "a+e") else None,
            entropy=EntropyOptions() if self.pruning == "entropy" else None,
            language=EstimationOptions(order=self.order, smoothing=self.smoothing),
        )

    def as_dict(self) -> dict[str, Any]:
        """As a job's parameters keep it."""
        return asdict(self)


def usual_settings(corpus: Corpus, reference: int = 1) -> TrainingSettings:
    """What suits the corpus: text that looks untokenised is tokenised by its languages' rules."""
    segments = corpus.segments.order_by("number")[:200]
    targets = Reference.objects.filter(segment__corpus=corpus, number=reference)
    source = _rules(corpus.source_language, segments.values_list("source", flat=True))
    target = _rules(
        corpus.target_language,
        targets.order_by("segment__number").values_list("text", flat=True)[:200],
    )
    return TrainingSettings(source, target, case="true" if source or target else "as-is")


def _rules(language: str, texts: Iterable[str]) -> str:
    """The language whose rules shall tokenise the texts, or nothing if they are tokenised."""
    return "" if looks_tokenised(list(texts)) else base_language(language)


def looks_tokenised(texts: Sequence[str]) -> bool:
    """Whether full stops and commas mostly stand by themselves.

    >>> looks_tokenised(["ein haus .", "das haus"]), looks_tokenised(["Ein Haus."])
    (True, False)
    """
    marks = tuple(".,;?!。、，？！؟،")
    words = [word for text in texts for word in text.split()]
    attached = sum(len(word) > 1 and word.endswith(marks) for word in words)
    alone = sum(word in marks for word in words)
    long = sum(len(word) > 20 for word in words)  # a script without blanks
    return attached <= alone and long <= len(words) / 10


def expected_minutes(words: int) -> int:
    """About how long training on so many words of source takes."""
    return math.ceil((_SECONDS_AT_LEAST + words * _SECONDS_A_WORD) / 60)


# --- The working folder -----------------------------------------------------------------------


def folder_of(job: int) -> Path:
    """Where a training lies until it is done: on the disk of the data, under its job's number.

    So a worker that takes the job over finds there what the dead one left, if it has the same
    disk; on another disk it begins anew.
    """
    return Path(server.DATA_DIR) / "training" / str(job)


def write_texts(
    folder: Path, corpus: Corpus, reference: int, dev: Corpus | None, monolingual: Sequence[Corpus]
) -> TrainingTexts:
    """The texts as files, unless they are there: a training goes on only with the same files."""
    from decoding.core.corpus.training import TrainingTexts

    folder.mkdir(parents=True, exist_ok=True)

    def write(name: str, of: Corpus, side: str, number: int = 1) -> Path:
        path = folder / name
        if not path.exists():
            part = path.with_suffix(".part")
            with part.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{_one_line(text)}\n" for text in _texts(of, side, number))
            part.replace(path)
        return path

    return TrainingTexts(
        source=write("source", corpus, "source", reference),
        target=write("target", corpus, "target", reference),
        monolingual=tuple(write(f"more-{one.pk}", one, "all sources") for one in monolingual),
        dev_source=write("dev.source", dev, "source") if dev else None,
        dev_target=write("dev.target", dev, "target") if dev else None,
    )


def _texts(corpus: Corpus, side: str, reference: int) -> Iterable[str]:
    """One side's texts, in order; of pairs, those whose reference is there."""
    if side == "all sources":
        return corpus.segments.order_by("number").values_list("source", flat=True).iterator()
    pairs = Reference.objects.filter(segment__corpus=corpus, number=reference)
    wanted = "segment__source" if side == "source" else "text"
    return pairs.order_by("segment__number").values_list(wanted, flat=True).iterator()


def _one_line(text: str) -> str:
    """What a file of a sentence a line can hold."""
    return text.replace("\n", " ").replace("\r", " ")


def read_report(folder: Path) -> dict[str, Any] | None:
    """The report in a trained system's folder; None in another's."""
    path = folder / REPORT
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
