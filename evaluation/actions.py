"""Every write that a report needs: figures of edits, analyses, uploads, peeks."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.functions import Now

from decoding.actions.jobs import submit_job
from decoding.actions.uploads import submit_with_upload
from decoding.models import Job
from decoding.storage import keep_folder
from decoding.uploads import check_size, received, scratch
from evaluation.core.report.slices import Slice
from evaluation.gathering import VERSION, key_of, slice_key, tables_of
from evaluation.models import Analysis, EditScore, JudgmentFile, Peek
from evaluation.queries import job_under_way, references_of, told_edits
from studies.models import Edit, Study

Source = Study | JudgmentFile

_BATCH = 100
# Beside what was published: enough for everybody's slices while a study runs.
_MOST_KEPT = 50


def unscored(study: Study) -> list[Edit]:
    """Edits whose figures are not known yet."""
    return list(told_edits(study).filter(score__isnull=True))


def scores_of(study: Study, edits: Sequence[Edit]) -> list[EditScore]:
    """The figures of edits, not kept yet: they take their time."""
    from evaluation.core.report.scores import EditText, score_edits

    references = references_of(study)
    texts = [
        EditText(
            text=edit.text,
            shown=edit.task.texts,
            ranks=edit.task.ranks,
            references=references.get(edit.task.segment.number, []),
        )
        for edit in edits
    ]
    scores = score_edits(texts, language=study.corpus.target_language)
    return [
        EditScore(edit=edit, version=VERSION, **asdict(score))
        for edit, score in zip(edits, scores, strict=True)
    ]


def keep_scores(scores: Sequence[EditScore]) -> None:
    """Two workers that scored the same edits at once keep the same figures once."""
    EditScore.objects.bulk_create(scores, ignore_conflicts=True)


def batches(edits: Sequence[Edit]) -> list[Sequence[Edit]]:
    """So many at a time that a crash costs little."""
    return [edits[start : start + _BATCH] for start in range(0, len(edits), _BATCH)]


def make_analysis(source: Source, cut: Slice) -> Analysis:
    """The report of the answers as they are now, made unless it is there."""
    from evaluation.charts import charts
    from evaluation.core.report.build import build_report
    from evaluation.core.report.plain import to_plain

    if isinstance(source, Study):
        source.refresh_from_db()
    key = key_of(source, cut)
    there = Analysis.objects.filter(key=key).first()
    if there is not None:
        return there
    report = build_report(tables_of(source), cut)
    drawn = [to_plain(chart) for chart in charts(report)]
    named = {"study": source} if isinstance(source, Study) else {"file": source}
    made, _ = Analysis.objects.get_or_create(
        key=key,
        defaults={
            **named,
            "slice_key": slice_key(source, cut),
            "is_usual": cut == Slice(),
            "report": to_plain(report),
            "charts": drawn,
        },
    )
    _forget_old(named)
    return made


def _forget_old(named: Mapping[str, Source]) -> None:
    """Keep the newest, and all that were published."""
    own = Analysis.objects.filter(**named, published_at__isnull=True).order_by("-pk")
    for pk in own.values_list("pk", flat=True)[_MOST_KEPT:]:
        Analysis.objects.filter(pk=pk, published_at__isnull=True).delete()


def ask_for_report(source: Source, cut: Slice, *, owner: User) -> Job:
    """Have a report made by a worker, one at a time for each source.

    What failed is not tried again by itself, for it would fail again; the job's page offers it.
    """
    under_way = job_under_way(source)
    if under_way is not None:
        return under_way
    name = "study" if isinstance(source, Study) else "file"
    key = f"report {key_of(source, cut)}"
    # One that was done, but whose report is gone again, is in nobody's way.
    Job.objects.filter(key=key, state__in=[Job.State.DONE, Job.State.CANCELLED]).update(key=None)
    return submit_job(
        "report",
        owner=owner,
        parameters={name: source.pk, "slice": cut.as_query()},
        title=f"Report of {source}",
        key=key,
    )


def publish(analysis: Analysis, *, by: User) -> None:
    """Keep an analysis as it is, for good."""
    Analysis.objects.filter(pk=analysis.pk, published_at__isnull=True).update(
        published_at=Now(), published_by=by
    )


def peek(study: Study, user: User) -> None:
    """Note that somebody looked at figures before the study's end."""
    Peek.objects.get_or_create(study=study, user=user)


@transaction.atomic
def keep_file(uploaded: UploadedFile, *, owner: User) -> JudgmentFile:
    """Read an uploaded file of judgments; nothing of one that cannot be read is kept."""
    from evaluation.judgment_files import read_judgments

    with received(uploaded) as (path,):
        tables = read_judgments(path)
        text = Path(path).read_text(encoding="utf-8")
    return JudgmentFile.objects.create(
        owner=owner,
        name=tables.facts.title[:200],
        text=text,
        judgments=len(tables.judgments),
    )


def ask_for_bundle(uploaded: UploadedFile, *, owner: User) -> Job:
    """A job that makes a study of a bundle; a zip that is damaged is refused at once."""
    from evaluation.bundles import check_bundle

    check_size(uploaded)
    name = Path(uploaded.name or "bundle").name
    with tempfile.TemporaryDirectory(prefix="bundle-", dir=scratch()) as place:
        path = Path(place) / name
        with path.open("wb") as file:
            for block in uploaded.chunks():
                file.write(block)
        check_bundle(path)
        kept = keep_folder(Path(place))
    return submit_with_upload(
        "import-study", kept, owner=owner, title=f"Import a study from {name}", name=name
    )


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Which parts of a report differ from another's, its name and its versions aside."""
    return sorted(name for name in before if name != "facts" and before[name] != after.get(name))


def canonical(report: object) -> str:
    """A report as one text, to compare and to export."""
    return json.dumps(report, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
