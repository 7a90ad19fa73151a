from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.diversity.export import penalty_model
from decoding.core.diversity.lists import (
    DiversityOptions,
    dissimilarity,
    diverse_list,
    penalty_for,
)
from decoding.core.formats.arpa import load_arpa, read_arpa, write_arpa
from decoding.core.language.model import LanguageModel
from decoding.core.search.decoder import EXHAUSTIVE, Decoder
from evaluation.core.errors import InputError
from tests.decoding.core.search import naive

words = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)


@given(st.lists(words, min_size=1, max_size=3), words, st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_the_model_says_what_the_dissimilarity_says(earlier, new, order):
    options = DiversityOptions(len(earlier) + 1, order, 0.25)
    model = LanguageModel.build(penalty_model(penalty_for(earlier, options)))
    wanted = sum(0.25 * dissimilarity(one, new, order) for one in earlier)
    assert log(10) * model.score(" ".join([*new, "unseen"])) == pytest.approx(wanted, abs=1e-4)


def test_kenlm_reads_the_file_and_agrees(tmp_path):
    kenlm = pytest.importorskip("kenlm")
    earlier = [
        ["the", "talks", "broke", "up", "on", "monday"],
        ["the", "talks", "broke", "up", "today"],
    ]
    options = DiversityOptions(3, 3, (0.1, 0.3))
    path = tmp_path / "penalty.arpa"
    write_arpa(penalty_model(penalty_for(earlier, options)), path)
    sentence = "then the talks broke up on tuesday"
    # "the talks broke" and "talks broke up" stand in both, "broke up on" in the first.
    wanted = -(2 * (0.1 + 0.3) + 0.1)
    assert log(10) * kenlm.Model(str(path)).score(sentence) == pytest.approx(wanted, abs=1e-4)
    assert log(10) * load_arpa(path).score(sentence) == pytest.approx(wanted, abs=1e-4)


def test_a_penalty_over_classes_is_refused():
    options = DiversityOptions(2, 2, 0.1, {"talks": "N"})
    with pytest.raises(InputError, match="classes"):
        penalty_model(penalty_for([["talks", "broke"]], options))


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_a_decoder_with_the_model_makes_the_same_list(tmp_path_factory, seed):
    """A3 both ways: the penalty inside the search, and round by round as one more ARPA model."""
    rng = np.random.default_rng(seed)
    toy = naive.random_toy(rng)
    tokens = [str(word) for word in rng.choice(list("uvwxq"), rng.integers(1, 5))]
    options = DiversityOptions(size=4, order=int(rng.integers(1, 4)), strength=float(rng.random()))
    decoder = Decoder(toy.system())
    rounds = diverse_list(decoder, decoder.collect(tokens), options, EXHAUSTIVE)
    path = tmp_path_factory.mktemp("arpa") / "penalty.arpa"
    for number, made in enumerate(rounds[1:], 1):
        earlier = [earlier.best.text.split() for earlier in rounds[:number]]
        write_arpa(penalty_model(penalty_for(earlier, options)), path)
        with_model = replace(
            toy, models=[*toy.models, read_arpa(path)], weights=toy.weights | {"LM1": [1.0]}
        )
        other = Decoder(with_model.system())
        best = other.search(other.collect(tokens), EXHAUSTIVE).best()
        assert best.total == pytest.approx(made.best.total, abs=1e-5)
        # The same translation, unless two are equally good.
        if best.text != made.best.text:
            forced = other.force(other.collect(tokens), made.best.text).best()
            assert forced.total == pytest.approx(best.total, abs=1e-5)
