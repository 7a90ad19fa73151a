"""Whole systems by two commands, on four data sets: BLEU, time and memory, and the paper's Table 1.

Everything is trained by ``train_system`` and tuned by ``tune_system`` (MERT, one thread), so the
figures are those of the commands as people run them: CPU time in yardsticks (see `harness`), peak
resident memory with Python and what is mapped. Then ``tune_diversity`` chooses n and lambda on the
first sentences of the tuning set, and the test set's lists are compared by oracle BLEU as in
the paper's Table 1.

So that a run takes minutes, tuning takes the first 1,014 or 500 sentences of a set (``tuned_on``),
the grids 100 for coverage and 60 for oracle BLEU, Table 1 the first 500 of the test set; BLEU is
that of the whole.

With BENCHMARK_WORK set to a folder, systems and finished parts are kept there, and a run
goes on from them. BENCHMARK_CASES limits the data sets: ``multi30k,wmt``.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, work_folder, yardstick

ROOT = Path(__file__).parent.parent
POPS = 200  # of the searches behind grids and lists; single translations get the default 1000
MOSES_BLEU, MOSES_YARDSTICKS = 39.98, 200  # of Multi30k: its test BLEU, training and tuning
# The grids' n and lambda, around what the best cells turned out to be, and how many sentences, the
# first of the tuning set. The paper took 200, n of 2 to 9 and lambda of 0.005 to 0.2.
GRIDS = {
    "coverage": ((1, 2, 3, 4, 5, 6), (0.05, 0.1, 0.2, 0.5, 1.0), 100),
    "oracle": ((2, 3, 4, 5, 6, 7, 8), (0.02, 0.05, 0.1, 0.2), 60),
}
TABLE_SENTENCES = 500  # the first of the test set, for Table 1
LISTS = {
    "1 best": 1, "20 best": 20, "200 best": 200, "1000 best": 1000,
    "unique 20 best": 20, "unique 200 best": 200,
}  # fmt: skip
DIVERSE = {"20 diverse": 1, "20 div x 10 best": 10, "20 div x 50 best": 50}
# What the paper's Table 1 says of any two lists of comparable size, less before more.
ORDER = [
    ("20 best", "unique 20 best"), ("unique 20 best", "20 diverse"),
    ("unique 200 best", "20 div x 10 best"), ("1000 best", "20 div x 50 best"),
    ("20 diverse", "20 div x 10 best"), ("20 div x 10 best", "20 div x 50 best"),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A data set: names of files without folder and .gz."""

    name: str
    folder: str
    train: tuple[str, str]
    tune: tuple[str, tuple[str, ...]]  # source, references
    test: tuple[str, tuple[str, ...]]
    seeds: tuple[int, ...] = (1,)  # of tuning
    tuned_on: int = 500  # the first sentences of the tuning set


def _english(split: str, references: int) -> tuple[str, ...]:
    return tuple(f"{split}.en.ref{r}" for r in range(references))


CASES = {
    "multi30k": Case(
        "Multi30k de-en", "multi30k-deen", ("train.de", "train.en"), ("val.de", ("val.en",)),
        ("test2016.de", ("test2016.en",)), seeds=(1, 2, 3), tuned_on=1014,
    ),
    "bible": Case(
        "Bible ar-en", "bible-aren", ("train.ar.seg", "train.en.ref0"),
        ("tune1.ar.seg", _english("tune1", 4)), ("test.ar.seg", _english("test", 4)),
    ),
    "wmt": Case(
        "WMT de-en", "wmt-deen", ("train.de", "train.en"), ("tune1.de", ("tune1.en",)),
        ("test.de", ("test.en",)), tuned_on=1014,
    ),
    "ted": Case(
        "TED zh-en", "ted-zhen", ("train.zh", "train.en"), ("tune1.zh", ("tune1.en",)),
        ("test.zh", ("test.en",)),
    ),
}  # fmt: skip


def rows(data: Path | None) -> Iterator[Row]:
    """Each data set's rows, one data set after the other."""
    if data is None:
        return
    chosen = os.environ.get("BENCHMARK_CASES", ",".join(CASES)).split(",")
    with work_folder("systems") as folder:
        for name in chosen:
            place = folder / name
            place.mkdir(exist_ok=True)
            yield from _case(CASES[name], data, place)


