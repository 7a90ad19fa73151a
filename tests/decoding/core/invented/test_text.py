"""The invented text: the same each time, of the lengths that studies want, in good English."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from random import Random

import numpy as np
import pytest

from decoding.core.corpus.preparation import PreparationOptions, load_preparation
from decoding.core.corpus.training import TrainingOptions, TrainingTexts, train_system
from decoding.core.invented.english import plural, say_in_english
from decoding.core.invented.lexicon import FRAMES, NOUNS, VERBS
from decoding.core.invented.meaning import draw_telling
from decoding.core.invented.orvish import _all_stems, say_in_orvish
from decoding.core.invented.text import LENGTHS, invent_corpus
from decoding.core.search.bulk import translate_lines
from decoding.core.search.decoder import Decoder
from decoding.core.system import System
from evaluation.core.metrics.figures import FigureOptions, first_bleu1


def some(count, seed=1, references=2):
    return list(islice(invent_corpus(seed, references=references), count))


def test_a_seed_gives_the_same_text_always():
    assert some(300) == some(300)
    assert some(300) != some(300, seed=2)


def test_the_language_does_not_change_with_the_text():
    """Whoever tests with another seed than they trained with finds the same words."""
    words = [set(" ".join(s.source for s in some(2000, seed)).split()) for seed in (1, 2)]
    frequent = [
        w for w, n in Counter(" ".join(s.source for s in some(2000, 1)).split()).items() if n > 20
    ]
    assert set(frequent) <= words[1]


def test_no_two_sentences_are_alike_and_references_differ():
    drawn = some(3000, references=3)
    assert len({sentence.source for sentence in drawn}) == len(drawn)
    assert all(len(set(sentence.references)) == 3 for sentence in drawn)


def test_lengths_are_those_of_a_study():
    lengths = [len(text.split()) for sentence in some(3000) for text in sentence.references]
    assert min(lengths) >= LENGTHS[0]
    assert max(lengths) <= LENGTHS[1]
    assert min(lengths) < 7
    assert max(lengths) > 22


def test_english_agrees():
    """What a reader would stumble over: "a old", "was" after many, forms that do not exist."""
    text = "\n".join(t for sentence in some(5000) for t in sentence.references)
    assert not re.search(r"\b[Aa] [aeio]\w+|\b[Aa]n [^aeiou\W]", text.replace("a one", ""))
    assert not re.search(
        r"\b(police|they|people|men) (was|has)\b|\b(he|she|it) (were|have)\b", text
    )
    assert not re.search(r"\b(\w+) \1\b", text)
    assert not re.search(r"\w+(eed|owed|oked|rited|eted)ed\b|  | ,|,,|\.\.", text)
    assert not re.search(r"^[a-z]|[^.]$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("one", "many"),
    [("city", "cities"), ("fisherman", "fishermen"), ("bus driver", "bus drivers"),
     ("witness", "witnesses"), ("toy", "toys"), ("year in prison", "years in prison")],
)  # fmt: skip
def test_plurals(one, many):
    assert plural(one) == many


def test_a_meaning_has_one_source_and_many_translations():
    telling = draw_telling(Random(5))
    assert len({say_in_orvish(telling) for _ in range(20)}) == 1
    assert len({say_in_english(telling, Random(seed)) for seed in range(60)}) > 2


def test_every_class_and_verb_that_a_frame_names_is_there():
    for frame in FRAMES.values():
        assert frame.verb in VERBS
        for kind in (*frame.subjects, *frame.objects, *(kind for _, kind in frame.obliques)):
            assert kind in NOUNS


def test_words_are_not_alike_by_accident():
    made = list(_all_stems().values())
    assert len(set(made)) == len(made)


@pytest.mark.slow
def test_a_system_is_good_at_some_sentences_and_bad_at_others(tmp_path):
    """BLEU+1 of what a system says spreads over the scale, and no quarter of it is empty."""
    drawn = some(4150)
    train, test = drawn[:4000], drawn[4000:]
    for name, lines in (
        ("source", [sentence.source for sentence in train]),
        ("target", [sentence.references[0] for sentence in train]),
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    texts = TrainingTexts(tmp_path / "source", tmp_path / "target")
    side = PreparationOptions(language="en", case="true")
    folder = tmp_path / "system"
    options = TrainingOptions(source=side, target=side)
    train_system(texts, folder, options, clock=lambda: 0.0, progress=lambda step, done: None)
    source, target = (
        load_preparation(folder / f"preparation.{s}.json") for s in ("source", "target")
    )
    said = translate_lines(Decoder(System.open(folder)), [source.prepare(s.source) for s in test])
    lists = [[target.restore(text)] for text, _ in said]
    references = [list(sentence.references) for sentence in test]
    scores = np.array(first_bleu1(lists, references, FigureOptions(tokenize="13a")))
    assert scores.min() < 20
    assert scores.max() > 95
    assert (np.histogram(scores, (0, 25, 50, 75, 101))[0] >= len(test) // 20).all()
