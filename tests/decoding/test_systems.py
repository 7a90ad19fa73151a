"""Systems: imported from Moses by a job, external by hand; recipes in the admin."""

from __future__ import annotations

import os
import shutil
import zipfile
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from decoding.actions import jobs as job_actions
from decoding.actions.jobs import cancel_job, claim_job, retry_job
from decoding.actions.systems import keep_system
from decoding.core.formats.nbest import read_lists
from decoding.core.translation.moses import read_moses_system
from decoding.jobs import run_claimed
from decoding.makers import list_by_decoding
from decoding.models import Job, Recipe, System
from decoding.storage import fetch_folder
from decoding.tending import tidy
from decoding.uploads import scratch
from evaluation.core.errors import InputError
from tests.factories import make_corpus, make_list, make_recipe, make_system

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

ARPA = r"""\data\
ngram 1=5

\1-grams:
-1 <s>
-1 </s>
-0.5 the
-0.7 house
-1.2 <unk>

\end\
"""
TABLE = "das ||| the ||| 0.5\nhaus ||| house ||| 0.25\ndas haus ||| the house ||| 0.1\n"
INI = """[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=1 path=model/table
Distortion
KENLM name=LM0 path=model/lm.arpa order=1
[weight]
WordPenalty0= -0.3
TranslationModel0= 0.4
Distortion0= 0.2
LM0= 0.5
"""
ABOUT = {"name": "small", "source_language": "de", "target_language": "en"}


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)


def archive(tmp_path, **changed: str) -> SimpleUploadedFile:
    path = tmp_path / "small.zip"
    files = {"moses.ini": INI, "model/table": TABLE, "model/lm.arpa": ARPA} | changed
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return SimpleUploadedFile("small.zip", path.read_bytes())


def run(job: Job) -> Job:
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    return job


def test_a_moses_system_is_imported_and_makes_lists(client, user, tmp_path):
    client.force_login(user)
    answer = client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
    job = Job.objects.get(kind="import-moses")
    assert answer["Location"] == job.get_absolute_url()
    uploaded = job.parameters["upload"]
    assert (run(job).state, job.error) == ("done", "")
    system = System.objects.get()
    assert (system.name, system.kind, system.owner) == ("small", "imported", user)
    assert system.card["features"]["TranslationModel0"] == [0.4]
    assert system.card["facts"]["Phrase pairs"] == "3"
    assert fetch_folder(system.checksum, system.storage_key).joinpath("system.json").is_file()
    assert not default_storage.exists(uploaded[1]), "the upload has served"

    corpus = make_corpus(user, [("das haus", ["the house"]), ("das", [])])
    page = client.get(reverse("decoding:make-lists", args=[system.pk]))
    offered = {version.kind for version in page.context["form"].fields["recipes"].queryset}
    assert offered == {"unique-best", "diverse"}
    versions = [recipe.newest.pk for recipe in Recipe.objects.filter(name__startswith="Five")]
    answer = client.post(
        reverse("decoding:make-lists", args=[system.pk]),
        {"corpus": corpus.pk, "recipes": versions},
    )
    job = Job.objects.get(kind="make-lists")
    assert answer["Location"] == job.get_absolute_url()
    assert run(job).result == {"lists made": 4, "lists failed": 0}
    best = corpus.lists.get(segment__number=1, recipe_version__kind="unique-best")
    first = best.entries.first()
    assert (first.text, first.bleu1) == ("the house", pytest.approx(100))
    assert first.segmentation in ([[0, 1, 2]], [[0, 0, 1], [1, 1, 1]])
    assert set(first.features) == {"WordPenalty0", "TranslationModel0", "Distortion0", "LM0"}
    assert best.provenance["checksum"] == system.checksum
    page = client.get(system.get_absolute_url()).content.decode()
    assert "Features and weights" in page
    assert "TranslationModel0" in page


def test_a_bad_model_fails_the_import_with_its_sentence_and_nothing_is_kept(client, user, tmp_path):
    client.force_login(user)
    lying = ARPA.replace("ngram 1=5", "ngram 1=50")
    upload = archive(tmp_path, **{"model/lm.arpa": lying})
    client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": upload})
    job = Job.objects.get()
    uploaded = job.parameters["upload"]
    assert run(job).state == "failed"
    assert job.error.startswith("lm.arpa:")
    assert "50 1-grams" in job.error
    assert job.traceback == ""
    assert not System.objects.exists()
    assert not default_storage.exists(uploaded[1])
    retry_job(job)
    assert run(job).error == "what was uploaded is not kept any more. Upload it again."


def test_a_second_click_makes_no_second_job(client, user, tmp_path):
    client.force_login(user)
    first, second = (
        client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
        for _ in range(2)
    )
    assert first["Location"] == second["Location"] == Job.objects.get().get_absolute_url()