def _case(case: Case, data: Path, place: Path) -> Iterator[Row]:
    unit = kept(place / "yardstick.json", lambda: yardstick(data))
    trained = kept(place / "train.json", lambda: train(case, data, place / "system"))
    runs = [
        kept(place / f"tune.{seed}.json", partial(tune_and_translate, case, data, place, seed))
        for seed in case.seeds
    ]
    yield _whole_way(case, unit, trained, runs)
    yield from _memory(case, trained, runs)
    surfaces = {
        objective: kept(
            place / f"grid.{objective}.json", partial(grid, case, data, place, objective)
        )
        for objective in ("coverage", "oracle")
    }
    yield _choice(case, surfaces)
    best = surfaces["oracle"]["best"]
    table = kept(place / "table1.json", lambda: table_1(case, data, place, best))
    yield from _oracles(case, table, best)


def kept(path: Path, make: Callable[[], Any]) -> Any:
    """What ``make()`` gives, made once and kept in a file as JSON."""
    if not path.exists():
        value = make()
        path.write_text(json.dumps(value) + "\n", encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def command(*arguments: str | Path, output: Path | None = None) -> dict[str, float]:
    """Run a command of manage.py with one thread; its CPU and wall seconds and peak megabytes."""
    began = time.perf_counter()
    environment = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with (output or Path(os.devnull)).open("wb") as to, subprocess.Popen(
        [sys.executable, "manage.py", *map(str, arguments)], cwd=ROOT, stdout=to,
        env=os.environ | environment,
    ) as process:  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} ended with {process.returncode}")
    return {
        "cpu_s": round(used.ru_utime + used.ru_stime, 2),
        "wall_s": round(time.perf_counter() - began, 2),
        "megabytes": round(used.ru_maxrss / 1024),
    }


def files(case: Case, data: Path, split: tuple[str, tuple[str, ...]]) -> tuple[Path, list[Path]]:
    """A set's source and references."""
    folder = data / case.folder
    return folder / f"{split[0]}.gz", [folder / f"{name}.gz" for name in split[1]]


def train(case: Case, data: Path, system: Path) -> dict[str, Any]:
    """Train; what it cost, and what the training says of itself."""
    source, target = (data / case.folder / f"{name}.gz" for name in case.train)
    dev, references = files(case, data, case.tune)
    cost = command(
        "train_system", "--source", source, "--target", target, "--output", system,
        "--dev-source", dev, "--dev-target", references[0],
    )  # fmt: skip
    report = json.loads((system / "training.json").read_text(encoding="utf-8"))
    return {
        **cost,
        "sentence_pairs": report["prepare"]["kept"],
        "phrase_pairs": report["phrases"]["pairs"],
        "unknown_rate": report["dev"]["unknown_rate"],
        "perplexity": report["dev"]["perplexity"],
    }


def tune_and_translate(case: Case, data: Path, place: Path, seed: int) -> dict[str, Any]:
    """Tune a copy of the system and translate the test set; cost and BLEU."""
    system = place / f"tuned.{seed}"
    shutil.rmtree(system, ignore_errors=True)
    shutil.copytree(place / "system", system, copy_function=os.link)
    source, references = files(case, data, case.tune)
    source, *references = (_head(path, place, case.tuned_on) for path in (source, *references))
    cost = command(
        "tune_system", "--system", system, "--source", source, "--reference", *references,
        "--method", "mert", "--seed", str(seed),
    )  # fmt: skip
    tuned = json.loads((system / "tuning.json").read_text(encoding="utf-8"))
    source, references = files(case, data, case.test)
    translated = place / f"test.{seed}"
    decoding = command("decode", "--system", system, "--input", source, output=translated)
    return {
        **cost,
        "decode_cpu_s": decoding["cpu_s"],
        "decode_megabytes": decoding["megabytes"],
        "rounds": len(tuned["rounds"]),
        "tune_bleu_first": tuned["rounds"][0]["score"],
        "tune_bleu": tuned["rounds"][tuned["best"]]["score"],
        "test_bleu": bleu(translated.read_text(encoding="utf-8").splitlines(), references),
    }


def _head(path: Path, place: Path, sentences: int) -> Path:
    """The first sentences of a set as a file."""
    head = place / path.name.removesuffix(".gz")
    head.write_text("".join(f"{line}\n" for line in lines(path)[:sentences]), "utf-8")
    return head


def bleu(texts: Sequence[str], references: Sequence[Path], first: int | None = None) -> float:
    """sacrebleu's corpus BLEU of lower-cased tokens as they are, of so many sentences."""
    import sacrebleu

    streams = [lines(path)[:first] for path in references]
    return float(sacrebleu.corpus_bleu(texts, streams, tokenize="none", force=True).score)


