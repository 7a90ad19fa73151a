"""The decoder against the kept outputs of Moses on a small French-English system."""

import re

import pytest

from decoding.core.search.decoder import Decoder, SearchOptions
from decoding.core.translation.moses import read_moses_system


@pytest.fixture(scope="module")
def golden(reference_data, tmp_path_factory):
    folder = reference_data("decoder-goldens/phrase-lexreord")
    text = (folder / "moses.ini").read_text()
    paths = {
        "europarl.lm": "europarl.lm.gz",
        "reordering-table.msd-bidirectional-fe.0.5.0-0.gz": "reordering-table.gz",
        "phrase-table.0-0.gz": "phrase-table.gz",
    }
    for old, new in paths.items():  # where the files are, and how they are called here
        text = text.replace(f"${{MODEL_PATH}}/lexicalized-reordering/{old}", str(folder / new))
    ini = tmp_path_factory.mktemp("golden") / "moses.ini"
    ini.write_text(text)
    source = (folder / "input.fr").read_text().splitlines()
    expected = (folder / "expected.txt").read_text()
    texts = re.findall(r"^TRANSLATION_\d+=(.*?) *$", expected, re.M)
    scores = [float(score) for score in re.findall(r"^SCORE_\d+ = (.*)$", expected, re.M)]
    return source, texts, scores, Decoder(read_moses_system(ini))


@pytest.mark.parametrize("number", range(5))
def test_the_expected_translation_has_the_expected_score(golden, number):
    source, texts, scores, decoder = golden
    sentence = decoder.collect(source[number])
    forced = decoder.force(sentence, texts[number], SearchOptions(pop_limit=5000, threshold=None))
    assert forced.best().text == texts[number]
    assert forced.best().score == pytest.approx(scores[number], abs=1e-3)


@pytest.mark.parametrize("number", range(5))
def test_our_best_translation_scores_at_least_as_well(golden, number):
    source, texts, scores, decoder = golden
    best = decoder.search(decoder.collect(source[number])).best()
    assert best.score >= scores[number] - 1e-3
    if best.score <= scores[number] + 1e-3:
        assert best.text == texts[number]
