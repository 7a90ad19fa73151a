from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from decoding.actions.measurements import keep_measurement
from decoding.comparing import compare, measure
from decoding.jobs import JobRun, job
from decoding.models import Comparison, Corpus, System
from decoding.queries.lists import version_for_best
from decoding.tasks.lists import share_lists
from evaluation.core.errors import VariorumError

_GONE = "The corpus or the system has been deleted meanwhile."


@job("measure-system", title="Measure a system")
def measure_system(run: JobRun) -> dict[str, Any]:
    """BLEU of a system on a corpus, from its lists, of which it makes those that are missing."""
    system = System.objects.filter(pk=run.parameters["system"]).first()
    corpus = Corpus.objects.filter(pk=run.parameters["corpus"]).first()
    if system is None or corpus is None:
        raise VariorumError(_GONE)
    versions = _make_lists(run, corpus, [system])
    run.say("measuring")
    measured = measure(corpus, system, versions[system])
    with run.piece(0, message="measured"):
        made = keep_measurement(system, corpus, measured)
    return {"BLEU": round(made.bleu, 2), "signature": made.signature, "segments": made.segments}


@job("compare-systems", title="Compare two systems")
def compare_systems(run: JobRun) -> dict[str, Any]:
    """Two systems' BLEU on a corpus, from their lists, of which it makes those that are missing."""
    comparisons = Comparison.objects.select_related("corpus", "first", "second")
    wanted = comparisons.filter(pk=run.parameters["comparison"]).first()
    if wanted is None:
        raise VariorumError(_GONE)
    corpus = wanted.corpus
    versions = _make_lists(run, corpus, [wanted.first, wanted.second])
    run.say("drawing samples")
    result = compare(corpus, versions, wanted.seed)
    with run.piece(0, message="compared"):
        Comparison.objects.filter(pk=wanted.pk).update(result=result)
    return {"BLEU": " and ".join(f"{bleu:.2f}" for bleu in result["bleu"])}


def _make_lists(run: JobRun, corpus: Corpus, systems: Sequence[System]) -> dict[System, int]:
    """Have the lists made whose first translations are measured: by which recipe versions.

    They are chosen once in a job, and kept with its parts, for others may have more lists later.
    """
    chosen = run.result.setdefault(
        "versions", [version_for_best(one, corpus).pk for one in systems]
    )
    versions = dict(zip(systems, chosen, strict=True))
    share_lists(run, corpus, {system.pk: [version] for system, version in versions.items()})
    return versions
