from __future__ import annotations

import pytest
from django.urls import reverse

from decoding.actions.systems import keep_system
from decoding.core.corpus.preparation import Preparation, PreparationOptions
from decoding.models import Recipe
from tests.factories import make_corpus, make_system

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(user, tmp_path):
    """A system of ours, so small that it is made in a moment."""
    from decoding.core.translation.moses import read_moses_system
    from tests.decoding.test_systems import ARPA, INI, TABLE

    (tmp_path / "model").mkdir()
    more = "das ||| that ||| 0.3\nhaus ||| home ||| 0.2\n"
    for name, content in {
        "moses.ini": INI, "model/table": TABLE + more, "model/lm.arpa": ARPA,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(content)
    folder = tmp_path / "system"
    read_moses_system(tmp_path / "moses.ini").save(folder)
    return keep_system(
        folder, owner=user, kind="imported", card={}, name="small", source_language="de",
        target_language="en",
    )  # fmt: skip


@pytest.fixture
def show(client, user):
    client.force_login(user)
    return lambda **said: client.get(reverse("decoding:playground"), said)


def test_without_a_system_it_says_what_to_do(show, user):
    make_system(user)
    assert "No system that decodes here" in show().content.decode()


def test_a_typed_sentence(show, small):
    assert "No sentence yet" in show().content.decode()
    page = show(text="das haus", penalty="1", order="1", length="3")
    trial = page.context["trial"]
    assert len(trial.best) == len({one.text for one in trial.best}) == 3
    assert trial.diverse[0].text == trial.best[0].text == "the house"
    assert trial.diverse[1].text == "the home", "not the same words again"
    assert trial.paid <= 0
    assert trial.gain is None
    assert "Make this a recipe" in page.content.decode()


def test_who_has_no_sentence_is_shown_to_a_corpus_that_the_system_reads(show, user, small):
    make_corpus(user, [("the house", ["das haus"])], source_language="en", target_language="de")
    assert "first segment of" not in show().content.decode()
    corpus = make_corpus(user, [("das haus", ["the home"])])
    page = show(text=" ", penalty="1").content.decode()
    assert f"?penalty=1&amp;corpus={corpus.pk}&amp;number=1" in page


def test_a_picked_segment_has_coverage(show, user, small):
    corpus = make_corpus(user, [("das haus", ["the home"])])
    page = show(corpus=corpus.pk, number="1", penalty="1", order="1", length="2")
    trial = page.context["trial"]
    assert trial.gain == pytest.approx(trial.diverse_figures.coverage - trial.best_figures.coverage)
    assert trial.diverse_figures.coverage == pytest.approx(100)
    assert "Coverage +" in page.content.decode()
    assert "from 1 to 1" in show(corpus=corpus.pk, number="2").content.decode()


def test_no_diversity_costs_nothing(show, small):
    trial = show(text="das haus", penalty="0", length="2").context["trial"]
    assert [one.text for one in trial.diverse] == ["the house", "the house"]
    assert trial.in_both == 2


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"order": "10"}, "less than or equal to 9"),
        ({"penalty": "-1"}, "greater than or equal to 0"),
        ({"penalty": "nan"}, "Enter a number"),
        ({"length": "21"}, "less than or equal to 20"),
        ({"text": "wort " * 81}, "81 words"),
        ({"system": "999"}, "Select a valid choice"),
    ],
)
def test_nonsense_gets_its_sentence(show, small, said, says):
    page = show(**{"text": "das haus"} | said)
    assert page.status_code == 200
    assert says in page.content.decode()


def test_another_way_to_find_them(client, show, small):
    said = {"text": "das haus", "penalty": "0", "order": "1", "length": "3"}
    trial = show(**said, found="distinct").context["trial"]
    assert len({one.text for one in trial.diverse}) == 3
    trial = show(**said, found="from_graph").context["trial"]
    assert [one.text for one in trial.diverse] == ["the house"] * 3
    answer = client.post(
        reverse("decoding:make-recipe"),
        {**said, "system": small.pk, "found": "distinct", "name": "No repetitions"},
    )
    assert answer["Location"] == Recipe.objects.get(name="No repetitions").get_absolute_url()
    assert Recipe.objects.get(name="No repetitions").newest.distinct


def test_text_is_prepared_for_the_system_and_restored_for_people(show, user, small, tmp_path):
    for side in ("source", "target"):
        options = PreparationOptions("de" if side == "source" else "en", case="lower")
        Preparation(options).save(tmp_path / "system" / f"preparation.{side}.json")
    prepared = keep_system(
        tmp_path / "system", owner=user, kind="trained", card={}, name="prepared",
        source_language="de", target_language="en",
    )  # fmt: skip
    page = show(system=prepared.pk, text="Das Haus!", penalty="1", order="1", length="2")
    assert page.context["trial"].best[0].text == "the house !", "what was decoded stays"
    assert "the house!" in page.content.decode()


def test_what_was_tried_becomes_a_recipe(client, user, show, small):
    said = {"system": small.pk, "order": 2, "penalty": 0.03, "length": 7, "name": "Mine"}
    show()
    answer = client.post(reverse("decoding:make-recipe"), said)
    recipe = Recipe.objects.get(name="Mine")
    assert answer["Location"] == recipe.get_absolute_url()
    assert recipe.newest.summary == "diverse 7, n=2 λ=0.03"
    assert recipe.newest.author == user
    page = client.post(reverse("decoding:make-recipe"), said, follow=True)
    assert "Recipe with this Name already exists" in page.content.decode()


def test_others_systems_are_not_to_be_played_with(client, colleague, small):
    client.force_login(colleague)
    page = client.get(reverse("decoding:playground"), {"system": small.pk, "text": "das haus"})
    assert page.context["trial"] is None
