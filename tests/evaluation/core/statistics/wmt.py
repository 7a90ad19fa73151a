"""Readers of the public human judgments that the tests compare with."""

from __future__ import annotations

import csv
import gzip
import itertools
import json

import numpy as np

from evaluation.core.statistics.judgments import Judgment, Judgments


def _judgments(rows):
    """Rows of (segment, judge, system, rank, system, rank); equal ranks are a tie."""
    made = []
    for segment, judge, left, left_rank, right, right_rank in rows:
        outcome = int(np.sign(int(right_rank) - int(left_rank)))
        pair = tuple(sorted((left, right)))
        made.append(Judgment(segment, pair, judge, left, right, outcome))
    systems = sorted({name for row in made for name in (row.left, row.right)})
    segments = sorted({row.sentence for row in made})
    return Judgments.from_rows(made, sentences=segments, conditions=systems)


def wmt16(folder, pair, *, expanded=False):
    """One language pair; ``expanded`` gives a judgment of joined systems to each of them."""
    rows = []
    with gzip.open(folder / f"{pair}.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            systems = [row["system1Id"]], [row["system2Id"]]
            if expanded:
                systems = tuple(names[0].split("+") for names in systems)
            rows += [
                (row["segmentId"], row["judgeID"], a, row["system1rank"], b, row["system2rank"])
                for a in systems[0]
                for b in systems[1]
            ]
    return _judgments(rows)


def wmt12(folder):
    """German to English: every pair of a five-way ranking in which both have a rank."""
    with gzip.open(folder / "rankings.tsv.gz", "rt") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    rows = []
    for start in range(0, len(lines), 5):
        task = lines[start : start + 5]
        assert len({line["task"] for line in task}) == 1
        rows += [
            (a["segment"], a["judge"], a["system"], a["rank"], b["system"], b["rank"])
            for a, b in itertools.combinations(task, 2)
            if "-1" not in (a["rank"], b["rank"])
        ]
    return _judgments(rows)


def expected(folder):
    return json.loads((folder / "expected.json").read_text())
