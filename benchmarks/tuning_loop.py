"""Tuning a whole system: Multi30k as Moses trained it, from equal weights, against Moses' mert."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.harness import Row

MOSES_VAL, MOSES_TEST = 41.07, 39.98  # BLEU with the weights of mert-moses.pl, stack 100 and 200
SEEDS = {"mert": (1,), "batch-mira": (1, 2, 3)}


def rows(data: Path | None) -> Iterator[Row]:
    """BLEU of test2016 with weights tuned on val; CPU times of one thread."""
    if data is None:
        return
    from decoding.core.formats.text import read_lines
    from decoding.core.search.bulk import translate_lines
    from decoding.core.search.decoder import Decoder, SearchOptions
    from decoding.core.translation.moses import read_moses_system
    from decoding.core.tuning import TunableSystem
    from evaluation.core.tuning.loop import LoopOptions, tune
    from evaluation.core.tuning.methods import METHODS
    from evaluation.core.tuning.metric import BLEU
    from evaluation.kbest import Referee

    folder = data / "moses-multi30k-deen"
    tunable = TunableSystem(
        read_moses_system(folder / "moses.ini"),
        list(read_lines(folder / "val.de")),
        Referee.read([folder / "val.en"]),
        search=SearchOptions(pop_limit=200),
    )
    sources = list(read_lines(folder / "test_2016_flickr.de"))
    referee = Referee.read([folder / "test_2016_flickr.en"])
    for name, seeds in SEEDS.items():
        val, test, took, rounds = [], [], [], []
        for seed in seeds:
            begun = time.process_time()
            optimise = partial(METHODS[name].tune, options=METHODS[name].options())
            progress = tune(tunable.decode, optimise, tunable.uniform_weights, seed, LoopOptions())
            took.append(time.process_time() - begun)
            rounds.append(len(progress.rounds))
            val.append(progress.best.score)
            decoder = Decoder(tunable.with_weights(progress.best.weights))
            texts = [text for text, _ in translate_lines(decoder, sources, SearchOptions())]
            test.append(BLEU.of_corpus(referee.statistics(texts, [1] * len(texts))))
        mean = sum(test) / len(test)
        yield Row(
            f"Multi30k de-en, {name}",
            mean / MOSES_TEST,
            "test2016 BLEU of ours / with Moses' weights",
            aim="at least 39.68 BLEU",
            met=mean >= MOSES_TEST - 0.3,
            detail={
                "test_mean": mean,
                "test_least": min(test),
                "test_greatest": max(test),
                "val_mean": sum(val) / len(val),
                "val_moses": MOSES_VAL,
                "seeds": len(seeds),
                "rounds": max(rounds),
                "cpu_s": max(took),
            },
        )
