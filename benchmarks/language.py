"""Language models: asking, reading, opening and estimating them, against KenLM."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numba import njit

from benchmarks.harness import Row, seconds
from decoding.core.language.automaton import Automaton, advance, begin_state


@njit
def _ask(lm, states, words):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(states.size):
        total += advance(lm, states[i], words[i])[0]
    return total


def _random_queries(lm: Automaton, text: np.ndarray, count: int) -> float:
    """The time of a query of random states and words of a text, as a search asks them."""
    states = np.empty(len(text), np.int32)
    state = begin_state(lm)
    for i, word in enumerate(text):
        states[i] = state = advance(lm, state, word)[1]
    rng = np.random.default_rng(0)
    queries = rng.choice(states, count), rng.choice(text, count)
    _ask(lm, *queries)
    return seconds(partial(_ask, lm, *queries), repeat=15, cpu=True) / count


def rows(data: Path | None) -> Iterator[Row]:
    """The 5-gram model of Multi30k and its training text; CPU times, as the machine is shared."""
    if data is None:
        return
    import kenlm

    from decoding.core.formats.arpa import load_arpa
    from decoding.core.language.estimate import EstimationOptions, estimate
    from decoding.core.language.model import LanguageModel

    arpa = data / "moses-multi30k-deen/lm.en.5gram.arpa.gz"
    text = gzip.decompress((data / "multi30k-deen/train.en.gz").read_bytes())
    lines = text.decode().splitlines()
    lm, reference = load_arpa(arpa), kenlm.Model(str(arpa))
    ids, offsets = lm.vocabulary.encode(text)
    events = len(ids) + len(lines)

    yardstick = seconds(lambda: [reference.score(line) for line in lines], repeat=15, cpu=True)
    cases: list[tuple[str, Callable[[], object], float]] = [
        ("score sentences from word numbers", lambda: lm.score_ids(ids, offsets), 3.0),
        ("score sentences from text", lambda: lm.score_lines(text), 1.0),
    ]
    for name, score, aim in cases:
        score()
        ours = seconds(score, repeat=15, cpu=True)
        yield Row(
            name,
            yardstick / ours,
            "kenlm.Model.score's time / ours",
            aim=f"at least {aim:g}",
            met=yardstick / ours >= aim,
            detail={"kenlm_s": yardstick, "ours_s": ours, "words_per_s": events / ours},
        )

    for size in (30, 300):
        query = _random_queries(lm.automaton, ids[:size], 500_000)
        yield Row(
            f"ask as a search does, {size} words",
            yardstick / events / query,
            "kenlm.Model.score's time a word / ours",
            detail={"queries_per_s": 1 / query},
        )

    theirs = seconds(lambda: kenlm.Model(str(arpa)), cpu=True)
    ours = seconds(lambda: load_arpa(arpa), cpu=True)
    yield Row(
        "read 781,386 n-grams from ARPA",
        theirs / ours,
        "kenlm.Model's time / ours",
        detail={"kenlm_s": theirs, "ours_s": ours},
    )
    with tempfile.TemporaryDirectory() as folder:
        lm.save(Path(folder))

        def open_and_ask() -> None:
            opened = LanguageModel.open(Path(folder)).automaton
            advance(opened, begin_state(opened), 3)

        open_and_ask()
        opening = seconds(open_and_ask, repeat=20)
        yield Row(
            "open a saved model",
            ours / opening,
            "reading the ARPA file / opening",
            aim="milliseconds",
            met=opening < 0.01,
            detail={
                "open_s": opening,
                "bytes": sum(f.stat().st_size for f in Path(folder).iterdir()),
            },
        )

    for smoothing in ("kneser-ney", "witten-bell"):
        options = EstimationOptions(order=5, smoothing=smoothing)
        estimate(text, options)
        took = seconds(partial(estimate, text, options), cpu=True)
        yield Row(
            f"estimate a 5-gram model, {smoothing}",
            took / yardstick,
            "our time / kenlm scoring the text once",
            detail={"ours_s": took, "words_per_s": events / took},
        )
