import numpy as np
import pytest

from decoding.core.formats.nbest import NBestEntry, read_lists, write_nbest
from evaluation.core.errors import InputError
from evaluation.core.tuning.lists import model_scores
from evaluation.kbest import Referee, read_weights, write_kbest
from tests.evaluation.core.metrics import naive

REFERENCES = [("the house is small", "the home is little"), ("it is old", "this is old")]
FIRST = [
    NBestEntry(0, "the house is small", {"LM0": (-1.0,), "TM0": (-2.0, -3.0)}),
    NBestEntry(0, "house the small", {"LM0": (-4.0,), "TM0": (-2.0, -2.5)}),
    NBestEntry(1, "it old is", {"LM0": (-3.0,), "TM0": (0.0, -1.0)}),
]
SECOND = [
    NBestEntry(0, "house the small", {"LM0": (-4.0,), "TM0": (-2.0, -2.5)}),
    NBestEntry(1, "this is old", {"LM0": (-2.0,), "TM0": (-1.0, -1.5), "word_old": (1.0,)}),
]


@pytest.fixture
def files(tmp_path):
    for name, entries in (("first", FIRST), ("second", SECOND)):
        write_nbest(tmp_path / name, entries)
    for r in range(2):
        lines = [references[r] for references in REFERENCES]
        (tmp_path / f"ref{r}").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.fixture
def labelled(files):
    referee = Referee.read([files / "ref0", files / "ref1"])
    return referee.label_files([files / "first", files / "second"])


def test_files_become_one_list_for_each_sentence_without_duplicates(labelled):
    assert labelled.features == {"LM0": 1, "TM0": 2, "word_old": 1}
    assert labelled.lists.offsets.tolist() == [0, 2, 4]
    assert labelled.texts == ["the house is small", "house the small", "it old is", "this is old"]
    assert labelled.lists.features.tolist() == [
        [-1, -2, -3, 0], [-4, -2, -2.5, 0], [-3, 0, -1, 0], [-2, -1, -1.5, 1]
    ]  # fmt: skip
    expected = [
        naive.bleu_statistics(text, REFERENCES[s])
        for text, s in zip(labelled.texts, (0, 0, 1, 1), strict=True)
    ]
    assert labelled.lists.statistics.tolist() == expected


def test_lists_are_written_in_the_order_of_their_new_scores(labelled, files):
    weights = np.array([-1.0, 0.5, 0.0, 0.0])
    write_kbest(files / "out", labelled, weights)
    lists = list(read_lists(files / "out"))
    assert [[entry.text for entry in entries] for entries in lists] == [
        ["house the small", "the house is small"],
        ["it old is", "this is old"],
    ]
    assert sorted(entry.score for entries in lists for entry in entries) == sorted(
        model_scores(labelled.lists, weights)
    )
    again = Referee.read([files / "ref0"]).label_files([files / "out"])
    assert again.features == labelled.features
    assert sorted(map(tuple, again.lists.features)) == sorted(map(tuple, labelled.lists.features))


def test_a_feature_with_another_number_of_values_is_refused(files):
    write_nbest(files / "second", [NBestEntry(0, "a", {"TM0": (1.0,)}), *SECOND[1:]])
    referee = Referee.read([files / "ref0"])
    with pytest.raises(InputError, match="second: feature TM0 has 1 values"):
        referee.label_files([files / "first", files / "second"])


def test_lists_without_features_are_refused(files):
    write_nbest(files / "first", [NBestEntry(0, "a"), NBestEntry(1, "b")])
    with pytest.raises(InputError, match="no features"):
        Referee.read([files / "ref0"]).label_files([files / "first"])


def test_weights_are_read_from_a_moses_ini(tmp_path):
    path = tmp_path / "moses.ini"
    path.write_text("[feature]\nLM0 order=5\n[weight]\nTM0= 0.5 -1\nLM0= 2\nOther= 1 2 3\n")
    assert read_weights(path, {"LM0": 1, "TM0": 2}).tolist() == [2, 0.5, -1]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("LM0= 2\n", "no weights of TM0"),
        ("LM0= 2\nTM0= 1\n", "weights:2: expected 2 weights of TM0, found 1"),
        ("LM0= two\nTM0= 1 1\n", "weights:1: the weights of LM0 are no numbers"),
    ],
)
def test_weights_that_do_not_fit_are_refused(tmp_path, text, problem):
    (tmp_path / "weights").write_text(text)
    with pytest.raises(InputError) as caught:
        read_weights(tmp_path / "weights", {"LM0": 1, "TM0": 2})
    assert problem in str(caught.value)
