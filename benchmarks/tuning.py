"""Tuning: exact line search, all pairs, MIRA's programme, and all methods on three data sets."""

from __future__ import annotations

import gzip
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row, seconds

if TYPE_CHECKING:
    from evaluation.core.tuning.lists import FloatArray, KBestLists

SEEDS = range(1, 6)


@dataclass(frozen=True, slots=True)
class Case:
    """A data set: lists to tune on, and others of the same system to test on."""

    name: str
    dev: KBestLists
    test: KBestLists


def rows(data: Path | None) -> Iterator[Row]:
    """CPU times, as the machine is shared; everything on one core."""
    yield line_search()
    yield all_pairs_growth()
    if data is None:
        return
    multi30k = _multi30k(data)
    yield all_pairs_against_sampled(multi30k.dev)
    yield quadratic_programme(multi30k.dev)
    yield from methods(multi30k)
    yield from methods(_trained(data, "Quran ar-en", "quran-aren", train=4, sentences=595))
    yield from methods(_trained(data, "Bible ar-en", "bible-aren", train=1, sentences=500))
    # 50 sentences whose translations have 0.65 times the references' length: the brevity penalty
    # decides, of which sentence scores know little. No aim, but worth watching.
    yield from methods(_europarl(data), aim=False)


def line_search() -> Row:
    """One line through 1,000 lists of 1,000, against sorting the lines as most programs do."""
    import numpy as np

    from evaluation.core.tuning.lines import search_line
    from evaluation.core.tuning.lists import model_scores
    from evaluation.core.tuning.metric import BLEU

    lists = _random_lists(1000, 1000)
    start, direction = np.random.default_rng(2).standard_normal((2, 14))

    def search() -> None:
        intercepts, slopes = model_scores(lists, start), model_scores(lists, direction)
        search_line(lists, intercepts, slopes, BLEU.corpus)

    def sort() -> None:
        np.argsort((lists.features @ direction).reshape(1000, 1000), axis=1)

    search()
    ours, sorting = seconds(search, repeat=7, cpu=True), seconds(sort, repeat=7, cpu=True)
    return Row(
        "MERT line search, 1,000 lists of 1,000",
        sorting / ours,
        "numpy sorting the slopes / the whole search",
        aim="a fraction of a second",
        met=ours < 1.0,
        detail={"search_s": ours, "sort_s": sorting},
    )


