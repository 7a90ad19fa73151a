from __future__ import annotations

import contextlib
import csv
import io
import json

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from decoding.actions.jobs import claim_job, retry_job
from decoding.actions.sharing import share_with
from decoding.jobs import run_claimed
from decoding.models import Job
from evaluation.bundles import read_bundle
from evaluation.models import Analysis, JudgmentFile, Peek
from studies.actions.participants import erase, exclude
from studies.models import Study
from tests.evaluation.answered import make_answered
from tests.studies.making import make_study

pytestmark = pytest.mark.django_db

CSV = "item,condition A,condition B,choice,worker,covariate\n" + "".join(
    f"{item},best,diverse,{choice},w{worker},{item}\n"
    for item in range(1, 41)
    for worker, choice in enumerate("AAB" if item > 20 else "BB=")
)


@pytest.fixture(autouse=True)
def no_heartbeat(monkeypatch):
    """A second connection could not write beside the test's own transaction."""
    monkeypatch.setattr("decoding.jobs._heartbeat", contextlib.nullcontext)


@pytest.fixture
def study(user):
    return make_answered(user, sentences=8)


@pytest.fixture
def signed_in(client, user):
    client.force_login(user)
    return client


def work():
    """Do what is queued, as a worker would."""
    for job in Job.objects.filter(state="queued"):
        run_claimed(claim_job(job.pk))
        job.refresh_from_db()
        assert job.state == "done", job.error + job.traceback


def address(study, **query):
    return reverse("evaluation:study-report", args=[study.pk], query=query or None)


def opened(client, study, **query):
    client.get(address(study, **query))
    work()
    return client.get(address(study, **query))


def shown(page):
    """The report on a page, without what is new with every answer."""
    content = page.content.decode()
    return content[content.index('<div id="report"') :]


def test_a_report_is_made_by_a_worker_and_then_shown(signed_in, study):
    first = signed_in.get(address(study))
    assert b"A worker is making this report" in first.content
    work()
    page = signed_in.get(address(study)).content.decode()
    assert "In the lowest quartile" in page
    for part in ("Preferences", "Lists", "Edits", "Effort", "Quality", "Method"):
        assert f"{part}</h2>" in page
    assert page.count('class="chart"') == 10 - 1  # no standings of two conditions
    assert Job.objects.count() == 1


def test_nothing_is_made_twice(signed_in, study, django_assert_num_queries):
    opened(signed_in, study)
    with django_assert_num_queries(9):
        signed_in.get(address(study))
    assert Job.objects.count() == 1
    assert Analysis.objects.count() == 1


def test_the_queries_do_not_grow_with_the_answers(signed_in, user, django_assert_num_queries):
    large = make_answered(user, sentences=16)
    opened(signed_in, large)
    with django_assert_num_queries(9):
        signed_in.get(address(large))


def test_new_answers_make_a_new_report_and_the_old_one_is_shown_meanwhile(signed_in, study):
    opened(signed_in, study)
    judge = study.participants.filter(judgments__isnull=False).first()
    exclude(judge, "slept")
    page = signed_in.get(address(study)).content.decode()
    assert "Newer answers are being counted" in page
    assert "slept" not in page
    work()
    page = signed_in.get(address(study)).content.decode()
    assert "excluded: slept" in page
    assert "Exclusions, before and after" in page


def test_htmx_gets_nothing_while_nothing_has_changed(signed_in, study):
    opened(signed_in, study)
    shown = f"{Analysis.objects.get().pk}-done"
    headers = {"HX-Request": "true", "X-Shown": shown}
    assert signed_in.get(address(study), headers=headers).status_code == 204
    headers["X-Shown"] = f"{Analysis.objects.get().pk + 1}-done"
    part = signed_in.get(address(study), headers=headers).content.decode()
    assert part.lstrip().startswith('<div id="report"')


def test_the_page_that_waited_for_the_first_report_is_loaded_again(signed_in, study):
    """Its head has none of a report's scripts, and its body is no report's."""
    waiting = signed_in.get(address(study))
    assert b'"X-Shown": "0-queued"' in waiting.content
    headers = {"HX-Request": "true", "X-Shown": "0-queued"}
    assert "HX-Refresh" not in signed_in.get(address(study), headers=headers).headers
    work()
    assert signed_in.get(address(study), headers=headers).headers["HX-Refresh"] == "true"