def test_two_imports_of_one_archive_both_find_it(client, user, tmp_path):
    client.force_login(user)
    for name in ("one", "two"):
        upload = {**ABOUT, "name": name, "archive": archive(tmp_path)}
        client.post(reverse("decoding:add-moses"), upload)
    first, second = Job.objects.order_by("pk")
    assert first.parameters["upload"] == second.parameters["upload"]
    assert run(first).state == "done"
    assert (run(second).state, second.error) == ("done", "")
    assert not default_storage.exists(first.parameters["upload"][1])
    assert {system.name for system in System.objects.all()} == {"one", "two"}


def test_an_import_whose_name_was_taken_meanwhile_gets_another(client, user, tmp_path):
    client.force_login(user)
    client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
    make_system(user, name="small")
    job = run(Job.objects.get())
    assert System.objects.get(pk=job.result["system"]).name == "small (2)"


def test_a_worker_that_died_after_the_last_piece_leaves_no_upload(client, user, tmp_path):
    client.force_login(user)
    client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
    job = Job.objects.get()
    Job.objects.filter(pk=job.pk).update(total=1, done=1, result={"system": 1})
    assert run(job).result == {"system": 1}
    assert not default_storage.exists(job.parameters["upload"][1])


def test_the_upload_of_an_import_that_nobody_tries_again_goes_in_the_end(client, user, tmp_path):
    client.force_login(user)
    client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
    job = Job.objects.get()
    cancel_job(job)
    tidy()
    assert default_storage.exists(job.parameters["upload"][1])
    Job.objects.update(finished_at=timezone.now() - timedelta(days=8))
    client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
    tidy()
    assert default_storage.exists(job.parameters["upload"][1]), "another needs it"
    cancel_job(Job.objects.first())
    tidy()
    assert not default_storage.exists(job.parameters["upload"][1])


def test_what_died_unfinished_goes_after_a_day():
    young, old = scratch() / "upload-young", scratch() / "upload-old"
    for folder in (young, old):
        folder.mkdir()
        (folder / "file").write_text("half")
    long_ago = (timezone.now() - timedelta(days=2)).timestamp()
    for path in (old / "file", old):
        os.utime(path, (long_ago, long_ago))
    tidy()
    assert (young.exists(), old.exists()) == (True, False)
    shutil.rmtree(young)


def test_an_administrator_imports_from_the_server(client, administrator, tmp_path):
    client.force_login(administrator)
    (tmp_path / "model").mkdir()
    for name, content in {"moses.ini": INI, "model/table": TABLE, "model/lm.arpa": ARPA}.items():
        (tmp_path / name).write_text(content)
    client.post(reverse("decoding:add-moses"), {**ABOUT, "path": str(tmp_path / "moses.ini")})
    assert run(Job.objects.get()).state == "done"
    assert System.objects.get().checksum
    answer = client.post(reverse("decoding:add-moses"), {**ABOUT, "name": "b", "path": "moses.ini"})
    assert "is not the absolute path" in answer.content.decode()


def test_who_is_no_administrator_any_more_reads_nothing_of_the_server(user, tmp_path):
    (tmp_path / "moses.ini").write_text(INI)
    job = Job.objects.create(
        owner=user, kind="import-moses", title="x",
        parameters={"about": ABOUT, "upload": None, "ini": str(tmp_path / "moses.ini")},
    )  # fmt: skip
    assert run(job).error == "only administrators may name files of the server"


def test_the_same_system_is_stored_once_and_goes_with_its_last_owner(
    client, user, colleague, tmp_path
):
    for owner in (user, colleague):
        client.force_login(owner)
        client.post(reverse("decoding:add-moses"), {**ABOUT, "archive": archive(tmp_path)})
        run(Job.objects.filter(owner=owner).get())
    one, other = System.objects.order_by("pk")
    assert one.storage_key == other.storage_key
    client.post(reverse("decoding:delete-system", args=[other.pk]))
    assert default_storage.exists(one.storage_key)
    client.force_login(user)
    client.post(reverse("decoding:delete-system", args=[one.pk]))
    assert not System.objects.exists()
    assert not default_storage.exists(one.storage_key)


