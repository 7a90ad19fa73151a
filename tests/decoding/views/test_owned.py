"""What is said about corpora and systems is corrected, and they are deleted, by whom it may be."""

from __future__ import annotations

import pytest
from django.db.models import ProtectedError
from django.urls import reverse

from decoding.actions.deletion import delete_unless_used
from decoding.actions.describing import describe
from decoding.actions.sharing import share_with
from decoding.models import (
    Comparison,
    Corpus,
    FailedSegment,
    Job,
    ListEntry,
    ListPair,
    Measurement,
    Pool,
    Reference,
    Segment,
    System,
    TranslationList,
    TuningRun,
    WeightTuning,
)
from evaluation.core.errors import InputError, VariorumError
from studies.models import Condition, Study, Task
from tests.factories import (
    make_corpus,
    make_list,
    make_recipe,
    make_system,
    make_tuning_run,
)

pytestmark = pytest.mark.django_db

SAID = {
    "corpus": {
        "name": "other", "licence": "CC0", "provenance": "the web",
        "source_direction": "rtl", "target_direction": "ltr",
    },
    "system": {"name": "other", "licence": "CC0", "notes": "wrong before"},
}  # fmt: skip


@pytest.fixture
def client(client, user):
    client.force_login(user)
    return client


@pytest.fixture(params=["corpus", "system"])
def kind(request):
    return request.param


@pytest.fixture
def owned(user, kind):
    return make_corpus(user, name="this") if kind == "corpus" else make_system(user, name="this")


def edit(client, owned, **said):
    kind = owned._meta.model_name
    return client.post(reverse(f"decoding:edit-{kind}", args=[owned.pk]), SAID[kind] | said)


def delete(client, owned):
    kind = owned._meta.model_name
    return client.post(reverse(f"decoding:delete-{kind}", args=[owned.pk]), follow=True)


def text_of(answer) -> str:
    return " ".join(answer.content.decode().split())


def use(owned, name: str = "Mine") -> Study:
    """A study that needs it."""
    if isinstance(owned, Corpus):
        return Study.objects.create(owner=owned.owner, name=name, corpus=owned)
    study = Study.objects.create(owner=owned.owner, name=name, corpus=make_corpus(owned.owner))
    Condition.objects.create(
        study=study, place=1, name="best", system=owned, recipe_version=make_recipe()
    )
    return study


# --- Edit ---------------------------------------------------------------------------------------


def test_an_owner_corrects_what_is_said(client, owned, kind):
    before = {**type(owned).objects.values().get(pk=owned.pk)}
    assert "languages stay" in text_of(
        client.get(reverse(f"decoding:edit-{kind}", args=[owned.pk]))
    )
    answer = edit(client, owned, source_language="fr", checksum="x", segment_count=7)
    assert answer["Location"] == owned.get_absolute_url()
    assert type(owned).objects.values().get(pk=owned.pk) == before | SAID[kind]


def test_editors_correct_too_but_viewers_do_not(client, owned, colleague, administrator, kind):
    address = reverse(f"decoding:edit-{kind}", args=[owned.pk])
    client.force_login(colleague)
    assert client.get(address).status_code == 404
    share_with(owned, user=colleague, role="viewer")
    assert edit(client, owned).status_code == 403
    assert address not in text_of(client.get(owned.get_absolute_url()))
    share_with(owned, user=colleague, role="editor")
    assert address in text_of(client.get(owned.get_absolute_url()))
    assert edit(client, owned, name="by an editor").status_code == 302
    client.force_login(administrator)
    assert edit(client, owned, name="by an administrator").status_code == 302
    assert type(owned).objects.get(pk=owned.pk).name == "by an administrator"