def test_the_address_holds_the_slice(signed_in, study):
    page = opened(signed_in, study, groups="2", covariate="source_length")
    assert "half 1" in page.content.decode()
    form = {
        "first": "best", "second": "diverse", "covariate": "bleu1", "groups": "4", "cuts": "",
        "surplus": "no", "excluded": "no", "flagged": "yes", "simulated": "no", "workers": "yes",
    }  # fmt: skip
    answer = signed_in.get(address(study, **form))
    assert answer.status_code == 302
    assert "workers=yes" in answer.url
    assert "flagged" not in answer.url
    wrong = signed_in.get(address(study, groups="many"))
    assert wrong.status_code == 400
    assert "groups is &#x27;many&#x27;" in wrong.content.decode()


def test_a_slice_that_the_study_lacks_fails_with_a_sentence(signed_in, study):
    signed_in.get(address(study, first="worst"))
    job = Job.objects.get()
    run_claimed(claim_job(job.pk))
    page = signed_in.get(address(study, first="worst")).content.decode()
    assert "there is no condition &#x27;worst&#x27;. Choose from best, diverse." in page
    assert Job.objects.count() == 1


@pytest.mark.parametrize(
    ("form", "start"),
    [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("csv", b"group,"), ("json", b"{")],
)
def test_figures_can_be_had(signed_in, study, form, start):
    opened(signed_in, study)
    answer = signed_in.get(address(study) + f"figures/preferences.{form}")
    assert answer.content.startswith(start)
    assert f"preferences.{form}" in answer["Content-Disposition"]


def test_the_table_of_a_figure_is_its_data(signed_in, study):
    opened(signed_in, study)
    answer = signed_in.get(address(study) + "figures/preferences.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(answer)))
    report = Analysis.objects.get().report
    assert float(rows[0]["% of judgments"]) == pytest.approx(
        100 * report["preferences"]["groups"][0]["first"]["estimate"]
    )
    whole = json.loads(signed_in.get(address(study) + "report.json").content)
    assert whole == report


def test_figures_that_are_not_there(signed_in, study):
    opened(signed_in, study)
    for name in ("figures/nothing.svg", "figures/preferences.doc"):
        assert signed_in.get(address(study) + name).status_code == 404


def test_who_may_see_it(client, study, colleague):
    assert client.get(address(study)).status_code == 302
    client.force_login(colleague)
    for name in ("", "figures/preferences.svg", "report.json"):
        assert client.get(address(study) + name).status_code == 404
    assert client.post(address(study) + "publish/", {"analysis": 1}).status_code == 404


def test_figures_of_a_running_study_are_hidden_until_one_chooses_to_look(signed_in, user):
    study = make_answered(user, sentences=8, ended=False)
    page = signed_in.get(address(study)).content.decode()
    assert "hidden until the study ends" in page
    assert signed_in.get(address(study) + "report.json").status_code == 404
    assert not Job.objects.exists()
    signed_in.post(reverse("evaluation:peek", args=[study.pk]))
    assert Peek.objects.get().user == user
    page = opened(signed_in, study).content.decode()
    assert "So far, while answers still come in" in page
    assert "looked at before its end by" in page
    assert 'hx-trigger="every 5s"' in page


def test_a_bundle_is_for_those_who_may_change_the_study(signed_in, study, colleague, tmp_path):
    opened(signed_in, study)
    answer = signed_in.get(address(study) + "bundle.zip")
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"".join(answer.streaming_content))
    there, report = read_bundle(path, owner=colleague)
    assert report == Analysis.objects.get().report
    assert there.checksum == study.checksum
    share_with(study, user=colleague, role="viewer")
    signed_in.force_login(colleague)
    assert signed_in.get(address(study) + "report.json").status_code == 200
    assert signed_in.get(address(study) + "bundle.zip").status_code == 403


def test_a_bundle_is_imported_by_a_page(signed_in, client, study, colleague):
    opened(signed_in, study)
    answer = signed_in.get(address(study) + "bundle.zip")
    zipped = b"".join(answer.streaming_content)
    client.force_login(colleague)
    for _ in range(2):  # a second click finds the first one's job
        page = client.post(
            reverse("evaluation:import"), {"file": SimpleUploadedFile("study.zip", zipped)}
        )
        assert page.status_code == 302
    work()
    there = Study.objects.get(owner=colleague)
    job = Job.objects.get(kind="import-study")
    assert job.result["study"] == there.pk
    assert job.result["report"] == "the same, every figure of it"
    assert address(there) in client.get(page.url).content.decode()
    assert "In the lowest quartile" in client.get(address(there)).content.decode()
    assert client.get(address(study)).status_code == 404
    assert not default_storage.exists(job.parameters["upload"][1])


