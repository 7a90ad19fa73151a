from __future__ import annotations

import json
from hashlib import sha256

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from decoding.display import DISPLAYS
from decoding.models import ListEntry, TranslationList
from evaluation.core.errors import InputError
from studies.actions.planning import (
    freeze_study,
    import_plan,
    registration,
    sample_of,
    write_wording,
)
from studies.actions.running import amend_conduct
from studies.core.conduct import Conduct
from studies.core.plan import plan_from_json, plan_study
from studies.models import Slot, Study, Task
from tests.studies.making import make_study

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_papers_numbers(user):
    study = freeze_study(make_study(user, sentences=210, sample_size=200))
    assert study.tasks.filter(kind="editing").count() == 1200
    assert study.tasks.filter(kind="eval").count() == 1800
    assert study.slots.filter(kind="editing").count() == 1200
    assert study.slots.filter(kind="eval").count() == 5400
    assert study.tasks.values("segment").distinct().count() == 200


def test_tasks_are_those_of_the_plan(user):
    study = freeze_study(make_study(user))
    plan = plan_from_json(study.plan)
    assert plan == plan_study(study.the_design, sample_of(study).segments)
    assert plan.checksum == study.checksum
    rows = study.tasks.filter(kind="editing").order_by("number")
    for task, planned in zip(rows, plan.editing, strict=True):
        assert (task.segment.number, task.condition.name, task.draw) == (
            planned.segment,
            planned.condition,
            planned.draw,
        )
        assert task.texts == [
            f"{planned.condition.capitalize()} text {rank} of {planned.segment}"
            for rank in planned.ranks
        ]
    rows = study.tasks.filter(kind="eval").order_by("number")
    for task, planned in zip(rows, plan.evaluation, strict=True):
        assert (task.first.condition.name, task.first.draw) == planned.first
        assert (task.second.condition.name, task.second.draw) == planned.second
        assert task.texts == [f"this is the reference of sentence number {planned.segment}"]
        swapped = [slot.swapped for slot in task.slots.order_by("number")]
        assert tuple(swapped) == planned.swapped


def test_a_seed_gives_the_same_plan_on_every_database(user):
    """The same checksum is asserted on SQLite and, in the second run, on PostgreSQL."""
    study = freeze_study(make_study(user, sentences=20, sample_size=10))
    assert study.checksum == "859b3302237b129d8085d53235d700fb46e9d55973ecd9b95ea89f49b74df19f", (
        connection.vendor
    )
    other = make_study(user, sentences=20, sample_size=10, seed=8)
    assert freeze_study(other).checksum != study.checksum


def test_freezing_twice_makes_the_tasks_once(user):
    study = make_study(user)
    first = freeze_study(study)
    again = freeze_study(study)
    assert again.frozen_at == first.frozen_at
    assert study.tasks.filter(kind="editing").count() == 3 * 6


def test_a_list_that_is_too_short_is_not_sampled(user):
    study = make_study(user, sentences=4, sample_size=3)
    condition = study.conditions.first()
    condition.system.lists.filter(segment__number=2, recipe_version=condition.recipe_version)[
        0
    ].entries.filter(rank=5).delete()
    assert sorted(sample_of(study).segments) == [1, 3, 4]
    study.design["sample_size"] = 4
    with pytest.raises(InputError, match="only 3 sentences can be chosen, not 4"):
        sample_of(study)


def test_texts_are_prepared_as_the_paper_does(user):
    study = make_study(user, sentences=1)
    for made in study.corpus.lists.all():
        made.entries.update(text="the café guests , they 're gone .")
    study = freeze_study(study)
    assert study.tasks.filter(kind="editing")[0].texts == ["The caf guests, they're gone."] * 3


NASTY = [
    ("en", "&quot; the talks failed , &quot; he said ."),
    ("en", "the 12 . march , 3.5 % and $ 5 : no . yes"),
    ("en", "it &apos;s a five @-@ year @-@ old &amp; &#91; new &#93; “ thing ” – &lt;unk&gt;"),
    ("en", "the 北京 talks with Путин failed ."),
    ("en", "переговоры"),
    ("en-GB", "Łódź , straße and croûton cost 5 € …"),
    ("fr", "« bonjour » , dit -il , l&apos; homme d&apos; hier !"),
    ("ar", "تحدث الرئيس ، ثم غادر ؟"),
    ("zh", "他 在 2024 年 说 ： &quot; 谈 判 失 败 了 &quot; ， Obama 说 。"),
    ("zh-Hant", "我們 訪問 了 北京 。"),
    ("ja", "彼 は 「 はい 」 と 言っ た 。"),
]


