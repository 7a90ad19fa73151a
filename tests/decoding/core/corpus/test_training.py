import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from decoding.core.corpus.align import AlignmentOptions
from decoding.core.corpus.clean import CleaningOptions
from decoding.core.corpus.preparation import PreparationOptions
from decoding.core.corpus.prune import PruningOptions
from decoding.core.corpus.training import STEPS, TrainingOptions, TrainingTexts, train_system
from decoding.core.language.estimate import EstimationOptions
from decoding.core.system import System
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError

from .test_assemble import translations

OPTIONS = TrainingOptions(language=EstimationOptions(order=3), moses_files=True)
TRANSLATION = dict(zip("abcdefgh", "ABCDEFGH", strict=True))


def ticks():
    """A clock that goes a second each time it is looked at."""
    return itertools.count().__next__


def write(path, sentences):
    path.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")
    return path


@pytest.fixture
def texts(tmp_path):
    """Sentences whose words translate one by one, now and then in another order, some unfit."""
    rng = np.random.default_rng(5)
    source, target = [], []
    for _ in range(200):
        words = [str(w) for w in rng.choice(list("abcdefgh"), rng.integers(2, 9))]
        translated = [TRANSLATION[w] for w in words]
        if rng.random() < 0.3:
            translated[0], translated[1] = translated[1], translated[0]
        source.append(words)
        target.append(translated)
    source[7], source[9] = [], ["a"] * 100
    return TrainingTexts(write(tmp_path / "source", source), write(tmp_path / "target", target))


def test_a_mark_and_zero_bytes_are_left_aside(texts, tmp_path):
    train_system(texts, tmp_path / "clean", OPTIONS, clock=ticks())
    for path in (texts.source, texts.target):
        path.write_text("\ufeff" + path.read_text().replace("\n", "\0\n", 20))
    train_system(texts, tmp_path / "dirty", OPTIONS, clock=ticks())
    tables = [translations_of(System.open(tmp_path / name)) for name in ("clean", "dirty")]
    assert tables[0] == tables[1]


def translations_of(system):
    return translations(system.table, system.source, system.target)


def test_a_system_is_trained_and_reported(texts, tmp_path):
    dev = write(tmp_path / "dev", [["a", "b", "z"], ["c"]])
    told = []
    report = train_system(
        replace(texts, dev_source=dev, dev_target=dev),
        tmp_path / "system",
        OPTIONS,
        clock=ticks(),
        progress=lambda step, done: told.append((step, done)),
    )
    assert report["prepare"] == {"read": 200, "kept": 198, "empty": 1, "too_long": 1, "unlike": 0}
    assert report["number"]["source"]["types"] == 8
    assert report["align"]["forward"]["perplexities"][-1] < 8
    assert report["dev"]["unknown_rate"] == pytest.approx(1 / 4)
    assert report["dev"]["perplexity"] > 1
    assert set(report["seconds"]) == {step for step, _ in told}
    assert told == sorted(told, key=lambda one: (STEPS.index(one[0]), one[1]))
    assert all(0 <= done <= 1 for _, done in told)
    # Whoever waits for a step of minutes sees it move, and can stop it.
    assert {step for step, done in told if 0 < done < 1} >= {"phrases", "language", "system"}
    assert all(seconds == 1 for seconds in report["seconds"].values())
    assert report == json.loads((tmp_path / "system/training.json").read_text())
    assert not (tmp_path / "system.training").exists()
    best = {}
    for source, rows in translations_of(System.open(tmp_path / "system", check=True)).items():
        best[source] = max(rows, key=lambda row: row[1][2])[0]
    assert {word: best[word] for word in TRANSLATION} == TRANSLATION


def test_it_is_the_system_that_its_moses_files_make(texts, tmp_path):
    report = train_system(texts, tmp_path / "system", OPTIONS, clock=ticks())
    ours = System.open(tmp_path / "system")
    imported = read_moses_system(tmp_path / "system/moses/moses.ini")
    assert ours.features == imported.features
    assert np.array_equal(ours.weights, imported.weights)
    assert ours.settings == imported.settings
    tables = translations_of(ours), translations_of(imported)
    assert tables[0].keys() == tables[1].keys()
    assert sum(map(len, tables[0].values())) == report["phrases"]["pairs"]
    for source, rows in tables[0].items():
        others = tables[1][source]
        assert [row[0] for row in rows] == [row[0] for row in others]
        assert [row[3] for row in rows] == [row[3] for row in others]
        for k in (1, 2):
            np.testing.assert_allclose(
                [row[k] for row in rows], [row[k] for row in others], atol=2e-5
            )
    for sentence in ("A B C", "H Z G"):
        assert ours.languages[0].score(sentence) == pytest.approx(
            imported.languages[0].score(sentence), abs=1e-5
        )


def test_insignificant_pairs_can_be_dropped(texts, tmp_path):
    options = replace(OPTIONS, pruning=PruningOptions("a+e"))
    report = train_system(texts, tmp_path / "pruned", options, clock=ticks())
    whole = train_system(texts, tmp_path / "whole", OPTIONS, clock=ticks())
    assert report["phrases"]["extracted"] == whole["phrases"]["pairs"]
    assert report["phrases"]["pairs"] < whole["phrases"]["pairs"] / 2
    tables = [translations_of(System.open(tmp_path / name)) for name in ("pruned", "whole")]
    assert sum(map(len, tables[0].values())) == report["phrases"]["pairs"]
    for source, rows in tables[0].items():
        assert all(row in tables[1][source] for row in rows)  # with the same probabilities


