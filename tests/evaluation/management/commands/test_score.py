import gzip
import json
from statistics import mean

import pytest
import sacrebleu
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from decoding.core.formats.nbest import NBestEntry, read_lists, write_nbest
from decoding.core.formats.text import read_lines
from evaluation.core.errors import InputError
from evaluation.core.metrics.figures import METRICS, TOKENIZERS
from evaluation.management.commands import score
from tests.evaluation.core.metrics import naive

LISTS = [["a b c d e", "a b c d f"], ["g h i j"], ["k l m n", "k l"], ["o p q r s"], ["t u v w"]]
REFERENCES = [
    ["a b c d f", "g h i k", "k l m", "o p q r", "t u v w"],
    ["a b c e", "g h", "k l m n o", "o p", "x t u v"],
]


@pytest.fixture
def files(tmp_path):
    """The arguments that name an n-best list and its references."""
    write_nbest(tmp_path / "nbest", entries(LISTS))
    for r, lines in enumerate(REFERENCES):
        (tmp_path / f"ref{r}").write_text("\n".join(lines) + "\n")
    return ["--nbest", tmp_path / "nbest", "--reference", tmp_path / "ref0", tmp_path / "ref1"]


def entries(lists):
    return [
        NBestEntry(s, text, {"lm": (-1.0,)}, -2.0) for s, own in enumerate(lists) for text in own
    ]


def run(capsys, *arguments):
    call_command("score", *map(str, arguments))
    return capsys.readouterr().out


def run_json(capsys, *arguments):
    return json.loads(run(capsys, *arguments, "--json"))


def test_its_choices_are_those_of_the_figures():
    assert list(METRICS) == list(score.METRICS)
    assert TOKENIZERS == score.TOKENIZERS


def test_every_option_is_documented():
    parser = score.Command().create_parser("manage.py", "score")
    theirs = BaseCommand().create_parser("manage.py", "score")
    known = {option for action in theirs._actions for option in action.option_strings}
    own = {option for action in parser._actions for option in action.option_strings} - known
    text = (settings.BASE_DIR / "docs/metrics.md").read_text()
    assert {option for option in own if f"{option}" not in text} == set()
    assert all(f"`{metric}`" in text for metric in score.METRICS)


def test_text_and_json_agree(files, capsys):
    for metric in METRICS:
        found = run_json(capsys, "--metric", metric, *files)
        text = run(capsys, "--metric", metric, *files)
        assert text.startswith(f"{metric}|{found['signature']} = {found['score']:.2f}")
        assert (found["sentences"], found["translations"]) == (5, 7)


@pytest.mark.parametrize("name", ["n.jsonl", "n.jsonl.gz", "n.gz"])
def test_formats_do_not_matter(files, tmp_path, capsys, name):
    write_nbest(tmp_path / name, entries(LISTS))
    packed = tmp_path / "ref1.gz"
    packed.write_bytes(gzip.compress((tmp_path / "ref1").read_bytes()))
    other = ["--nbest", tmp_path / name, "--reference", tmp_path / "ref0", "--reference", packed]
    for metric in METRICS:
        assert run(capsys, "--metric", metric, *files) == run(capsys, "--metric", metric, *other)


def test_quartiles_of_a_baseline(files, tmp_path, capsys):
    # Worst first: the quartiles are sentences 3 and 4 (the earliest has one more), 2, 1, 0.
    baseline = [["a b c d f"], ["g h i j"], ["k l m x y"], ["z"], ["t"]]
    write_nbest(tmp_path / "baseline", entries(baseline))
    found = run_json(capsys, "--metric", "coverage", *files, "--by-quartile", tmp_path / "baseline")
    references = list(zip(*REFERENCES, strict=True))
    scores = [naive.bleu1(own[0], r) for own, r in zip(baseline, references, strict=True)]
    groups = [[3, 4], [2], [1], [0]]
    covered = [naive.coverage(*own) for own in zip(LISTS, references, strict=True)]
    for quartile, members in zip(found["quartiles"], groups, strict=True):
        assert quartile["sentences"] == len(members)
        assert quartile["score"] == pytest.approx(mean(covered[s] for s in members))
        assert quartile["lowest"] == pytest.approx(min(scores[s] for s in members))
        assert quartile["highest"] == pytest.approx(max(scores[s] for s in members))
    assert found["score"] == pytest.approx(mean(covered))
    assert len(found["cuts"]) == 3
    text = run(capsys, "--metric", "coverage", *files, "--by-quartile", tmp_path / "baseline")
    assert text.splitlines()[1].startswith("quartile 1 (baseline BLEU+1 0.00 to ")