def test_what_is_not_yours_is_not_there(client, user, colleague):
    corpus, system = make_corpus(user), make_system(user)
    make_list(corpus.segments.first(), system, make_recipe(kind="pool-best"), ["a house"])
    client.force_login(colleague)
    for address in (
        corpus.get_absolute_url(),
        system.get_absolute_url(),
        reverse("decoding:upload", args=[system.pk]),
        reverse("decoding:make-lists", args=[system.pk]),
        reverse("decoding:browse", args=[corpus.pk, system.pk]),
        reverse("decoding:compare", args=[corpus.pk, system.pk, 1]),
    ):
        assert client.get(address).status_code == 404, address
    for name, pk in (("delete-corpus", corpus.pk), ("delete-system", system.pk)):
        assert client.post(reverse(f"decoding:{name}", args=[pk])).status_code == 404
    for name in ("corpora", "systems", "lists"):
        assert corpus.name not in client.get(reverse(f"decoding:{name}")).content.decode()


# --- Recipes ------------------------------------------------------------------------------------

SETTINGS = {
    "kind": "diverse", "length": 5, "kbest": 1000, "order": 4, "penalty": 0.1, "per_list": 1,
    "search": "standard",
}  # fmt: skip

HISTORY = {"versions-TOTAL_FORMS": 0, "versions-INITIAL_FORMS": 0}


def change(client, recipe, **settings):
    return client.post(
        reverse("admin:decoding_recipe_change", args=[recipe.pk]),
        {"name": recipe.name, "notes": "", **HISTORY, **SETTINGS, **settings},
        follow=True,
    )


@pytest.fixture
def diverse(client, administrator):
    client.force_login(administrator)
    return Recipe.objects.get(name="Five diverse")


def test_every_installation_begins_with_the_papers_two_recipes():
    assert {recipe.name: recipe.newest.summary for recipe in Recipe.objects.all()} == {
        "Five best": "unique 5-best",
        "Five diverse": "diverse 5, n=4 λ=0.1",
    }


def test_an_administrator_sets_n_and_lambda(client, administrator, diverse):
    page = change(client, diverse, order=3, penalty=0.05, reason="as tuned for de-en")
    assert "From now on version 2: diverse 5, n=3 λ=0.05." in page.content.decode()
    newest = diverse.newest
    assert (newest.number, newest.order, newest.penalty) == (2, 3, 0.05)
    assert (newest.author, newest.reason) == (administrator, "as tuned for de-en")
    assert list(diverse.versions.values_list("number", "order")) == [(2, 3), (1, 4)]
    history = client.get(diverse.get_absolute_url()).content.decode()
    assert "as tuned for de-en" in history
    assert "no new version" in change(client, diverse, order=3, penalty=0.05).content.decode()


def test_each_translation_may_have_its_own_lambda(client, diverse):
    page = change(client, diverse, penalties="0.2, 0.1, 0.1, 0.05", distinct="on")
    assert "version 2: diverse 5, n=4 λ=0.2 0.1 0.1 0.05, distinct." in page.content.decode()
    assert diverse.newest.strength == (0.2, 0.1, 0.1, 0.05)
    assert diverse.versions.get(number=1).strength == 0.1
    page = change(client, diverse, from_graph="on")
    assert "version 3: diverse 5, n=4 λ=0.1, from one search." in page.content.decode()
    assert diverse.newest.settings["penalties"] == ""


@pytest.mark.parametrize(
    ("settings_", "options"),
    [
        ({"kind": "unique-best", "search": "thorough"}, ["--kbest", "3", "--unique"]),
        ({"penalties": "0.5, 0.1"}, ["--diverse", "3", "--n", "1", "--lambda", "0.5,0.1"]),
        ({"distinct": True}, ["--diverse", "3", "--n", "1", "--lambda", "0.02", "--distinct"]),
        ({"from_graph": True}, ["--diverse", "3", "--n", "1", "--lambda", "0.02", "--from-graph"]),
        ({"per_list": 2}, ["--diverse", "3", "--n", "1", "--lambda", "0.02", "--per-list", "2"]),
    ],
)
def test_a_recipe_makes_what_decode_makes_with_its_options(user, tmp_path, settings_, options):
    (tmp_path / "model").mkdir()
    table = TABLE + "das ||| that ||| 0.4\nhaus ||| home ||| 0.2\n"
    for name, content in {"moses.ini": INI, "model/table": table, "model/lm.arpa": ARPA}.items():
        (tmp_path / name).write_text(content)
    read_moses_system(tmp_path / "moses.ini").save(tmp_path / "system")
    system = keep_system(tmp_path / "system", owner=user, kind="imported", card={}, **ABOUT)
    version = make_recipe(length=3, order=1, **{"penalty": 0.02} | settings_)
    sources = ["das haus", "haus haus das", "x das"]
    (tmp_path / "in").write_text("\n".join(sources) + "\n")
    if version.search == "thorough":
        options = [*options, "--pop-limit", "5000"]
    call_command(
        "decode", "--system", str(tmp_path / "system"), "--input", str(tmp_path / "in"),
        "--nbest-output", str(tmp_path / "out.jsonl"), *options,
    )  # fmt: skip
    for source, wanted in zip(sources, read_lists(tmp_path / "out.jsonl"), strict=True):
        made = list_by_decoding(system, version, source)
        assert [(one.text, one.score, one.features) for one in made] == [
            (one.text, one.score, {k: list(v) for k, v in one.features.items()}) for one in wanted
        ]
    if version.distinct:
        assert len({one.text for one in made}) == len(made) == 3