class InterruptedByTestError(Exception):
    pass


@pytest.mark.parametrize(
    ("where", "done_of_it"),
    [
        ("number", 0),
        ("phrases", 0),
        ("language", 0.2),
        ("system", 0.5),
        ("system", 0.7),
        ("dev", 0),
    ],
)
def test_interrupted_it_goes_on_where_it_was(texts, tmp_path, where, done_of_it):
    train_system(texts, tmp_path / "whole", OPTIONS, clock=ticks())

    def stop(step, done):
        if step == where and done >= done_of_it:
            raise InterruptedByTestError

    with pytest.raises(InterruptedByTestError):
        train_system(texts, tmp_path / "system", OPTIONS, clock=ticks(), progress=stop)
    assert not (tmp_path / "system").exists()
    begun = []

    def watch(step, done):
        if done == 0:
            begun.append(step)

    train_system(texts, tmp_path / "system", OPTIONS, clock=ticks(), progress=watch)
    assert begun[0] == where
    same = [path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.*")]
    assert len(same) > 20
    for name in same:
        if (tmp_path / "whole" / name).is_file() and name.name not in ("system.json",):
            again = (tmp_path / "system" / name).read_bytes()
            assert again == (tmp_path / "whole" / name).read_bytes(), name


@pytest.mark.parametrize("step", [1, 2, 4, 6])
def test_killed_before_a_step_is_noted_it_takes_that_step_again(texts, tmp_path, step):
    seconds = iter(range(2 * step + 1))

    def clock():
        for second in seconds:
            return second
        raise InterruptedByTestError  # what was done in the step is done, but not noted

    with pytest.raises(InterruptedByTestError):
        train_system(texts, tmp_path / "system", OPTIONS, clock=clock)
    report = train_system(texts, tmp_path / "system", OPTIONS, clock=ticks())
    assert report["phrases"]["pairs"] == report["phrases"]["extracted"]
    assert System.open(tmp_path / "system", check=True)
    read_moses_system(tmp_path / "system/moses/moses.ini")


def test_other_options_start_anew(texts, tmp_path):
    def stop(step, _done):
        if step == "phrases":
            raise InterruptedByTestError

    with pytest.raises(InterruptedByTestError):
        train_system(texts, tmp_path / "system", OPTIONS, clock=ticks(), progress=stop)
    other = replace(OPTIONS, cleaning=CleaningOptions(longest=4))
    report = train_system(texts, tmp_path / "system", other, clock=ticks())
    assert report["prepare"]["kept"] < 198


def test_an_alignment_of_another_aligner_is_used(texts, tmp_path):
    lengths = [len(line.split()) for line in texts.target.read_text().splitlines()]
    points = [[f"{i}-{i}" for i in range(length)] for length in lengths]
    diagonal = write(tmp_path / "pharaoh", points)
    report = train_system(
        replace(texts, alignment=diagonal), tmp_path / "system", OPTIONS, clock=ticks()
    )
    assert report["align"] == {
        "model": "given",
        "links": sum(n for k, n in enumerate(lengths) if k not in (7, 9)),
    }
    points[19] = ["0-90"]
    wrong = replace(texts, alignment=write(tmp_path / "wrong", points))
    with pytest.raises(InputError, match="wrong:20: the link 0-90 points past the end"):
        train_system(wrong, tmp_path / "again", OPTIONS, clock=ticks())


def test_text_is_prepared_as_wanted(tmp_path):
    source = write(tmp_path / "s", [["Das", "Haus,", "das", "Er", "sah."], ["Er", "sah", "Er."]])
    target = write(tmp_path / "t", [["The", "House", "he", "saw."], ["He", "saw", "himself."]])
    options = TrainingOptions(
        source=PreparationOptions("de", "true"),
        target=PreparationOptions("en", "lower"),
        language=EstimationOptions(order=2),
    )
    train_system(TrainingTexts(source, target), tmp_path / "system", options, clock=ticks())
    system = System.open(tmp_path / "system")
    assert set(system.source.words) >= {"das", "Haus", ",", "sah", "."}
    assert "The" not in system.target.words
    assert (tmp_path / "system/preparation.source.json").is_file()


def test_what_cannot_be_done_is_said(texts, tmp_path):
    with pytest.raises(InputError, match="hierarchical systems cannot be trained yet"):
        train_system(texts, tmp_path / "x", TrainingOptions(kind="hierarchical"), clock=ticks())
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").touch()
    with pytest.raises(InputError, match="there: is there already"):
        train_system(texts, tmp_path / "there", OPTIONS, clock=ticks())
    nothing = replace(OPTIONS, cleaning=CleaningOptions(longest=0))
    with pytest.raises(InputError, match="none of the 200 sentence pairs is fit"):
        train_system(texts, tmp_path / "x", nothing, clock=ticks())
    nowhere = write(tmp_path / "pharaoh", [[]] * 200)
    with pytest.raises(InputError, match="pharaoh: no phrase pair could be extracted"):
        train_system(replace(texts, alignment=nowhere), tmp_path / "x", OPTIONS, clock=ticks())
    shorter = replace(texts, target=write(tmp_path / "short", [["A"]]))
    with pytest.raises(InputError, match="ends after 1 lines, but source goes on"):
        train_system(shorter, tmp_path / "x", OPTIONS, clock=ticks())


def test_aligners_can_be_chosen(texts, tmp_path):
    for model in ("hmm", "ibm1"):
        options = replace(OPTIONS, alignment=AlignmentOptions(model=model))
        report = train_system(texts, tmp_path / model, options, clock=ticks())
        assert report["align"]["model"] == model
