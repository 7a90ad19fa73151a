"""``manage.py report`` on public human judgments, against published and plainly counted figures."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from collections import Counter
from io import StringIO

import pytest
import sacrebleu
from django.core.management import CommandError, call_command

PAIR = ("uk-dan-moses", "onlineB")


def run(*arguments):
    out = StringIO()
    call_command("report", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    "pair",
    [
        "deu-eng",
        pytest.param("ron-eng", marks=pytest.mark.slow),
        pytest.param("tur-eng", marks=pytest.mark.slow),
        pytest.param("fin-eng", marks=pytest.mark.slow),
        pytest.param("rus-eng", marks=pytest.mark.slow),
        pytest.param("eng-deu", marks=pytest.mark.slow),
        pytest.param("eng-fin", marks=pytest.mark.slow),
        pytest.param("eng-rus", marks=pytest.mark.slow),
        pytest.param("eng-ron", marks=pytest.mark.slow),
        pytest.param("eng-tur", marks=pytest.mark.slow),
    ],
)
def test_published_agreement_of_wmt16(reference_data, pair):
    folder = reference_data("humaneval-wmt16")
    expected = json.loads((folder / "expected.json").read_text())[pair]
    found = json.loads(run("--judgments", folder / f"{pair}.csv.gz", "--json", "--samples", 100))
    assert found["counts"]["judgments"] == expected["judgments"]
    assert found["counts"]["judges"] == expected["judges"]
    for ours, theirs in (("inter", "inter"), ("intra", "intra"), ("strict", "inter_strict")):
        agreement = found["quality"]["agreement"][ours]
        for name in ("agree", "comparable", "ties", "total"):
            assert agreement[name] == expected[theirs][name]
        assert round(agreement["observed"]["estimate"], 3) == expected[theirs]["pA"]
        assert round(agreement["expected"], 3) == expected[theirs]["pE"]
        assert round(agreement["kappa"]["estimate"], 3) == expected[theirs]["kappa"]
    ratios = {row["condition"]: row["win_ratio"]["estimate"] for row in found["standings"]}
    assert {name: round(ratio, 4) for name, ratio in ratios.items()} == expected[
        "win_ratio_expanded"
    ]


def plain_quartiles(folder):
    """Figure 2 for two systems, with nothing but csv, sorted and Counter."""
    with gzip.open(folder / "rankings.tsv.gz", "rt") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    baseline, reference = (
        gzip.decompress((folder / name).read_bytes()).decode().splitlines()
        for name in (f"systems/{PAIR[0]}.en.gz", "reference.en.gz")
    )
    judged, segments = [], set()
    for start in range(0, len(lines), 5):
        ranked = [line for line in lines[start : start + 5] if line["rank"] != "-1"]
        for a, b in itertools.combinations(ranked, 2):
            segments.add(int(a["segment"]))
            if {a["system"], b["system"]} == set(PAIR):
                low, high = sorted((a, b), key=lambda line: int(line["rank"]))
                won = "same" if low["rank"] == high["rank"] else low["system"]
                judged.append((int(a["segment"]), won))
    metric = sacrebleu.BLEU(smooth_method="add-k", smooth_value=1, effective_order=False)
    scores = {s: metric.sentence_score(baseline[s - 1], [reference[s - 1]]).score for s in segments}
    ordered = sorted(sorted(segments), key=lambda s: round(scores[s], 9))
    size, rest = divmod(len(ordered), 4)
    quartile, start = {}, 0
    for q in range(4):
        end = start + size + (q < rest)
        quartile |= dict.fromkeys(ordered[start:end], q)
        start = end
    return [Counter(won for segment, won in judged if quartile[segment] == q) for q in range(4)]


def test_preferences_by_quartile_of_two_named_systems(reference_data):
    folder = reference_data("humaneval-wmt12-deen")
    found = json.loads(
        run(
            "--judgments", folder / "rankings.tsv.gz",
            "--baseline", folder / f"systems/{PAIR[0]}.en.gz",
            "--reference", folder / "reference.en.gz",
            "--first", PAIR[0], "--second", PAIR[1], "--json", "--samples", 500,
        )
    )  # fmt: skip
    for counted, group in zip(plain_quartiles(folder), found["preferences"]["groups"], strict=True):
        total = sum(counted.values())
        assert group["first"]["count"] == total
        for name, side in zip((PAIR[0], "same", PAIR[1]), ("first", "same", "second"), strict=True):
            assert group[side]["estimate"] == pytest.approx(counted[name] / total)
    expected = json.loads((folder / "expected.json").read_text())
    agreement = found["quality"]["agreement"]
    for ours, theirs in (("inter", "inter"), ("intra", "intra"), ("strict", "inter_strict")):
        assert round(agreement[ours]["kappa"]["estimate"], 3) == expected[theirs]["kappa"]
        assert agreement[ours]["comparable"] == expected[theirs]["comparable"]
    for row in found["standings"]:
        assert round(row["win_ratio"]["estimate"], 4) == expected["win_ratio"][row["condition"]]


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    rows = [
        f"{item},best,diverse,{choice},w{worker},{item * 5}"
        for item in range(1, 13)
        for worker, choice in enumerate("AAB" if item > 6 else "BBA")
    ]
    path.write_text("item,condition a,condition b,choice,worker,covariate\n" + "\n".join(rows))
    return path


def test_text(small):
    said = run("--judgments", small, "--groups", 1, "--samples", 200)
    assert said.startswith("small.csv\n=========\n\nOverall there is no clear difference")
    for heading in (
        "Who was preferred, per cent of judgments",
        "Agreement over all judgments",
        "Participants",
        "Method",
    ):
        assert f"\n{heading}\n{'-' * len(heading)}\n" in said
    assert "Edits against" not in said
    assert "200 samples of sentences (seed 1)" in said.replace("\n", " ")


def test_the_seed_decides(small):
    assert run("--judgments", small, "--json") == run("--judgments", small, "--json")
    assert run("--judgments", small, "--json") != run("--judgments", small, "--json", "--seed", 2)


def test_cut_points(small):
    found = json.loads(run("--judgments", small, "--cuts", 20, 35, "--json", "--samples", 200))
    assert found["grouping"]["cuts"] == [20, 35]
    assert [group["sentences"] for group in found["grouping"]["groups"]] == [3, 3, 6]


def test_a_baseline_needs_references(small):
    with pytest.raises(CommandError, match="go together"):
        run("--judgments", small, "--baseline", small)