def test_an_import_that_cannot_go_on_says_so(user):
    parameters = {"upload": ["0" * 64, "kept/00/gone.json"], "name": "study.zip"}
    job = Job.objects.create(owner=user, kind="import-study", title="x", parameters=parameters)
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    assert job.error == "what was uploaded is not kept any more. Upload it again."
    # One whose worker died behind its last piece has nothing left to do.
    Job.objects.filter(pk=job.pk).update(total=2, done=2, result={"study": 1})
    retry_job(job)
    run_claimed(claim_job(job.pk))
    job.refresh_from_db()
    assert (job.state, job.result) == ("done", {"study": 1})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: b"no zip", "study.zip: is no bundle that can be read"),
        (lambda data: data[:-100], "study.zip: is no bundle that can be read"),
        (lambda data: b"", "empty"),
    ],
)
def test_a_bundle_that_is_damaged_is_refused_at_once(signed_in, study, change, problem):
    opened(signed_in, study)
    zipped = b"".join(signed_in.get(address(study) + "bundle.zip").streaming_content)
    file = SimpleUploadedFile("study.zip", change(zipped))
    answer = signed_in.post(reverse("evaluation:import"), {"file": file})
    assert answer.status_code == 422
    assert problem in answer.content.decode()
    assert Study.objects.count() == 1
    assert not Job.objects.filter(kind="import-study").exists()


def test_an_import_is_for_those_who_signed_in(client):
    assert client.get(reverse("evaluation:import")).status_code == 302


def test_a_published_report_stays_readable_when_participants_are_erased(signed_in, study):
    opened(signed_in, study)
    analysis = Analysis.objects.get()
    kept = signed_in.post(
        reverse("evaluation:publish", args=[study.pk]), {"analysis": analysis.pk}
    ).url
    before = shown(signed_in.get(kept))
    editor = study.participants.filter(edits__isnull=False).first()
    judge = study.participants.filter(judgments__isnull=False).first()
    texts = list(editor.edits.values_list("text", flat=True))
    gone = judge.judgments.count()
    erase(editor)
    erase(judge)
    assert not editor.edits.exclude(text="").exists()
    assert shown(signed_in.get(kept)) == before
    assert signed_in.get(kept + "figures/preferences.pdf").content.startswith(b"%PDF")
    everything = json.dumps([analysis.report, analysis.charts])
    assert not any(text in everything for text in texts)
    signed_in.get(address(study))
    work()
    again = Analysis.objects.get(published_at__isnull=True).report
    assert again["counts"]["edits"] == analysis.report["counts"]["edits"] - len(texts)
    # Judgments of what the editor wrote are about nothing any more.
    assert again["counts"]["judgments"] < analysis.report["counts"]["judgments"] - gone


def test_a_draft_has_no_report(signed_in, user):
    page = signed_in.get(address(make_study(user))).content.decode()
    assert "This study is a draft" in page


def test_a_report_can_be_kept_for_good(signed_in, study, colleague, client):
    opened(signed_in, study)
    analysis = Analysis.objects.get()
    answer = signed_in.post(
        reverse("evaluation:publish", args=[study.pk]), {"analysis": analysis.pk}
    )
    assert answer.url == reverse("evaluation:published", args=[analysis.code])
    page = signed_in.get(answer.url).content.decode()
    assert "published" in page
    assert signed_in.get(answer.url + "figures/crossover.svg").content.startswith(b"<svg")
    client.force_login(colleague)
    assert client.get(answer.url).status_code == 404


def test_the_list_of_reports(signed_in, study, user):
    opened(signed_in, study)
    hidden = make_answered(user, sentences=4, ended=False)
    page = signed_in.get(reverse("evaluation:reports")).content.decode()
    assert "In the lowest quartile" in page
    assert str(hidden) in page
    assert "stay hidden until it ends" in page


def test_an_upload_is_reported(signed_in, user):
    file = SimpleUploadedFile("judged.csv", CSV.encode())
    answer = signed_in.post(reverse("evaluation:upload"), {"file": file})
    kept = JudgmentFile.objects.get()
    assert (kept.name, kept.judgments, kept.owner) == ("judged.csv", 120, user)
    signed_in.get(answer.url)
    work()
    page = signed_in.get(answer.url).content.decode()
    assert "outputs of diverse were preferred to those of best" in page
    assert "Effort</h2>" not in page
    assert signed_in.get(answer.url + "figures/preferences.svg").status_code == 200
    assert "judged.csv" in signed_in.get(reverse("evaluation:reports")).content.decode()


def test_an_upload_that_cannot_be_read_is_not_kept(signed_in):
    file = SimpleUploadedFile("judged.csv", CSV.replace("AAB", "AAC").encode() + b"1,best\n")
    answer = signed_in.post(reverse("evaluation:upload"), {"file": file})
    assert answer.status_code == 422
    assert "judged.csv:122: expected 6 fields, found 2" in answer.content.decode()
    assert not JudgmentFile.objects.exists()