def test_a_name_stays_new_to_its_owner(client, owned, kind, administrator):
    make = {"corpus": make_corpus, "system": make_system}[kind]
    make(owned.owner, name="taken")
    make(administrator, name="free")
    said = f"rosa has a {kind} named taken already. Choose another name."
    for _ in range(2):
        answer = edit(client, owned, name="taken")
        assert answer.status_code == 422
        assert said in text_of(answer)
        client.force_login(administrator)
    with pytest.raises(InputError, match=f"a {kind} named taken already"):
        describe(owned, name="taken")
    assert edit(client, owned, name="free").status_code == 302


def test_a_name_stands_in_the_registration_of_a_study(client, owned):
    use(owned)
    page = client.get(reverse(f"decoding:edit-{owned._meta.model_name}", args=[owned.pk]))
    assert "It stays, for a study uses it, whose registration has the name." in text_of(page)
    assert edit(client, owned).status_code == 302
    owned.refresh_from_db()
    assert (owned.name, owned.licence) == ("this", "CC0")


def test_the_administration_refuses_a_taken_name_too(client, owned, kind, administrator):
    {"corpus": make_corpus, "system": make_system}[kind](owned.owner, name="taken")
    client.force_login(administrator)
    address = reverse(f"admin:decoding_{kind}_change", args=[owned.pk])
    answer = client.post(address, SAID[kind] | {"name": "taken"})
    assert "named taken already" in text_of(answer)
    assert client.post(address, SAID[kind]).status_code == 302
    owned.refresh_from_db()
    assert owned.name == "other"


def test_the_administration_says_where_it_is_deleted(client, owned, kind, administrator):
    client.force_login(administrator)
    shown = text_of(client.get(reverse(f"admin:decoding_{kind}_change", args=[owned.pk])))
    assert f'It is deleted on <a href="{owned.get_absolute_url()}">its own page</a>' in shown


# --- Delete -------------------------------------------------------------------------------------


@pytest.fixture
def much(user):
    """A corpus and a system with something of each kind that belongs to both, and another pair."""
    versions = [make_recipe(), make_recipe()]
    pairs = []
    for _ in range(2):
        corpus, system = make_corpus(user), make_system(user)
        job = Job.objects.create(owner=user, kind="make-lists", title="lists")
        for segment in corpus.segments.all():
            FailedSegment.objects.create(
                job=job, segment=segment, recipe_version=versions[0], reason="long"
            )
            for version in versions:
                make_list(segment, system, version, ["a house", "one house"])
        make_tuning_run(user, corpus, system, n4_01=31.5)
        WeightTuning.objects.create(owner=user, corpus=corpus, system=system, name="x")
        Measurement.objects.create(
            corpus=corpus, system=system, bleu=30, signature="", segments=2, untranslated=0
        )
        Comparison.objects.create(owner=user, corpus=corpus, first=make_system(user), second=system)
        Pool.objects.create(
            system=system, corpus=corpus, checksum="c", storage_key=f"kept/{corpus.pk}",
            translation_count=2, fewest=1, most=1, has_scores=False,
        )  # fmt: skip
        pairs.append({"corpus": corpus, "system": system})
    return pairs


@pytest.mark.parametrize("of", ["corpus", "system"])
def test_the_dialog_says_what_goes_and_all_of_it_goes(client, much, of):
    owned = much[0][of]
    shown = text_of(client.get(owned.get_absolute_url()))
    assert (
        f"With this {of} go, for all who have it: 4 translation lists, 1 upload of translations, "
        "1 tuning, 1 tuning of weights, 1 BLEU measurement, 1 comparison."
    ) in shown
    assert f"{owned} is deleted." in text_of(delete(client, owned))
    left = {
        TranslationList: 4, ListEntry: 8, ListPair: 8, TuningRun: 1, WeightTuning: 1,
        Measurement: 1, Comparison: 1, Pool: 1,
    }  # fmt: skip
    gone = {FailedSegment: 2, Segment: 2, Reference: 2, Corpus: 1} if of == "corpus" else {}
    for model, count in (left | gone).items():
        assert model.objects.count() == count, model
    assert TranslationList.objects.filter(**{of: much[1][of]}).count() == 4