def test_fewer_sentences_than_quartiles(tmp_path, capsys):
    write_nbest(tmp_path / "nbest", entries([["a b"]]))
    (tmp_path / "ref").write_text("a b\n")
    arguments = [
        "--metric",
        "bleu1",
        "--nbest",
        tmp_path / "nbest",
        "--reference",
        tmp_path / "ref",
    ]
    arguments += ["--by-quartile", tmp_path / "nbest"]
    found = run_json(capsys, *arguments)
    assert [quartile["score"] for quartile in found["quartiles"]] == [100.0, None, None, None]
    assert run(capsys, *arguments).splitlines()[-1] == "quartile 4: no sentences"


def test_only_the_first_of_each_list(files, capsys):
    found = run_json(capsys, "--metric", "oracle", *files, "--size", 1)
    assert found["translations"] == 5
    assert found["score"] == run_json(capsys, "--metric", "bleu", *files)["score"]
    with pytest.raises(CommandError, match="--size is 0"):
        run(capsys, "--metric", "oracle", *files, "--size", 0)


def test_bad_input_is_one_sentence(files, tmp_path, capsys):
    (tmp_path / "nbest").write_text("0 ||| a\n2 ||| b\n")
    with pytest.raises(InputError, match="translations of 3 sentences and references for 5"):
        run(capsys, "--metric", "bleu", *files)
    (tmp_path / "nbest").write_text("0 ||| a\n4 ||| b\n")
    with pytest.raises(InputError, match="sentence 2 has no translation"):
        run(capsys, "--metric", "bleu", *files)
    (tmp_path / "ref1").write_text("x\n")
    with pytest.raises(InputError, match="ref1: ends after 1 lines, but ref0 goes on"):
        run(capsys, "--metric", "bleu", *files)


def test_the_lists_of_another_system(reference_data, capsys):
    nbest = reference_data("nbest-tuning/nbest-100x100/nbest.gz")
    reference = reference_data("nbest-tuning/nbest-100x100/reference.gz")
    arguments = ["--nbest", nbest, "--reference", reference]
    lists = [[entry.text for entry in own] for own in read_lists(nbest)]
    references = list(read_lines(reference))
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    single = sacrebleu.BLEU(
        tokenize="none", smooth_method="add-k", smooth_value=1, effective_order=True
    )
    scores = [
        [single.sentence_score(text, [reference]).score for text in own]
        for own, reference in zip(lists, references, strict=True)
    ]
    best = [own[ranks.index(max(ranks))] for own, ranks in zip(lists, scores, strict=True)]
    expected = {
        "bleu": metric.corpus_score([own[0] for own in lists], [references]).score,
        "bleu1": mean(own[0] for own in scores),
        "coverage": mean(
            naive.coverage(own, [r]) for own, r in zip(lists, references, strict=True)
        ),
        "oracle": metric.corpus_score(best, [references]).score,
    }
    for name, value in expected.items():
        assert run_json(capsys, "--metric", name, *arguments)["score"] == pytest.approx(
            value, abs=1e-9
        )


def test_lists_with_three_references(reference_data, capsys):
    folder = reference_data("nbest-tuning/mert-14runs-3refs")
    references = [folder / f"reference.{r}" for r in range(3)]
    streams = [list(read_lines(path)) for path in references]
    for run_number in (1, 14):
        nbest = folder / f"run{run_number}.nbest.gz"
        first = [own[0].text for own in read_lists(nbest)]
        found = run_json(capsys, "--metric", "bleu", "--nbest", nbest, "--reference", *references)
        theirs = sacrebleu.corpus_bleu(first, streams, tokenize="none", force=True)
        assert found["score"] == theirs.score
        assert found["signature"].startswith("nrefs:3|")
