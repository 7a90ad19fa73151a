from __future__ import annotations

import hashlib
import json
import zipfile
from io import StringIO

import pytest
from django.core.management import call_command

from decoding.models import Corpus, ListEntry, Reference, System
from evaluation.bundles import read_bundle, write_bundle
from evaluation.core.errors import InputError
from studies.actions.participants import erase, exclude
from studies.actions.running import amend_conduct
from studies.core.conduct import Conduct
from studies.models import Assignment, Edit, Judgment, Participant, Slot, Study, Task
from tests.evaluation.answered import make_answered, make_report
from tests.studies.making import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(user):
    made = make_answered(user, sentences=8)
    judges = made.participants.filter(judgments__isnull=False).distinct()
    exclude(judges[0], "slept")
    erase(judges[1])
    amend_conduct(made, Conduct(eval_seconds=300), reason="too slow", author=user)
    Participant.objects.filter(pk=judges[2].pk).update(identity="WORKER17", session="S99")
    made.refresh_from_db()
    return made


@pytest.fixture
def bundle(study, tmp_path):
    path = tmp_path / "study.zip"
    write_bundle(study, make_report(study, samples=200).report, path)
    return path


def test_the_same_report_comes_out_elsewhere(study, bundle, colleague):
    there, report = read_bundle(bundle, owner=colleague)
    assert there.pk != study.pk
    assert there.owner == colleague
    again = make_report(there, samples=200).report
    assert again == report
    assert again["counts"]["excluded"] > 0
    assert again["facts"]["amendments"][0]["reason"] == "too slow"


@pytest.mark.parametrize("model", [Task, Slot, Participant, Assignment, Edit, Judgment])
def test_every_row_is_there_twice_then(study, bundle, colleague, model):
    before = model.objects.count()
    assert before
    read_bundle(bundle, owner=colleague)
    assert model.objects.count() == 2 * before


def test_it_can_be_imported_beside_itself(study, bundle, user):
    there, _ = read_bundle(bundle, owner=user)
    assert there.name == f"{study.name} (2)"
    assert there.code != study.code
    assert there.checksum == study.checksum
    assert {c.system.kind for c in there.conditions.all()} == {System.Kind.EXTERNAL}
    ours, theirs = (
        list(
            ListEntry.objects.filter(translation_list__segment__corpus=one.corpus)
            .order_by("pk")
            .values_list("text", "score")
        )
        for one in (study, there)
    )
    assert ours == theirs
    assert Reference.objects.filter(segment__corpus=there.corpus).count() == 8


def test_a_bundle_of_a_bundle_is_the_same(study, bundle, colleague, tmp_path):
    there, report = read_bundle(bundle, owner=colleague)
    second = tmp_path / "again.zip"
    write_bundle(there, report, second)
    third, _ = read_bundle(second, owner=colleague)
    assert make_report(third, samples=200).report["preferences"] == report["preferences"]


def test_it_tells_nobody_who_took_part(bundle):
    with zipfile.ZipFile(bundle) as packed:
        everything = "".join(packed.read(name).decode() for name in packed.namelist())
    assert "WORKER17" not in everything
    assert "S99" not in everything
    assert "token_hash" not in everything
    assert "rosa" not in everything  # the owner's name


def test_the_same_study_gives_the_same_zip(study, bundle, tmp_path):
    again = tmp_path / "again.zip"
    write_bundle(study, make_report(study, samples=200).report, again)
    assert again.read_bytes() == bundle.read_bytes()


def rewritten(bundle, change):
    """The bundle with its files changed by a function of the dict of them."""
    with zipfile.ZipFile(bundle) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    change(files)
    with zipfile.ZipFile(bundle, "w") as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return bundle


def _other_format(files):
    manifest = json.loads(files["manifest.json"]) | {"format": 9}
    files["manifest.json"] = json.dumps(manifest).encode()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda files: files.pop("manifest.json"), "study.zip: has no manifest.json"),
        (lambda files: files.pop("edit.jsonl"), "study.zip: lacks edit.jsonl"),
        (
            lambda files: files.update({"edit.jsonl": files["edit.jsonl"][:-9]}),
            "study.zip: edit.jsonl is not what its checksum says",
        ),
        (_other_format, "study.zip: has the format 9, and this version reads 1"),
    ],
)
def test_a_bundle_that_is_damaged_leaves_nothing_behind(bundle, user, change, problem):
    with pytest.raises(InputError) as error:
        read_bundle(rewritten(bundle, change), owner=user)
    assert str(error.value).startswith(problem)
    assert Study.objects.count() == 1


