from __future__ import annotations

from typing import Any

from django.urls import reverse

from decoding.actions.uploads import fetch_upload, forget_upload
from decoding.jobs import JobRun, job
from evaluation.core.errors import InputError, VariorumError
from evaluation.models import JudgmentFile
from studies.models import Study


@job("report", title="Report")
def report(run: JobRun) -> dict[str, Any]:
    """Score the edits that are new, then make the report."""
    from evaluation.actions import batches, keep_scores, make_analysis, scores_of, unscored
    from evaluation.core.report.slices import slice_from

    source = _source(run)
    if isinstance(source, Study):
        parts = batches(unscored(source))
        run.expect(run.done + len(parts) + 1)
        for number, edits in enumerate(parts, start=1):
            scores = scores_of(source, edits)
            with run.piece(message=f"edits, part {number} of {len(parts)}"):
                keep_scores(scores)
    run.say("figures and intervals")
    made = make_analysis(source, slice_from(run.parameters["slice"]))
    with run.piece():
        pass
    page = source.get_absolute_url() if isinstance(source, JudgmentFile) else _page(source)
    return {"report": made.pk, "page": page}


@job("import-study", title="Import a study")
def import_study(run: JobRun) -> dict[str, Any]:
    """Make a study of an uploaded bundle, then its report, and compare that with the bundle's."""
    from evaluation.actions import (
        batches,
        differing,
        keep_scores,
        make_analysis,
        scores_of,
        unscored,
    )
    from evaluation.bundles import read_bundle, read_report
    from evaluation.core.report.slices import Slice

    run.expect(2)
    if run.done == 2:  # a worker died right after the last piece
        forget_upload(run.job)
        return run.result
    path = fetch_upload(run.job) / run.parameters["name"]
    if not run.done:
        run.say("reading the bundle")
        try:
            with run.piece(message="the study is here"):
                study, _ = read_bundle(path, owner=run.job.owner)
                run.result = {"study": study.pk}
        except InputError:
            forget_upload(run.job)  # nothing of a rejected file is kept
            raise
    study = Study.objects.get(pk=run.result["study"])
    for edits in batches(unscored(study)):
        run.say("figures of the edits")
        keep_scores(scores_of(study, edits))
    run.say("figures and intervals")
    changed = differing(read_report(path), make_analysis(study, Slice()).report)
    said = f"differs in: {', '.join(changed)}" if changed else "the same, every figure of it"
    with run.piece(message="compared"):
        run.result |= {"report": said, "page": _page(study)}
    forget_upload(run.job)
    return run.result


def _page(study: Study) -> str:
    return reverse("evaluation:study-report", args=[study.pk])


def _source(run: JobRun) -> Study | JudgmentFile:
    model, pk = (
        (Study, run.parameters["study"])
        if "study" in run.parameters
        else (JudgmentFile, run.parameters["file"])
    )
    found = model.objects.filter(pk=pk).first()
    if found is None:
        raise VariorumError("The study or the file has been deleted meanwhile.")
    return found