def test_who_is_slower_finds_it_deleted(owned):
    same = type(owned).objects.get(pk=owned.pk)
    delete_unless_used(owned)
    delete_unless_used(same)


def test_statements_do_not_grow_with_the_rows(user, django_assert_max_num_queries):
    corpus = make_corpus(user, [("ein haus", ["a house"])] * 300)
    system, version = make_system(user), make_recipe()
    for segment in corpus.segments.all():
        make_list(segment, system, version, ["a house"])
    with django_assert_max_num_queries(40):
        delete_unless_used(corpus)
    assert not Segment.objects.exists()


def test_editors_do_not_delete(client, owned, kind, colleague):
    share_with(owned, user=colleague, role="editor")
    client.force_login(colleague)
    page = text_of(client.get(owned.get_absolute_url()))
    assert reverse(f"decoding:delete-{kind}", args=[owned.pk]) not in page
    answer = delete(client, owned)
    assert answer.status_code == 403
    assert "Only its owner can delete this. Ask them." in text_of(answer)
    assert type(owned).objects.filter(pk=owned.pk).exists()


def test_an_administrator_deletes(client, owned, administrator):
    client.force_login(administrator)
    assert "this is deleted." in text_of(delete(client, owned))


def test_a_study_that_the_owner_may_not_see_is_not_named(client, owned, colleague, administrator):
    use(owned, "A secret")
    Study.objects.update(owner=colleague)
    for answer in (client.get(owned.get_absolute_url()), delete(client, owned)):
        assert "A secret" not in text_of(answer)
        assert "a study of kurt" in text_of(answer)
    client.force_login(administrator)
    assert "A secret" in text_of(client.get(owned.get_absolute_url()))


def test_what_a_study_uses_is_kept_everywhere(client, owned, kind):
    for name in ("Mine", "Another", "Third", "Fourth"):
        use(owned, name)
    shown = text_of(client.get(owned.get_absolute_url()))
    assert "It cannot be deleted, for it is needed by: <bdi>Another</bdi>," in shown
    assert 'id="delete"' not in shown
    said = "this cannot be deleted, for it is needed by: Another, Fourth, Mine and others."
    assert said in text_of(delete(client, owned))
    with pytest.raises(VariorumError, match=said):
        delete_unless_used(owned)
    with pytest.raises(ProtectedError):
        owned.delete()
    assert type(owned).objects.filter(pk=owned.pk).exists()


def test_a_system_with_translations_that_a_study_uses_is_kept(client, much):
    system = much[0]["system"]
    use(system)
    for corpus in (None, much[0]["corpus"]):
        if corpus:
            use(corpus, "Its corpus's")
            assert "needed by: Its corpus&#x27;s." in text_of(delete(client, corpus))
        assert "needed by: Mine." in text_of(delete(client, system))
    with pytest.raises(ProtectedError):
        system.delete()
    assert Pool.objects.filter(system=system).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("of", ["corpus", "system"])
def test_the_database_keeps_what_is_used_where_nobody_looked(much, of):
    """A task's list, whose study has another corpus and no condition yet: no page makes such."""
    made = much[0]["corpus"].lists.first()
    study = Study.objects.create(owner=made.corpus.owner, name="Mine", corpus=much[1]["corpus"])
    condition = Condition.objects.create(
        study=study,
        place=1,
        name="best",
        system=much[1]["system"],
        recipe_version=made.recipe_version,
    )
    Task.objects.create(
        study=study, kind="editing", number=1, segment=made.segment, texts=[], draw=0,
        condition=condition, translation_list=made,
    )  # fmt: skip
    with pytest.raises(VariorumError, match="for something of it is used elsewhere"):
        delete_unless_used(much[0][of])
    assert TranslationList.objects.count() == 8
    assert ListEntry.objects.count() == 16
    assert System.objects.count() == 4
    assert Pool.objects.count() == 2
