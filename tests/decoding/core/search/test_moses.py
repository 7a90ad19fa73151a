"""The decoder against Moses's own outputs on the Multi30k system."""

import numpy as np
import pytest

from decoding.core.formats.nbest import read_lists
from decoding.core.search.decoder import Decoder
from decoding.core.system import System
from decoding.core.translation.moses import read_moses_system

MOSES_DEFAULT = -40675.108  # sum of the model scores of Moses's best translations, stack 200


@pytest.fixture(scope="module")
def multi30k(reference_data):
    folder = reference_data("moses-multi30k-deen")
    source = (folder / "test_2016_flickr.de").read_text().splitlines()
    return folder, source, Decoder(read_moses_system(folder / "moses.ini"))


@pytest.fixture(scope="module")
def ours(multi30k):
    """Our best derivation of each test sentence, at the default beam."""
    _, source, decoder = multi30k
    return [decoder.search(decoder.collect(line), keep=False).best() for line in source]


def graphs(multi30k, count):
    """Our graphs of the first sentences, one after another: each takes a megabyte."""
    _, source, decoder = multi30k
    return (decoder.search(decoder.collect(line)) for line in source[:count])


def moses_best(folder):
    """Moses's best translation of each sentence, with its features."""
    return [entries[0] for entries in read_lists(folder / "nbest100-distinct.test_2016_flickr.gz")]


def differs(decoder, derivation, entry):
    """By how much the features of a derivation differ from the printed ones, at most."""
    named = decoder.system.named(derivation.features)
    return max(np.abs(named[name] - values).max() for name, values in entry.features.items())


def test_every_feature_of_every_best_derivation_is_that_of_moses(multi30k, ours):
    folder, source, decoder = multi30k
    expected = moses_best(folder)
    assert len(expected) == len(source) == 1000
    for line, best, entry in zip(source, ours, expected, strict=True):
        assert list(entry.features) == [f.name for f in decoder.system.features if f.printed]
        if best.text != entry.text or abs(best.score - entry.score) > 1e-3:
            # Ours is another one, mostly a better one: look for Moses's own.
            forced = decoder.force(decoder.collect(line), entry.text).best_derivations(2000)
            best = min(forced, key=lambda derivation: differs(decoder, derivation, entry))
        assert differs(decoder, best, entry) < 1e-3
        assert best.score == pytest.approx(entry.score, abs=1e-3)


def test_our_default_beam_finds_more_than_that_of_moses(multi30k, ours):
    scores = np.array([best.score for best in ours])
    assert scores.sum() >= MOSES_DEFAULT
    # Both prune, so for a sentence now and then Moses's is better.
    moses = np.array([entry.score for entry in moses_best(multi30k[0])])
    assert np.mean(scores < moses - 2e-3) < 0.01


def test_lists_of_derivations_are_as_good_as_those_of_moses(multi30k):
    """Our i-th derivation against the i-th of Moses, whose beam saw a little more or less."""
    folder, _, _ = multi30k
    better = []
    lists = read_lists(folder / "nbest1000.test_2016_flickr.first100.gz", features=False)
    for graph, entries in zip(graphs(multi30k, 100), lists, strict=True):
        totals = graph.best_derivations(len(entries)).totals
        better.append(np.mean(totals - np.array([entry.score for entry in entries])))
    assert np.mean(better) > 0


def test_unique_lists_are_as_good_as_those_of_moses(multi30k):
    folder, _, _ = multi30k
    path = folder / "nbest100-distinct-factor200.test_2016_flickr.gz"
    better = []
    for graph, entries in zip(
        graphs(multi30k, 100), read_lists(path, features=False), strict=False
    ):
        listed = graph.best_derivations(100, unique=True, most=20000)
        assert len(set(listed.texts)) == len(listed) >= len(entries)
        scores = np.array([entry.score for entry in entries])
        better.append(np.mean(listed.totals[: len(entries)] - scores))
    assert np.mean(better) > 0


def test_the_system_directory_is_the_same_system(multi30k, tmp_path):
    _, source, decoder = multi30k
    decoder.system.save(tmp_path)
    opened = Decoder(System.open(tmp_path, check=True))
    for line in source[:20]:
        one, other = (d.search(d.collect(line)).best() for d in (decoder, opened))
        assert one.text == other.text
        assert one.score == other.score