def all_pairs_growth() -> Row:
    """How the time of APRO's objective for one list grows with its length; two loops would be 2."""
    import numpy as np

    from evaluation.core.tuning.apro import RankingObjective

    total, lengths = 200_000, (100, 1000, 10_000, 100_000)
    weights = 0.3 * np.random.default_rng(3).standard_normal(14)
    quality = np.random.default_rng(4).random(total)
    each = []
    for k in lengths:
        objective = RankingObjective(_random_lists(total // k, k), quality, 1.0)
        objective.value(weights)
        took = seconds(lambda: objective.value(weights), repeat=7, cpu=True)  # noqa: B023
        each.append(took / (total // k))
    slope = float(np.polyfit(np.log(lengths), np.log(each), 1)[0])
    return Row(
        "APRO's objective, k = 100 to 100,000",
        slope,
        "slope of log time of a list against log k",
        aim="below 1.15",
        met=slope < 1.15,
        detail={f"list_of_{k}_s": took for k, took in zip(lengths, each, strict=True)},
    )


def all_pairs_against_sampled(lists: KBestLists) -> Row:
    """The all-pairs objective that APRO reaches in the time that PRO takes."""
    import numpy as np
    from scipy import optimize

    from evaluation.core.tuning.apro import AproOptions, RankingObjective, tune_apro
    from evaluation.core.tuning.metric import BLEU
    from evaluation.core.tuning.minimise import minimise
    from evaluation.core.tuning.pro import tune_pro

    start = _uniform(lists)
    options = AproOptions()
    quality = BLEU.of_sentences(lists.statistics, options.brevity)
    objective = RankingObjective(lists, quality, options.C)
    tune_pro(lists, start, np.random.default_rng(1))
    tune_apro(lists, start, np.random.default_rng(1))
    allowed = seconds(lambda: tune_pro(lists, start, np.random.default_rng(1)), cpu=True)
    sampled = tune_pro(lists, start, np.random.default_rng(1)).weights
    # PRO's weights at the length that suits the all-pairs objective best.
    best = optimize.minimize_scalar(lambda t: objective.value(t * sampled)[0], bounds=(0, 10))

    begun = time.process_time()
    reached: list[tuple[float, float]] = []

    class Watched:
        steps = objective.steps
        curvature = staticmethod(objective.curvature)

        def value(self, weights: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = objective.value(weights)
            reached.append((time.process_time() - begun, value))
            return value, gradient

    minimise(Watched(), start, options.solver, options.tolerance, options.iterations)
    in_time = min(value for at, value in reached if at <= allowed)
    least = min(value for _, value in reached)
    return Row(
        "APRO in the time that PRO takes",
        float(best.fun) / in_time,
        "all-pairs objective at PRO's weights / ours",
        aim="at least 1",
        met=float(best.fun) >= in_time,
        detail={
            "pro_s": allowed,
            "apro_s": reached[-1][0],
            "at_pro": float(best.fun),
            "at_apro_in_time": in_time,
            "minimum": least,
            "bleu_of_pro": BLEU.under(lists, sampled),
            "bleu_of_apro": tune_apro(lists, start, np.random.default_rng(1)).score,
        },
    )


def quadratic_programme(lists: KBestLists) -> Row:
    """MIRA's exact step on real lists, against scipy's bounded solver on the same dual."""
    import numpy as np
    from scipy import optimize

    from evaluation.core.metrics.oracle import best_of_lists
    from evaluation.core.tuning.margin import separate
    from evaluation.core.tuning.metric import BLEU

    C, weights = 0.001, _uniform(lists)
    quality = BLEU.of_sentences(lists.statistics) / 100
    oracles = best_of_lists(quality, lists.offsets)
    programmes = []
    for s in range(20):
        chosen = slice(lists.offsets[s], lists.offsets[s + 1])
        differences = lists.features[oracles[s]] - lists.features[chosen]
        programmes.append((differences, quality[oracles[s]] - quality[chosen]))

    def ours() -> list[FloatArray]:
        return [separate(*programme, weights, C, 1e-8, 10**5).weights for programme in programmes]

    def theirs() -> list[FloatArray]:
        found = []
        for differences, losses in programmes:

            def dual(alpha: FloatArray, own: Any = (differences, losses)) -> Any:
                differences, losses = own
                moved = alpha @ differences
                linear = losses - differences @ weights
                return 0.5 * moved @ moved - alpha @ linear, differences @ moved - linear

            solved = optimize.minimize(
                dual, np.zeros(len(losses)), jac=True, bounds=[(0, C)] * len(losses),
                method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10**5},
            )  # fmt: skip
            found.append(weights + solved.x @ differences)
        return found

    apart = max(float(np.abs(a - b).max()) for a, b in zip(ours(), theirs(), strict=True))
    fast, slow = seconds(ours, cpu=True), seconds(theirs, repeat=1, cpu=True)
    return Row(
        "MIRA's quadratic programme, 20 real lists",
        slow / fast,
        "scipy's L-BFGS-B on the dual / ours",
        aim="at least 1, the same weights",
        met=slow >= fast and apart < 1e-4,
        detail={"ours_s": fast, "scipy_s": slow, "largest_difference_of_weights": apart},
    )


def methods(case: Case, *, aim: bool = True) -> Iterator[Row]:
    """Each method from equal weights, with five seeds: BLEU on the lists and on others."""
    import numpy as np

    from evaluation.core.tuning.methods import METHODS
    from evaluation.core.tuning.metric import BLEU

    start = _uniform(case.dev)
    uniform = BLEU.under(case.dev, start)
    for name, method in METHODS.items():
        dev, test, took = [], [], []
        for seed in SEEDS:
            begun = time.process_time()
            result = method.tune(case.dev, start, np.random.default_rng(seed))
            took.append(time.process_time() - begun)
            dev.append(result.score)
            test.append(BLEU.under(case.test, result.weights))
        yield Row(
            f"{case.name}: {name}",
            float(np.mean(dev)) / uniform,
            "BLEU tuned on the lists / equal weights",
            aim="above 1 with every seed" if aim else "",
            met=min(dev) > uniform if aim else None,
            detail={
                "dev_uniform": uniform,
                **_spread("dev", dev),
                "test_uniform": BLEU.under(case.test, start),
                **_spread("test", test),
                "cpu_s": float(np.median(took)),
            },
        )


def _spread(name: str, scores: list[float]) -> dict[str, float]:
    return {
        f"{name}_mean": sum(scores) / len(scores),
        f"{name}_least": min(scores),
        f"{name}_greatest": max(scores),
    }


def _uniform(lists: KBestLists) -> FloatArray:
    import numpy as np

    size = lists.features.shape[1]
    return np.full(size, 1.0 / size)


def _random_lists(sentences: int, k: int) -> KBestLists:
    import numpy as np

    from evaluation.core.tuning.lists import KBestLists

    rng = np.random.default_rng(1)
    matches = np.sort(rng.integers(0, 15, (sentences * k, 4)), axis=1)[:, ::-1]
    totals = np.tile([20, 19, 18, 17, 20, 20], (sentences * k, 1))
    return KBestLists(
        np.arange(sentences + 1) * k,
        rng.standard_normal((sentences * k, 14)),
        np.column_stack([matches, totals]).astype(np.int32),
    )


def _halves(name: str, lists: KBestLists) -> Case:
    size = len(lists)
    return Case(name, lists.sentences(range(0, size, 2)), lists.sentences(range(1, size, 2)))


def _multi30k(data: Path) -> Case:
    """100-best lists of different translations by Moses, of two halves of a test set."""
    from evaluation.kbest import Referee

    folder = data / "moses-multi30k-deen"
    referee = Referee.read([folder / "test_2016_flickr.en"])
    nbest = folder / "nbest100-distinct-factor200.test_2016_flickr.gz"
    return _halves("Multi30k de-en", referee.label_files([nbest]).lists)


def _europarl(data: Path) -> Case:
    """100 lists of 100 by Moses; a small set."""
    from evaluation.kbest import Referee

    folder = data / "nbest-tuning/nbest-100x100"
    lines = gzip.decompress((folder / "reference.gz").read_bytes()).decode().lower().splitlines()
    referee = Referee([[line] for line in lines[:100]])
    return _halves("Europarl fr-en", referee.label_files([folder / "nbest.gz"]).lists)


def _trained(data: Path, name: str, folder: str, train: int, sentences: int) -> Case:
    """100-best lists of an ar-en system trained here, with four references.

    ``train`` of the references are learnt from; the first ``sentences`` of each set are taken.
    """
    from decoding.core.corpus.training import TrainingTexts, train_system
    from decoding.core.search.decoder import SearchOptions
    from decoding.core.system import System
    from decoding.core.tuning import TunableSystem
    from evaluation.kbest import Referee

    def lines(name: str) -> list[str]:
        text = gzip.decompress((data / folder / f"{name}.gz").read_bytes()).decode()
        return text.splitlines()

    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        source = train * lines("train.ar.seg")
        target = [line for r in range(train) for line in lines(f"train.en.ref{r}")]
        for side, text in (("source", source), ("target", target)):
            (top / side).write_text("\n".join(text) + "\n")
        train_system(
            TrainingTexts(top / "source", top / "target"), top / "system", clock=time.perf_counter
        )
        system = System.open(top / "system")
        found = []
        for split in ("tune1", "test"):
            references = zip(*(lines(f"{split}.en.ref{r}") for r in range(4)), strict=True)
            tunable = TunableSystem(
                system,
                lines(f"{split}.ar.seg")[:sentences],
                Referee(list(references)[:sentences]),
                search=SearchOptions(pop_limit=200),
            )
            found.append(tunable.decode(tunable.weights))
    return Case(name, *found)
