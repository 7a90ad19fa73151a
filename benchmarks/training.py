"""Training: time by step, memory by size of corpus, and the system that comes out, against Moses.

A yardstick is the CPU time of 100 passes of the kenlm package over Multi30k's English text.
"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, yardstick

SIZES = (25_000, 100_000, 400_000)
PRUNING = (0.1, 1.0, 3.0)  # nats

# Tuned by Moses's MERT for its own tables on the same text, so no advantage to ours.
MOSES_WEIGHTS = {
    "LexicalReordering0": (0.136111, 0.306173, 0.0389922, 0.0441975, 0.0551451, 0.0829958),
    "Distortion0": (0.0120804,),
    "LM0": (0.0669271,),
    "WordPenalty0": (-0.0702223,),
    "PhrasePenalty0": (0.0675182,),
    "TranslationModel0": (0.0292837, 0.0375891, 0.0364951, 0.0162692),
    "UnknownWordPenalty0": (1.0,),
}
MOSES_BLEU = 39.98


def rows(data: Path | None) -> Iterator[Row]:
    """Multi30k German to English, and mixtures of it with news and the Bible for memory."""
    if data is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        yield from _times_and_systems(data, Path(folder))
        yield from pruning(data, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _memory(data, Path(folder))


def _times_and_systems(data: Path, folder: Path) -> Iterator[Row]:
    """Train a system with each aligner, and translate the test set with it."""
    unit = yardstick(data)
    for aligner in ("diagonal", "hmm"):
        _train(data, folder / f"{aligner}.warm", aligner)  # compiles
        report = _train(data, folder / aligner, aligner)
        spent = sum(report["seconds"].values())
        yield Row(
            f"train on Multi30k, {aligner}",
            spent / unit,
            "CPU time in yardsticks",
            aim="at most 100, half of what training and tuning may take",
            met=spent / unit <= 100,
            detail={"yardstick_s": unit} | {f"{k}_s": v for k, v in report["seconds"].items()},
        )
        yield Row(
            f"align both ways, {aligner}",
            report["seconds"]["align"] / unit,
            "CPU time in yardsticks",
            aim="at most 10",
            met=report["seconds"]["align"] / unit <= 10,
            detail={
                f"{direction}_{name}": value
                for direction in ("forward", "backward")
                for name, value in report["align"][direction].items()
                if isinstance(value, float)
            },
        )
        yield _shared_pairs(data, folder / aligner, aligner)
        bleu = _bleu(data, folder / aligner)
        yield Row(
            f"BLEU with Moses's weights, {aligner}",
            bleu / MOSES_BLEU,
            "ours / Moses's on its own tables",
            detail={"bleu": bleu, "moses_bleu": MOSES_BLEU},
        )


def pruning(data: Path, folder: Path) -> Iterator[Row]:
    """What relative entropy leaves of the table, and what that does to BLEU."""
    from decoding.core.corpus.entropy import EntropyOptions

    whole = _train(data, folder / "whole", "diagonal")
    full = _bleu(data, folder / "whole")
    for threshold in PRUNING:
        output = folder / f"pruned.{threshold}"
        report = _train(data, output, "diagonal", entropy=EntropyOptions(threshold))
        bleu = _bleu(data, output)
        yield Row(
            f"pruned by relative entropy, {threshold:g} nats",
            report["phrases"]["pairs"] / whole["phrases"]["pairs"],
            "phrase pairs that are left / all",
            detail={
                "pairs": report["phrases"]["pairs"],
                "bleu": round(bleu, 2),
                "bleu_of_all": round(full, 2),
                "phrases_s": report["seconds"]["phrases"],
                "phrases_s_of_all": whole["seconds"]["phrases"],
            },
        )


def _train(data: Path, output: Path, aligner: Any, **options: Any) -> dict[str, Any]:
    """Train on Multi30k and give the report, with CPU seconds."""
    from decoding.core.corpus.align import AlignmentOptions
    from decoding.core.corpus.training import TrainingOptions, TrainingTexts, train_system

    text = data / "multi30k-deen"
    return train_system(
        TrainingTexts(
            text / "train.de.gz",
            text / "train.en.gz",
            dev_source=text / "val.de.gz",
            dev_target=text / "val.en.gz",
        ),
        output,
        TrainingOptions(alignment=AlignmentOptions(model=aligner), moses_files=True, **options),
        clock=time.process_time,
    )


def _shared_pairs(data: Path, system: Path, aligner: str) -> Row:
    """How many of Moses's phrase pairs, extracted from fast_align's links, are ours too."""

    def keys(path: Path) -> set[str]:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return {" ||| ".join(line.split(" ||| ", 2)[:2]) for line in file}

    theirs = {_unescaped(key) for key in keys(data / "moses-multi30k-deen/phrase-table.full.gz")}
    ours = keys(system / "moses/phrase-table.gz")
    return Row(
        f"phrase pairs of Moses's table, {aligner}",
        len(theirs & ours) / len(theirs),
        "share that is in ours too",
        detail={"ours": len(ours), "moses": len(theirs), "both": len(theirs & ours)},
    )


def _unescaped(text: str) -> str:
    for escape, plain in (
        ("&apos;", "'"), ("&quot;", '"'), ("&#91;", "["), ("&#93;", "]"),
        ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
    ):  # fmt: skip
        text = text.replace(escape, plain)
    return text


def _bleu(data: Path, folder: Path) -> float:
    """BLEU of test2016, lower-cased tokens, with MOSES_WEIGHTS."""
    import numpy as np
    import sacrebleu

    from decoding.core.search.decoder import Decoder, SearchOptions
    from decoding.core.system import System

    system = System.open(folder)
    weights = np.concatenate([np.array(MOSES_WEIGHTS[f.name]) for f in system.features])
    decoder = Decoder(system.with_weights(weights))
    search = SearchOptions(pop_limit=200)
    translated = [
        decoder.search(decoder.collect(line), search, keep=False).best().text
        for line in _lines(data / "multi30k-deen/test2016.de.gz")
    ]
    references = [_lines(data / "multi30k-deen/test2016.en.gz")]
    score = sacrebleu.corpus_bleu(translated, references, tokenize="none", force=True)
    return float(score.score)


def _memory(data: Path, folder: Path) -> Iterator[Row]:
    """Anonymous memory by step and size, each size in a process of its own."""
    pairs = list(_mixture(data))
    random.Random(1).shuffle(pairs)
    distinct = len(pairs)
    while len(pairs) < SIZES[-1]:
        pairs += pairs[: SIZES[-1] - len(pairs)]
    peaks: dict[int, dict[str, float]] = {}
    for size in SIZES:
        for side, column in (("source", 0), ("target", 1)):
            text = "".join(pair[column] + "\n" for pair in pairs[:size])
            (folder / f"{size}.{side}").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.training", str(folder), str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks[size] = json.loads(done.stdout)
    small, _, large = SIZES
    for each in peaks.values():
        each["whole"] = max(each.values())
    for step in peaks[small]:
        yield Row(
            "memory of the whole training" if step == "whole" else f"memory of the step {step}",
            peaks[large][step] / peaks[small][step],
            f"peak with {large:,} pairs / {small:,}",
            aim="at most 2 for 16 times the text",
            met=peaks[large][step] <= 2 * peaks[small][step],
            detail={f"{size}_MB": peaks[size][step] for size in SIZES}
            | {"distinct_pairs": distinct},
        )


def _mixture(data: Path) -> Iterator[tuple[str, str]]:
    sources = [("wmt-deen/train.de.gz", "wmt-deen/train.en.gz")]
    sources += [("multi30k-deen/train.de.gz", "multi30k-deen/train.en.gz")]
    sources += [("bible-aren/train.de.gz", f"bible-aren/train.en.ref{k}.gz") for k in range(6)]
    for source, target in sources:
        yield from zip(_lines(data / source), _lines(data / target), strict=True)


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def _measure(folder: Path, size: str) -> None:
    """Train on a mixture, and print each step's peak of anonymous memory in MB."""
    from decoding.core.corpus.align import AlignmentOptions
    from decoding.core.corpus.training import TrainingOptions, TrainingTexts, train_system

    peaks: dict[str, float] = {}
    step = "prepare"
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            with Path("/proc/self/status").open() as status:
                used = next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))
            peaks[step] = max(peaks.get(step, 0), used / 1000)

    def tell(name: str, _: float) -> None:
        nonlocal step
        step = name

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        texts = TrainingTexts(folder / f"{size}.source", folder / f"{size}.target")
        options = TrainingOptions(alignment=AlignmentOptions(model="diagonal"))
        output = folder / f"{size}.system"
        train_system(texts, output, options, clock=time.perf_counter, progress=tell)
    finally:
        done.set()
        watcher.join()
    peaks.pop("dev", None)  # there is no dev text
    print(json.dumps(peaks))


if __name__ == "__main__":
    _measure(Path(sys.argv[1]), sys.argv[2])