def lines(path: Path) -> list[str]:
    """The lines of a gzipped text."""
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def grid(case: Case, data: Path, place: Path, objective: str) -> dict[str, Any]:
    """``tune_diversity`` with the paper's list lengths."""
    orders, strengths, sentences = GRIDS[objective]
    source, references = files(case, data, case.tune)
    surface = place / f"surface.{objective}.json"
    cost = command(
        "tune_diversity", "--system", place / f"tuned.{case.seeds[0]}", "--source", source,
        "--reference", *references, "--objective", objective,
        "--size", "5" if objective == "coverage" else "20",
        "--n", *map(str, orders), "--lambda", *map(str, strengths),
        "--sentences", str(sentences), "--pop-limit", str(POPS),
        "--keep", place / f"grid.{objective}.lists", "--json", output=surface,
    )  # fmt: skip
    return {**cost, **json.loads(surface.read_text(encoding="utf-8"))}


def table_1(case: Case, data: Path, place: Path, best: dict[str, float]) -> dict[str, Any]:
    """Oracle BLEU of the test set's lists of every kind, and how many translations they hold."""
    from decoding.core.diversity.lists import DiversityOptions, diverse_list
    from decoding.core.search.decoder import Decoder, SearchOptions
    from decoding.core.system import System
    from evaluation.core.metrics.oracle import oracle_translations
    from evaluation.kbest import Referee

    decoder = Decoder(System.open(place / f"tuned.{case.seeds[0]}"))
    search = SearchOptions(pop_limit=POPS)
    options = DiversityOptions(20, int(best["n"]), best["lambda"])
    source, references = files(case, data, case.test)
    own = zip(*map(lines, references), strict=True)
    chosen: dict[str, list[str]] = defaultdict(list)
    distinct: dict[str, int] = defaultdict(int)
    began = time.process_time()
    for text, translations in islice(zip(lines(source), own, strict=True), TABLE_SENTENCES):
        sentence = decoder.collect(text)
        rounds = diverse_list(
            decoder, sentence, options, first=decoder.search(sentence, search), later=search,
            keep=True,
        )  # fmt: skip
        graph = rounds[0].graph
        plain, unique = graph.best_derivations(1000).texts, _unique(graph)
        lists = {
            name: (unique if "unique" in name else plain)[:size] for name, size in LISTS.items()
        }
        near = [r.best_derivations(50, unique=False).texts for r in rounds]
        for name, each in DIVERSE.items():
            lists[name] = [one for listed in near for one in listed[:each]]
        referee = Referee([translations])
        for name, listed in lists.items():
            statistics = referee.statistics(listed, [len(listed)])
            best_one = oracle_translations(statistics, _one_list(len(listed)))[0]
            chosen[name].append(listed[int(best_one)])
            distinct[name] += len(set(listed))
    return {
        "cpu_s": round(time.process_time() - began, 1),
        "oracle": {name: bleu(texts, references, len(texts)) for name, texts in chosen.items()},
        "distinct": {name: count / len(chosen[name]) for name, count in distinct.items()},
        "sentences": len(chosen["1 best"]),
    }


def _unique(graph: Any) -> list[str]:
    """The distinct translations of the 1000-best list, as the paper takes them."""
    return list(islice(dict.fromkeys(graph.best_derivations(1000).texts), 200))


def _one_list(size: int) -> Any:
    import numpy as np

    return np.array([0, size])


