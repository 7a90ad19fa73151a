import gzip
import json

import kenlm
import numpy as np
import pytest

from decoding.core.formats.arpa import load_arpa
from decoding.core.language import automaton as kernels
from decoding.core.language.model import LanguageModel
from evaluation.core.errors import InputError
from tests.decoding.core.language.naive import random_model

# A model and texts to score with it: the model's language, and one full of unknown words.
TEXTS = {
    "moses-multi30k-deen/lm.en.5gram.arpa.gz": [
        "moses-multi30k-deen/val.en",
        "moses-multi30k-deen/test_2016_flickr.en",
        "moses-multi30k-deen/test_2016_flickr.de",
    ],
    "decoder-goldens/phrase-lexreord/europarl.lm.gz": [
        "moses-multi30k-deen/val.en",
        "decoder-goldens/phrase-lexreord/input.fr",
        "wmt-deen/test.en.gz",
        "bible-aren/test.en.ref0.gz",
    ],
    "decoder-goldens/hiero-bnen/lm.gz": [
        "moses-multi30k-deen/test_2016_flickr.en",
        "decoder-goldens/hiero-bnen/input.bn",
        "bible-aren/test.en.ref0.gz",
        "quran-aren/test.en.ref0.gz",
    ],
}


@pytest.mark.parametrize("name", TEXTS)
def test_scores_of_real_text_are_kenlm_s(reference_data, name):
    path = reference_data(name)
    lm, reference = load_arpa(path), kenlm.Model(str(path))
    assert lm.order == reference.order
    for text_name in TEXTS[name]:
        text = reference_data(text_name).read_bytes()
        text = gzip.decompress(text) if text_name.endswith(".gz") else text
        lines = text.decode().rstrip("\n").split("\n")
        scores = lm.score_lines(text)
        expected = np.array([reference.score(line) for line in lines])
        assert len(scores) == len(lines)
        # KenLM adds up in float32.
        np.testing.assert_allclose(scores, expected, rtol=3e-6, atol=1e-5)
        inside = lm.score_lines(text, begin=False, end=False)
        expected = [reference.score(line, bos=False, eos=False) for line in lines]
        np.testing.assert_allclose(inside, expected, rtol=3e-6, atol=1e-5)


def test_ngram_lengths_of_real_text_are_kenlm_s(reference_data):
    path = reference_data("moses-multi30k-deen/lm.en.5gram.arpa.gz")
    lm, reference = load_arpa(path), kenlm.Model(str(path))
    lines = reference_data("moses-multi30k-deen/val.en").read_text().splitlines()[:200]
    for line in [*lines, "an unheard-of word and &quot; more of zzz zzz"]:
        expected = [(length, unknown) for _, length, unknown in reference.full_scores(line)]
        assert [(s.ngram_length, s.unknown) for s in lm.word_scores(line)] == expected


def test_a_saved_model_opens_as_it_was(tmp_path):
    lm = LanguageModel.build(random_model(np.random.default_rng(5)))
    lm.save(tmp_path / "lm")
    again = LanguageModel.open(tmp_path / "lm")
    assert again.order == lm.order
    assert list(again.vocabulary.words) == list(lm.vocabulary.words)
    pairs = zip((*lm.automaton, *lm.bounds), (*again.automaton, *again.bounds), strict=True)
    for old, new in pairs:
        assert old.dtype == new.dtype
        np.testing.assert_array_equal(old, new)
        assert not new.flags.writeable
    assert again.score("a b zzz d") == lm.score("a b zzz d")


def test_a_kernel_is_compiled_once_for_built_and_opened_models(tmp_path):
    lm = LanguageModel.build(random_model(np.random.default_rng(5)))
    lm.save(tmp_path)
    again = LanguageModel.open(tmp_path)
    lm.score("a b")
    known = len(kernels.score_sentence.signatures)
    again.score("a b")
    assert len(kernels.score_sentence.signatures) == known


def test_an_incomplete_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a complete language model"):
        LanguageModel.open(tmp_path)
    LanguageModel.build(random_model(np.random.default_rng(5))).save(tmp_path)
    (tmp_path / "automaton-states.npy").write_bytes(b"")
    with pytest.raises(InputError, match="not a complete language model"):
        LanguageModel.open(tmp_path)


def test_a_model_of_another_format_is_refused(tmp_path):
    LanguageModel.build(random_model(np.random.default_rng(5))).save(tmp_path)
    (tmp_path / "language-model.json").write_text(json.dumps({"format": 99, "order": 3}))
    with pytest.raises(InputError, match="has format 99"):
        LanguageModel.open(tmp_path)


def test_several_models_share_a_decoder_s_vocabulary():
    one = LanguageModel.build(random_model(np.random.default_rng(5), words=3))
    two = LanguageModel.build(random_model(np.random.default_rng(6), words=4))
    shared = ["d", "zzz", "a"]
    assert one.ids(shared).tolist() == [0, 0, 3]
    assert two.ids(shared).tolist() == [6, 0, 3]
