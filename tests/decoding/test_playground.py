from __future__ import annotations

import gc

import pytest
from django.urls import reverse

from decoding import playground
from decoding.actions.recipes import add_recipe
from decoding.actions.systems import keep_system
from decoding.core.corpus.preparation import Preparation, PreparationOptions
from decoding.makers import decoder_for_jobs, decoder_of, maker_for
from decoding.models import Recipe
from tests.factories import make_corpus, make_recipe, make_system

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
    assert page.context["beside"].gain is None
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
    assert page.context["beside"].gain == pytest.approx(
        trial.diverse_figures.coverage - trial.best_figures.coverage
    )
    assert trial.diverse_figures.coverage == pytest.approx(100)
    assert "Coverage +" in page.content.decode()
    assert "from 1 to 1" in show(corpus=corpus.pk, number="2").content.decode()


def test_no_diversity_costs_nothing(show, small):
    page = show(text="das haus", penalty="0", length="2")
    assert [one.text for one in page.context["trial"].diverse] == ["the house", "the house"]
    assert "1 of 1 different translation in both lists" in " ".join(page.content.decode().split())


def test_a_sentence_is_written_in_the_direction_of_its_corpus(show, user, small):
    corpus = make_corpus(
        user, [("das haus", ["the home"])], source_direction="rtl", target_direction="rtl"
    )
    typed = show(text="das haus", length="2").content.decode()
    assert typed.count('dir="auto"') == 2 + 2 * 4, "field, sentence, translations and phrases"
    picked = show(corpus=corpus.pk, number="1", length="2").content.decode()
    assert picked.count('dir="rtl"') == 2 + 2 * 4, "sentence, reference, translations"


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"order": "10"}, "less than or equal to 9"),
        ({"penalty": "10.5"}, "less than or equal to 10"),
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


def test_a_name_that_is_taken_costs_nothing_else(client, user, show, small):
    corpus = make_corpus(user, [("das haus", ["the home"])])
    said = {
        "system": small.pk, "corpus": corpus.pk, "number": 1, "order": 2, "penalty": 2.5,
        "length": 3, "found": "distinct",
    }  # fmt: skip
    show()
    page = client.post(reverse("decoding:make-recipe"), said | {"name": "Five best"})
    assert page.status_code == 422
    content = " ".join(page.content.decode().split())
    assert "<li>Recipe with this Name already exists.</li>" in content
    assert 'value="Five best"' in content
    assert page.context["trial"].versions[1].summary == "diverse 3, n=2 λ=2.5, distinct"
    for name, value in said.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in content
    assert Recipe.objects.get(name="Five best").versions.count() == 1


def test_a_name_that_somebody_took_just_now_is_told_too(client, show, small, monkeypatch):
    def add_too_late(name, *args, **options):
        Recipe.objects.create(name=name)
        return add_recipe(name, *args, **options)

    monkeypatch.setattr("decoding.views.playground.add_recipe", add_too_late)
    show()
    page = client.post(
        reverse("decoding:make-recipe"),
        {"system": small.pk, "text": "das haus", "order": 2, "penalty": 2.5, "length": 3,
         "name": "Mine"},
    )  # fmt: skip
    assert page.status_code == 422
    assert "there is a recipe named Mine already" in page.content.decode()


def test_words_are_counted_as_the_system_knows_them(show, user, small, tmp_path):
    for side in ("source", "target"):
        Preparation(PreparationOptions("de")).save(tmp_path / "system" / f"preparation.{side}.json")
    prepared = keep_system(
        tmp_path / "system", owner=user, kind="trained", card={}, name="prepared",
        source_language="de", target_language="en",
    )  # fmt: skip
    page = show(system=prepared.pk, text="das;haus;" * 30)
    assert "the sentence has 120 words" in page.content.decode()


def test_one_decodes_at_a_time_and_others_are_told(show, small, monkeypatch):
    monkeypatch.setattr("decoding.playground.PATIENCE_SECONDS", 0.01)
    with playground._one_at_a_time:
        page = show(text="das haus")
    assert page.context["trial"] is None
    assert "Somebody else is trying out a sentence. Try again in a moment." in page.content.decode()
    assert show(text="das haus").context["trial"] is not None, "the next one has its turn"
    assert show(text="das haus", system="0").context["trial"] is None
    assert not playground._one_at_a_time.locked()


def test_a_web_server_collects_garbage_as_python_does(show, user, small):
    gc.unfreeze()
    decoder_for_jobs.cache_clear()
    thresholds, frozen = gc.get_threshold(), gc.get_freeze_count()
    decoder_of.cache_clear()
    assert show(text="das haus").context["trial"] is not None
    assert (gc.get_threshold(), gc.get_freeze_count()) == (thresholds, frozen)
    version = make_recipe(kind="unique-best", length=2)
    maker = maker_for(small, make_corpus(user), version)
    try:
        assert len(maker.make(1, "das haus")) == 2
        assert gc.get_threshold()[0] == 50_000, "but not a worker"
        assert gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
        decoder_for_jobs.cache_clear()


def test_the_first_search_is_shared_and_each_further_one_is_a_translation(show, small, monkeypatch):
    """What a sentence costs: a search for each translation, of which both lists share the first."""
    decoder, searches = decoder_of(small.checksum, small.storage_key), []
    search = decoder.search
    monkeypatch.setattr(
        decoder, "search", lambda *args, **more: searches.append(1) or search(*args, **more)
    )
    show(text="das haus das", length="5", penalty="0.1")
    assert len(searches) == 5
    show(text="das haus das", length="5", penalty="0.2")
    assert len(searches) == 5 + 4, "moving a slider does not begin anew"
    show(text="das haus das", length="5", found="from_graph")
    assert len(searches) == 5 + 4


def test_others_systems_are_not_to_be_played_with(client, colleague, small):
    client.force_login(colleague)
    page = client.get(reverse("decoding:playground"), {"system": small.pk, "text": "das haus"})
    assert page.context["trial"] is None
