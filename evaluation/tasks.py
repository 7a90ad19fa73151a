from __future__ import annotations

from typing import Any

from decoding.jobs import JobRun, job
from evaluation.core.errors import VariorumError
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
    return {"report": made.pk}


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