@pytest.mark.parametrize("name", DISPLAYS)
def test_tasks_have_what_the_lists_browser_previews(client, user, name):
    client.force_login(user)
    conduct = Conduct(non_ascii=DISPLAYS[name].non_ascii)
    for language, decoded in NASTY:
        study = make_study(user, sentences=1, conduct=conduct)
        study.corpus.target_language = language
        study.corpus.save()
        ListEntry.objects.filter(translation_list__corpus=study.corpus).update(text=decoded)
        place = [study.corpus.pk, study.conditions.first().system_id, 1]
        page = client.get(reverse("decoding:compare", args=place), {"display": name})
        previewed = "".join(span.text for span in page.context["beside"].sides[0][1][0].spans)
        assert "&" not in previewed.replace(" & ", "")
        for task in freeze_study(study).tasks.filter(kind="editing"):
            assert task.texts == [previewed] * 3


def test_what_was_planned_before_there_were_policies_stays(user, exported, colleague):
    """A plan file of a version that knew `ascii_only` gives the same plan and registration."""
    conduct = exported["conduct"]
    assert conduct.pop("non_ascii") == "drop"
    conduct["ascii_only"] = True
    parts = {name: value for name, value in exported.items() if name != "checksum"}
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    old = parts | {"checksum": sha256(text.encode()).hexdigest()}
    study = import_plan(user, old)
    assert study.checksum == old["plan_checksum"]
    assert json.loads(json.dumps(registration(study))) == old
    assert study.the_conduct == Conduct()
    made = amend_conduct(study, Conduct(eval_seconds=300), reason="too slow", author=user)
    assert made.what == "eval_seconds"
    study.refresh_from_db()
    with pytest.raises(InputError, match="the texts stand"):
        amend_conduct(study, Conduct(non_ascii="keep"), reason="accents", author=user)


def test_references_are_as_long_as_their_language_says(user):
    study = make_study(user, sentences=2)
    study.corpus.target_language = "zh"
    study.corpus.save()
    for segment, text in zip(study.corpus.segments.all(), ("我们访问了北京", "谢谢"), strict=True):
        segment.references.update(text=text)
    study.design["sample_size"] = 1
    study.save()
    assert sample_of(study).segments == (1,)
    task = freeze_study(study).tasks.filter(kind="eval")[0]
    assert task.texts == ["我们访问了北京"]


def test_the_registration_holds_what_was_decided(user):
    study = make_study(user)
    with pytest.raises(InputError, match="draft"):
        registration(study)
    study = freeze_study(study)
    before = registration(study)
    assert before["plan_checksum"] == study.checksum
    assert before["conditions"][1]["recipe"]["kind"] == "diverse"
    # What is changed later changes nothing of what was registered.
    write_wording(study, "consent", "Something new.")
    assert registration(study) == before
    Task.objects.filter(study=study, kind="eval", number=1).update(texts=["another"])
    assert registration(study)["checksum"] != before["checksum"]


@pytest.fixture
def exported(user):
    """A registration as it comes out of a file, its study gone."""
    study = freeze_study(make_study(user))
    parts = json.loads(json.dumps(registration(study)))
    study.delete()
    return parts


def test_a_plan_imported_elsewhere_is_the_same(user, exported, tmp_path, capsys):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(exported))
    call_command("import_plan", path, owner="rosa")
    study = Study.objects.get()
    assert study.checksum == exported["plan_checksum"] in capsys.readouterr().out
    assert study.state == "frozen"
    assert json.loads(json.dumps(registration(study))) == exported
    with pytest.raises(InputError, match="already"):
        import_plan(user, exported)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda parts: parts["plan"]["segments"].reverse(), "changed since"),
        (lambda parts: parts.pop("plan"), "changed since"),
        (lambda parts: parts.update(format=2), "changed since"),
    ],
)
def test_a_plan_that_was_changed_is_refused(user, exported, change, problem):
    change(exported)
    with pytest.raises(InputError, match=problem):
        import_plan(user, exported)


def test_a_plan_over_other_material_is_refused(user, exported, colleague):
    with pytest.raises(InputError, match=r"corpus .* is not here"):
        import_plan(colleague, exported)
    ListEntry.objects.filter(rank=1).update(text="another text")
    with pytest.raises(InputError, match="other texts"):
        import_plan(user, exported)
    assert not Study.objects.exists()
    ListEntry.objects.all().delete()
    with pytest.raises(InputError, match=r"lists .* not here"):
        import_plan(user, exported)
    TranslationList.objects.all().delete()
    with pytest.raises(InputError, match="for the condition best"):
        import_plan(user, exported)


@pytest.mark.parametrize(
    "change",
    [
        {"state": "open", "participant_id": 1},
        {"state": "leased"},
        {"state": "filled"},
        {"number": 2},
        {"position": 2},
    ],
)
def test_the_database_refuses_what_may_not_be(user, change):
    study = freeze_study(make_study(user))
    slot = Slot.objects.filter(study=study, kind="editing", position=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        slot.update(**change)


def test_a_study_is_frozen_with_its_plan_or_not_at_all(user):
    study = make_study(user)
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(state="running")
