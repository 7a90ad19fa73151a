from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.diversity.export import penalty_model
from decoding.core.diversity.lists import DiversityOptions, dissimilarity, penalty_for
from decoding.core.formats.arpa import load_arpa, write_arpa
from decoding.core.language.model import LanguageModel
from evaluation.core.errors import InputError

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
