from __future__ import annotations

import gzip

import pytest

from evaluation.core.errors import InputError
from evaluation.judgment_files import read_judgments, with_bleu1

CSV = """item,condition A,condition B,choice,worker,covariate,seconds
s1,best,diverse,A,anna,12.5,3.2
s1,diverse,best,same,bert,12.5,
s2,best,diverse,diverse,anna,40,7
"""


def written(tmp_path, text, name="judgments.csv"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CSV, "judgments.csv"),
        (CSV, "judgments.csv.gz"),
        (CSV.replace(",", "\t"), "judgments.tsv"),
        (CSV.replace(",", ";"), "judgments.csv"),
        ("\ufeff" + CSV.replace("\n", "\r\n"), "judgments.csv"),
        (CSV.replace("condition A", "Condition_A") + "\n", "judgments.csv"),
    ],
)
def test_our_own_form(tmp_path, text, name):
    tables = read_judgments(written(tmp_path, text, name))
    assert tables.conditions == ("best", "diverse")
    assert [s.name for s in tables.sentences] == ["s1", "s2"]
    assert [dict(s.covariates) for s in tables.sentences] == [
        {"covariate": 12.5},
        {"covariate": 40.0},
    ]
    assert [(r.worker, r.left, r.outcome, r.seconds) for r in tables.judgments] == [
        ("anna", "best", 1, 3.2),
        ("bert", "diverse", 0, None),
        ("anna", "best", -1, 7.0),
    ]
    assert len({row.pair for row in tables.judgments}) == 1  # whichever stood left
    assert tables.facts.title in name


def test_several_covariates_and_pairs(tmp_path):
    text = (
        "item,condition a,condition b,choice,worker,covariate length,covariate: score,pair\n"
        '1,x,y,B,w,7,-1.5,"one, two"\n'
        "2,x,y,a,w,,2,three\n"
    )
    tables = read_judgments(written(tmp_path, text))
    assert list(tables.covariates) == ["length", "score"]
    assert [dict(s.covariates) for s in tables.sentences] == [
        {"length": 7.0, "score": -1.5},
        {"score": 2.0},
    ]
    assert [row.pair for row in tables.judgments] == ["one, two", "three"]


def test_items_that_are_numbers_are_sorted_as_numbers(tmp_path):
    rows = "".join(f"{item},x,y,A,w\n" for item in (10, 9, 2))
    tables = read_judgments(
        written(tmp_path, "item,condition a,condition b,choice,worker\n" + rows)
    )
    assert [s.name for s in tables.sentences] == ["2", "9", "10"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "judgments.csv:1: has no column item or condition a"),
        (CSV.splitlines()[0] + "\n", "judgments.csv: holds no judgment"),
        (CSV.replace("worker", "judge"), "judgments.csv:1: has no column worker"),
        (CSV.replace("seconds", "colour"), "judgments.csv:1: has a column 'colour' that is not"),
        (CSV.replace("seconds", "worker"), "judgments.csv:1: names a column twice"),
        (CSV + "s3,best\n", "judgments.csv:5: expected 7 fields, found 2"),
        (CSV + "s3,best,best,A,anna,1,\n", "judgments.csv:5: compares best with itself"),
        (CSV + "s3,best,diverse,C,anna,1,\n", "judgments.csv:5: has the choice 'C'. Write A, B"),
        (CSV + "s3,best,diverse,A,,1,\n", "judgments.csv:5: has no worker"),
        (CSV + "s3,best,diverse,A,w,much,\n", "judgments.csv:5: has 'much' as covariate"),
        (CSV + "s3,best,diverse,A,w,inf,\n", "judgments.csv:5: has 'inf' as covariate"),
        (CSV + "s1,best,diverse,A,w,13,\n", "judgments.csv:5: gives item s1 another covariate"),
        (CSV + "s3,best,diverse,A,w,1,-2\n", "judgments.csv:5: took less than no time"),
        (CSV + 's3,"best,diverse\n', "judgments.csv:5: is no CSV"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_line(tmp_path, text, problem):
    with pytest.raises(InputError) as error:
        read_judgments(written(tmp_path, text))
    assert str(error.value).startswith(problem)


def test_wmt_forms(tmp_path):
    pairs = (
        "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
        "a,b,7,7,j1,x+y,1,z,3,1\n"
        "a,b,7,7,j2,z,2,x+y,2,2\n"
    )
    tables = read_judgments(written(tmp_path, pairs))
    assert tables.joined
    assert [(r.left, r.right, r.outcome) for r in tables.judgments] == [
        ("x+y", "z", 1),
        ("z", "x+y", 0),
    ]
    rankings = "task\tsegment\tjudge\tsystem\trank\n" + "".join(
        f"1\t5\tj1\t{system}\t{rank}\n"
        for system, rank in (("x", 1), ("y", 3), ("z", -1), ("w", 1))
    )
    tables = read_judgments(written(tmp_path, rankings))
    assert [(r.left, r.right, r.outcome) for r in tables.judgments] == [
        ("x", "y", 1),
        ("x", "w", 0),
        ("y", "w", -1),
    ]


def test_bleu1_of_lines(tmp_path):
    tables = read_judgments(
        written(tmp_path, "item,condition a,condition b,choice,worker\n2,x,y,A,w\n1,x,y,B,w\n")
    )
    baseline = written(tmp_path, "the cat sat\nno match here\n", "baseline")
    reference = written(tmp_path, "the cat sat\nsomething else entirely\n", "reference")
    scored = with_bleu1(tables, baseline, [reference])
    assert [s.covariates["bleu1"] for s in scored.sentences] == pytest.approx([100.0, 0.0])
    assert "tok:13a" in scored.facts.signatures["BLEU+1 of the baseline"]
    with pytest.raises(InputError, match="has 1 lines, and baseline has 2"):
        with_bleu1(tables, baseline, [written(tmp_path, "one\n", "short")])
    with pytest.raises(InputError, match="item 2 is not a line of one, which has 1"):
        one = written(tmp_path, "x\n", "one")
        with_bleu1(tables, one, [one])