def test_a_list_keeps_the_version_by_which_it_was_made(client, user, diverse):
    corpus, frozen = make_corpus(user), diverse.newest
    made = make_list(corpus.segments.first(), make_system(user), frozen, ["a house"])
    change(client, diverse, penalty=0.2)
    made.refresh_from_db()
    assert made.recipe_version == frozen
    assert made.recipe_version.penalty == 0.1
    page = client.get(diverse.get_absolute_url()).content.decode()
    assert "has lists" in page
    assert "in force" in page
    gone = client.post(reverse("admin:decoding_recipe_delete", args=[diverse.pk]), {"post": "yes"})
    assert gone.status_code == 403


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"order": 0}, "greater than or equal to 1"),
        ({"order": 10}, "less than or equal to 9"),
        ({"penalty": -1}, "greater than or equal to 0"),
        ({"penalty": "nan"}, "Enter a number"),
        ({"penalty": 11}, "less than or equal to 10"),
        ({"length": 0}, "greater than or equal to 1"),
        ({"length": 6, "kbest": 5}, "K is less than M"),
        ({"penalties": "0.1; 0.2"}, "Write numbers with commas"),
        ({"penalties": "0.1, nan, 0.1, 0.1"}, "λ is from 0 to 10"),
        ({"penalties": "0.1, 0.2"}, "A list of 5 needs 4 of them, and there are 2"),
        ({"kind": "unique-best", "penalties": "0.1, 0.1, 0.1, 0.1"}, "have no λ"),
        ({"kind": "pool-diverse", "distinct": "on"}, "Only for diverse lists that are decoded"),
        ({"from_graph": "on", "distinct": "on"}, "choose one of both"),
        ({"from_graph": "on", "per_list": 2}, "N must be 1"),
    ],
)
def test_what_makes_no_sense_is_refused(client, diverse, settings_, says):
    assert says in change(client, diverse, **settings_).content.decode()
    assert diverse.newest.number == 1


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"order": 1}, "the paper tried n from 2 to 9"),
        ({"penalty": 0.5}, "the paper tried λ from 0.005 to 0.2"),
        ({"penalty": 0}, "all translations will be the same"),
        ({"penalties": "0.3, 0.1, 0, 0.1"}, "λ = 0.3, 0: the paper tried"),
        ({"length": 11}, "nobody reads so many"),
        ({"kind": "unique-best", "kbest": 100}, "The paper took K = 1000"),
    ],
)
def test_what_is_unusual_is_advised_against(client, diverse, settings_, says):
    assert says in change(client, diverse, **settings_).content.decode()
    assert diverse.newest.number == 2


def test_a_new_recipe(client, diverse):
    client.post(
        reverse("admin:decoding_recipe_add"),
        {"name": "Ten diverse", "notes": "more", **SETTINGS, "length": 10},
    )
    recipe = Recipe.objects.get(name="Ten diverse")
    assert (recipe.notes, recipe.newest.number, recipe.newest.length) == ("more", 1, 10)
    assert client.get(reverse("decoding:recipes")).status_code == 200
    assert client.get(reverse("admin:decoding_recipe_changelist")).status_code == 200


def test_researchers_look_at_recipes_but_do_not_set_them(client, user):
    client.force_login(user)
    recipe = Recipe.objects.get(name="Five diverse")
    assert client.get(recipe.get_absolute_url()).status_code == 200
    assert client.get(reverse("admin:decoding_recipe_change", args=[recipe.pk])).status_code == 302


def test_a_system_directory_is_added_by_command(user, tmp_path, capsys):
    (tmp_path / "model").mkdir()
    for name, content in {"moses.ini": INI, "model/table": TABLE, "model/lm.arpa": ARPA}.items():
        (tmp_path / name).write_text(content)
    read_moses_system(tmp_path / "moses.ini").save(tmp_path / "system")
    languages = {"source_language": "de", "target_language": "en"}
    with pytest.raises(InputError, match="nobody here"):
        call_command("add_system", str(tmp_path / "system"), name="a", owner="x", **languages)
    call_command("add_system", str(tmp_path / "system"), name="a", owner=user.username, **languages)
    system = System.objects.get()
    assert (system.name, system.kind, system.owner) == ("a", "trained", user)
    assert system.card["facts"]["Phrase pairs"] == "3"
    assert "a is system" in capsys.readouterr().out