def _whole_way(case: Case, unit: float, trained: dict[str, Any], runs: list[dict[str, Any]]) -> Row:
    """BLEU on the test set and the time of both commands."""
    scores = [run["test_bleu"] for run in runs]
    mean = sum(scores) / len(scores)
    spent = [(trained["cpu_s"] + run["cpu_s"]) / unit for run in runs]
    aimed = case.folder == "multi30k-deen"
    return Row(
        f"{case.name}, train and tune",
        mean / MOSES_BLEU if aimed else max(spent),
        "test BLEU / that of Moses' pipeline" if aimed else "CPU time in yardsticks",
        aim=f"at least {MOSES_BLEU - 0.3:.2f} BLEU in {MOSES_YARDSTICKS} yardsticks"
        if aimed
        else "",
        met=mean >= MOSES_BLEU - 0.3 and max(spent) <= MOSES_YARDSTICKS if aimed else None,
        detail={
            "test_bleu_mean": round(mean, 2),
            "test_bleu_by_seed": " ".join(f"{score:.2f}" for score in scores),
            "tune_bleu_by_seed": " ".join(f"{run['tune_bleu']:.2f}" for run in runs),
            "tune_bleu_untuned": round(runs[0]["tune_bleu_first"], 2),
            "references": len(case.test[1]),
            "rounds": " ".join(str(run["rounds"]) for run in runs),
            "yardsticks_train": round(trained["cpu_s"] / unit, 2),
            "yardsticks_both": " ".join(f"{s:.1f}" for s in spent),
            "tuned_on": case.tuned_on,
            "wall_s_train": trained["wall_s"],
            "wall_s_tune": " ".join(str(run["wall_s"]) for run in runs),
            "yardsticks_test": round(runs[0]["decode_cpu_s"] / unit, 2),
            "yardstick_s": round(unit, 2),
            **{
                name: trained[name]
                for name in ("sentence_pairs", "phrase_pairs", "unknown_rate", "perplexity")
            },
        },
    )


def _memory(case: Case, trained: dict[str, Any], runs: list[dict[str, Any]]) -> Iterator[Row]:
    peaks = {
        "train_system": trained["megabytes"],
        "tune_system": max(run["megabytes"] for run in runs),
        "decode": max(run["decode_megabytes"] for run in runs),
    }
    yield Row(
        f"{case.name}, memory",
        max(peaks.values()) / 1024,
        "peak of the largest command, GB",
        detail={f"{name}_MB": peak for name, peak in peaks.items()},
    )


def _choice(case: Case, surfaces: dict[str, dict[str, Any]]) -> Row:
    """What readers' lists of 5 want, and what oracles of 20 want."""
    coverage, oracle = surfaces["coverage"], surfaces["oracle"]
    best = {name: surface["best"] for name, surface in surfaces.items()}
    return Row(
        f"{case.name}, n and lambda",
        best["coverage"]["lambda"] / best["oracle"]["lambda"],
        "lambda of coverage / of oracle BLEU",
        aim="n smaller and lambda larger for coverage, as the paper found",
        met=best["coverage"]["n"] < best["oracle"]["n"]
        and best["coverage"]["lambda"] > best["oracle"]["lambda"],
        detail={
            "coverage_n": best["coverage"]["n"],
            "coverage_lambda": best["coverage"]["lambda"],
            "coverage": round(max(map(max, coverage["values"])), 2),
            "coverage_unique_5_best": round(coverage["unique_best"], 2),
            "oracle_n": best["oracle"]["n"],
            "oracle_lambda": best["oracle"]["lambda"],
            "oracle": round(max(map(max, oracle["values"])), 2),
            "oracle_unique_20_best": round(oracle["unique_best"], 2),
            "coverage_sentences": coverage["sentences"],
            "oracle_sentences": oracle["sentences"],
            "cpu_s_coverage": coverage["cpu_s"],
            "cpu_s_oracle": oracle["cpu_s"],
            "coverage_surface": _surface(coverage),
            "oracle_surface": _surface(oracle),
        },
    )


def _surface(surface: dict[str, Any]) -> str:
    """A grid as text: the lambdas, then a row for each n."""
    rows = [("lambda", [f"{strength:g}" for strength in surface["lambda"]])]
    rows += [
        (str(n), [f"{value:.2f}" for value in row])
        for n, row in zip(surface["n"], surface["values"], strict=True)
    ]
    return "; ".join(f"{name}: " + " ".join(row) for name, row in rows)


def _oracles(case: Case, table: dict[str, Any], best: dict[str, float]) -> Iterator[Row]:
    oracle = table["oracle"]
    holds = [(less, more) for less, more in ORDER if oracle[less] < oracle[more]]
    yield Row(
        f"{case.name}, Table 1",
        oracle["20 diverse"] / oracle["unique 20 best"],
        "oracle BLEU of 20 diverse / of unique 20 best",
        aim="the paper's order of lists of like size",
        met=len(holds) == len(ORDER),
        detail={
            **{name: round(score, 2) for name, score in oracle.items()},
            **{f"{name}, distinct": round(n, 1) for name, n in table["distinct"].items()},
            "n": best["n"],
            "lambda": best["lambda"],
            "sentences": table["sentences"],
            "cpu_s": table["cpu_s"],
            "not_in_order": "; ".join(
                f"{less} above {more}" for less, more in ORDER if (less, more) not in holds
            ),
        },
    )