def forged(bundle, name, change):
    """The bundle with the rows of a file changed, and a checksum that fits."""

    def rewrite(files):
        rows = [json.loads(line) for line in files[name].splitlines()]
        changed = change(rows)
        files[name] = "".join(f"{json.dumps(row)}\n" for row in changed or rows).encode()
        manifest = json.loads(files["manifest.json"])
        manifest["sha256"][name] = hashlib.sha256(files[name]).hexdigest()
        files["manifest.json"] = json.dumps(manifest).encode()

    return rewritten(bundle, rewrite)


def put(**fields):
    """Another value in the third row, or the last if there are fewer."""
    return lambda rows: rows[min(2, len(rows) - 1)].update(fields)


def lack(field):
    return lambda rows: rows[2].pop(field) and None


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("slot.jsonl", put(task_id=99_999_999), "slot.jsonl:3: task_id is 99999999, which the bun"),
        ("slot.jsonl", put(task_id="1"), "slot.jsonl:3: task_id is '1', which the bundle lacks"),
        ("slot.jsonl", put(position="x"), "slot.jsonl:3: position: “x” value must be an integer"),
        ("slot.jsonl", put(position=-4), "slot.jsonl:3: position: Ensure this value is greater"),
        ("slot.jsonl", lack("position"), "slot.jsonl:3: has no position"),
        ("slot.jsonl", put(state="lost"), "slot.jsonl:3: state is 'lost', which is none of the ch"),
        ("edit.jsonl", put(text=None), "edit.jsonl:3: text is empty"),
        ("edit.jsonl", put(text=["a"]), "edit.jsonl:3: text: a list or an object"),
        (
            "edit.jsonl",
            put(assigned_at="noon"),
            "edit.jsonl:3: assigned_at: “noon” value has an in",
        ),
        ("participant.jsonl", put(flags="all"), "participant.jsonl:3: flags is not what it should"),
        ("participant.jsonl", put(pseudonym="P" * 50), "participant.jsonl:3: pseudonym: Ensure th"),
        ("task.jsonl", put(texts=[1]), "task.jsonl:3: texts is not what it should be: [1]"),
        ("task.jsonl", put(ranks=[5, 4, 3]), "study.zip: task.jsonl: the tasks are not those of"),
        ("task.jsonl", lambda rows: rows[:-1], "which the bundle lacks"),
        ("study.jsonl", put(plan="{}"), "study.zip: study.jsonl: the design or the plan cannot be"),
        ("study.jsonl", put(conduct={"x": 1}), "study.jsonl: the design or the plan cannot be re"),
        ("study.jsonl", put(entry={"x": 1}), "study.jsonl: the design or the plan cannot be read"),
        ("study.jsonl", put(checksum="0" * 64), "study.zip: task.jsonl: the tasks are not those"),
        ("study.jsonl", lambda rows: [*rows, {**rows[0], "id": 7, "name": "x"}], "2 rows"),
        ("judgment.jsonl", lambda rows: [rows[0], rows[0]], "judgment.jsonl:2: has the id"),
        ("judgment.jsonl", lambda rows: [[1]], "judgment.jsonl:1: is no row with an id"),
        (
            "judgment.jsonl",
            lambda rows: [rows[0], {**rows[0], "id": 7_777}],
            "study.zip: holds rows that do not fit together (IntegrityError)",
        ),
    ],
)
def test_what_was_forged_is_refused_with_a_sentence(bundle, user, name, change, problem):
    with pytest.raises(InputError) as error:
        read_bundle(forged(bundle, name, change), owner=user)
    assert problem in str(error.value)
    assert Study.objects.count() == 1
    assert Corpus.objects.count() == 1


def test_what_is_no_bundle(tmp_path, user):
    path = tmp_path / "study.zip"
    path.write_text("no zip")
    with pytest.raises(InputError, match="is no bundle"):
        read_bundle(path, owner=user)


def test_a_draft_has_no_bundle(user, tmp_path):
    with pytest.raises(InputError, match="is a draft"):
        write_bundle(make_study(user), {}, tmp_path / "x.zip")


def test_the_commands(user, colleague, tmp_path):
    study = make_answered(user, sentences=8)
    path, said = tmp_path / "study.zip", StringIO()
    call_command("export_study", study.pk, str(path), stdout=said)
    assert study.name in said.getvalue()
    call_command("import_study", str(path), "--owner", colleague.username, stdout=said)
    assert "Every figure of its report is the same." in said.getvalue()
