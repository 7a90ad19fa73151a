"""Tuning whole systems, decoding between the rounds: all methods, five seeds, three data sets.

The systems are those of `systems`, trained here; a part of the tuning and of the test set is taken,
spread evenly over it, so that 63 loops take minutes. All start from equal weights. APRO has no
chance in it, and goes once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row, work_folder
from benchmarks.systems import CASES, Case, files, kept, lines, train

if TYPE_CHECKING:
    from decoding.core.tuning import TunableSystem
    from evaluation.core.tuning.lists import FloatArray
    from evaluation.kbest import Referee

SEEDS = range(1, 6)
SENTENCES = 200  # of each set
ROUNDS = 8


Measured = tuple[float, float]  # BLEU, and the translations' length over the references'


def rows(data: Path | None) -> Iterator[Row]:
    """BLEU of the part that was tuned on and of the test set's; CPU times of one thread."""
    if data is None:
        return
    from evaluation.core.tuning.methods import METHODS

    with work_folder("systems") as folder:
        for name in ("multi30k", "bible", "ted"):
            case, place = CASES[name], folder / name
            place.mkdir(exist_ok=True)
            kept(place / "train.json", partial(train, case, data, place / "system"))
            tunable, test = _sets(case, data, place / "system")
            equal = tunable.uniform_weights
            untuned = {"dev_untuned": _dev(tunable, equal), "test_untuned": test(equal)[0]}
            for method in METHODS:
                runs = [
                    kept(place / f"{method}.{seed}.json", partial(run, tunable, test, method, seed))
                    for seed in (SEEDS if method != "apro" else SEEDS[:1])
                ]
                yield _row(case, method, untuned, runs)


def run(
    tunable: TunableSystem, test: Callable[[FloatArray], Measured], name: str, seed: int
) -> dict[str, Any]:
    """One loop with a method's defaults."""
    from evaluation.core.tuning.loop import LoopOptions, tune
    from evaluation.core.tuning.methods import METHODS

    method = METHODS[name]
    began = time.process_time()
    progress = tune(
        tunable.decode,
        partial(method.tune, options=method.options()),
        tunable.uniform_weights,
        seed,
        LoopOptions(ROUNDS, interpolation=method.interpolation),
    )
    took = time.process_time() - began
    bleu, length = test(progress.best.weights)
    return {
        "cpu_s": took,
        "rounds": len(progress.rounds),
        "dev": progress.best.score,
        "test": bleu,
        "length": length,
    }


def _sets(
    case: Case, data: Path, folder: Path
) -> tuple[TunableSystem, Callable[[FloatArray], Measured]]:
    """The system on its tuning sentences, and what weights do on the test sentences."""
    from decoding.core.search.bulk import translate_lines
    from decoding.core.search.decoder import Decoder, SearchOptions
    from decoding.core.system import System
    from decoding.core.tuning import TunableSystem
    from evaluation.core.tuning.metric import BLEU

    search = SearchOptions(pop_limit=200)
    sources, referee = _part(case, data, case.tune)
    tunable = TunableSystem(System.open(folder), sources, referee, search=search)
    test_sources, test_referee = _part(case, data, case.test)

    def test(weights: FloatArray) -> Measured:
        decoder = Decoder(tunable.with_weights(weights))
        texts = [text for text, _ in translate_lines(decoder, test_sources, search)]
        statistics = test_referee.statistics(texts, [1] * len(texts))
        length, reference_length = statistics.sum(axis=0)[-2:]
        return BLEU.of_corpus(statistics), float(length / reference_length)

    return tunable, test


def _part(
    case: Case, data: Path, split: tuple[str, tuple[str, ...]]
) -> tuple[Sequence[str], Referee]:
    """SENTENCES of a set, spread evenly over it."""
    from evaluation.kbest import Referee

    source, references = files(case, data, split)
    every = lines(source)
    step = max(1, len(every) // SENTENCES)
    part = slice(0, step * SENTENCES, step)
    return every[part], Referee(
        list(zip(*(lines(reference)[part] for reference in references), strict=True))
    )


def _dev(tunable: TunableSystem, weights: FloatArray) -> float:
    from evaluation.core.tuning.metric import BLEU

    lists = tunable.decode(weights)
    return BLEU.of_corpus(lists.statistics[lists.offsets[:-1]])


def _row(case: Case, method: str, untuned: dict[str, float], runs: Sequence[dict[str, Any]]) -> Row:
    dev = [run["dev"] for run in runs]
    return Row(
        f"{case.name}: {method}",
        sum(dev) / len(dev) / untuned["dev_untuned"],
        "dev BLEU tuned / with equal weights",
        aim="above 1 with every seed",
        met=min(dev) > untuned["dev_untuned"],
        detail={
            **{name: round(score, 2) for name, score in untuned.items()},
            **_spread("dev", dev),
            **_spread("test", [run["test"] for run in runs]),
            "test_length": round(sum(run["length"] for run in runs) / len(runs), 3),
            "rounds": " ".join(str(run["rounds"]) for run in runs),
            "cpu_s": round(max(run["cpu_s"] for run in runs), 1),
        },
    )


def _spread(name: str, scores: Sequence[float]) -> dict[str, float]:
    return {
        f"{name}_mean": round(sum(scores) / len(scores), 2),
        f"{name}_least": round(min(scores), 2),
        f"{name}_greatest": round(max(scores), 2),
    }
