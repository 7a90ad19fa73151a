import sys
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesTruecaser

from decoding.core.corpus.preparation import (
    CasingCounter,
    Preparation,
    PreparationOptions,
    load_preparation,
)
from decoding.core.corpus.words import split_characters
from evaluation.core.errors import InputError

TEXT = [
    "The dog sees Mr. Smith's (new) house in Berlin.",
    "It can't be 3.5% | of it; the house isn't Smith's!",
    '"Who asks the dog?"',
]


def english(case="true"):
    plain = Preparation(PreparationOptions("en", case))
    counter = CasingCounter()
    for line in TEXT:
        counter.add(plain.tokenize(line))
    return Preparation(plain.options, counter.casing())


def test_tokens_have_usual_case():
    prepared = english().prepare(TEXT[0])
    assert prepared == "the dog sees Mr. Smith 's ( new ) house in Berlin ."
    assert Preparation(PreparationOptions("en", "lower")).prepare(TEXT[0]) == prepared.lower()


@pytest.mark.parametrize("line", TEXT)
def test_display_undoes_preparation(line):
    assert english().restore(english().prepare(line)) == line


def test_tokenised_text_is_left_as_it_is():
    as_is = Preparation()
    assert as_is.prepare("a  b|c\t&quot; D\u00a0e\x07") == "a b&#124;c &quot; D e"
    assert as_is.restore("a b&#124;c") == "a b|c"


def test_no_word_can_be_taken_for_a_field_mark():
    assert "|" not in Preparation().prepare("a ||| b")
    assert Preparation().prepare("<s> a <unk> <b>") == "&lt;s&gt; a &lt;unk&gt; <b>"


def test_usual_case_is_that_of_moses():
    tokens = [Preparation(PreparationOptions("en")).tokenize(line) for line in TEXT * 2]
    moses = MosesTruecaser().train(tokens, processes=1)
    counter = CasingCounter()
    for words in tokens:
        counter.add(words)
    assert counter.casing() == moses["best"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["A", "a", "Bc", "bc", ".", "1", "BC"]), max_size=6)))
def test_usual_case_is_that_of_moses_for_any_text(sentences):
    counter = CasingCounter()
    for words in sentences:
        counter.add(words)
    best = MosesTruecaser().train(sentences, processes=1)["best"] if any(sentences) else {}
    assert counter.casing() == best


def test_it_is_kept_with_the_system(tmp_path):
    path = tmp_path / "source.json"
    english().save(path)
    again = load_preparation(path)
    assert again == english()
    path.write_text("{}")
    with pytest.raises(InputError, match="cannot be read"):
        load_preparation(path)


def test_segmenters():
    assert split_characters("我有2只 cats。") == ["我", "有", "2", "只", "cats。"]
    chinese = Preparation(PreparationOptions("zh", segmenter="characters"))
    assert chinese.tokenize("我有2只猫") == ["我", "有", "2", "只", "猫"]
    with pytest.raises(InputError, match="no segmenter 'no\\.such:thing'") as caught:
        Preparation(PreparationOptions(segmenter="no.such:thing")).tokenize("a")
    assert "characters" in caught.value.hint


def test_any_function_can_segment(monkeypatch):
    module = types.ModuleType("halves")
    module.cut = lambda line: [line[: len(line) // 2], line[len(line) // 2 :]]
    monkeypatch.setitem(sys.modules, "halves", module)
    assert Preparation(PreparationOptions(segmenter="halves:cut")).tokenize("abcd") == ["ab", "cd"]
