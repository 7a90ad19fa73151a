import kenlm
import numpy as np
import pytest

from decoding.core.formats.arpa import load_arpa
from decoding.core.language.model import LanguageModel
from decoding.core.language.perplexity import perplexity
from evaluation.core.errors import InputError
from tests.decoding.core.language.naive import NaiveModel, random_model


def test_perplexity_is_the_mean_over_words_and_ends():
    model = random_model(np.random.default_rng(2))
    naive, scores, known = NaiveModel(model), [], []
    for line in ["a b zzz", "", "d"]:
        history = [1]
        for word in [*line.split(), "</s>"]:
            number = model.vocabulary.numbers.get(word, 0)
            scores.append(naive.score(history, number)[0])
            known.append(number != 0)
            history.append(number)
    result = perplexity(LanguageModel.build(model), b"a b zzz\n\nd\n")
    assert result.with_unknown == pytest.approx(10 ** -np.mean(scores), rel=1e-5)
    assert result.without_unknown == pytest.approx(
        10 ** -np.mean(np.array(scores)[known]), rel=1e-5
    )
    assert (result.sentences, result.words, result.unknown) == (3, 4, 1)
    assert result.unknown_rate == 0.25


def test_perplexity_of_real_text_is_kenlm_s(reference_data):
    path = reference_data("moses-multi30k-deen/lm.en.5gram.arpa.gz")
    text = reference_data("moses-multi30k-deen/val.en").read_bytes()
    reference, lines = kenlm.Model(str(path)), text.decode().splitlines()
    total = sum(reference.score(line) for line in lines)
    events = sum(len(line.split()) + 1 for line in lines)
    result = perplexity(load_arpa(path), text)
    assert result.with_unknown == pytest.approx(10 ** (-total / events), rel=1e-5)


def test_a_text_is_needed():
    with pytest.raises(InputError, match="no text"):
        perplexity(LanguageModel.build(random_model(np.random.default_rng(0))), b"")
