"""The tables of a report from the rows of the database, or from an uploaded file."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from math import nan
from pathlib import Path

from django.conf import settings

from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import (
    BLEU1,
    EXCLUDED,
    FLAGGED,
    GUESS,
    SIMULATED,
    SURPLUS,
    Amendment,
    EditRow,
    Facts,
    JudgmentRow,
    ListRow,
    Participant,
    Sentence,
    Tables,
)
from evaluation.models import JudgmentFile, Peek
from evaluation.queries import (
    Listed,
    Measured,
    editing_tasks,
    lists_of,
    measured_lists,
    references_of,
    segments_of,
    state_of,
    told_edits,
    told_judgments,
)
from studies.models import Participant as ParticipantModel
from studies.models import Study

# Raised whenever the same answers would give another report.
VERSION = "report-3"

COVARIATES = {
    BLEU1: "BLEU+1 of the 1-best",
    "score": "model score per word of the 1-best",
    "source_length": "words of the source",
    "reference_length": "words of the reference",
    GUESS: "BLEU+1 guessed without a reference",
}
_STANDINGS = {"late": SURPLUS, "excluded": EXCLUDED}


def slice_key(source: Study | JudgmentFile, cut: Slice) -> str:
    """What a report is asked for by, whatever the answers are."""
    name = "study" if isinstance(source, Study) else "file"
    return _checksum([VERSION, name, source.pk, cut.as_query()])


def key_of(source: Study | JudgmentFile, cut: Slice) -> str:
    """What a report follows from: the same key, the same report."""
    state = state_of(source) if isinstance(source, Study) else ""
    return _checksum([slice_key(source, cut), state])


def tables_of(source: Study | JudgmentFile) -> Tables:
    """The tables, wherever the answers are from."""
    return tables_of_study(source) if isinstance(source, Study) else tables_of_file(source)


def tables_of_file(file: JudgmentFile) -> Tables:
    """The tables of an uploaded file, which was read once when it came."""
    from evaluation.judgment_files import read_judgments

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgments"
        path.write_text(file.text, encoding="utf-8", newline="")
        return read_judgments(path, title=file.name)


def tables_of_study(study: Study) -> Tables:
    """Everything that was answered in a study, in the order of its plan."""
    from evaluation.core.report.scores import list_signatures

    conditions = tuple(study.conditions.order_by("place").values_list("name", flat=True))
    references = references_of(study)
    lists = lists_of(study)
    rows = _list_rows(lists, measured_lists(study), references)
    people = {
        one.pseudonym: one for one in ParticipantModel.objects.filter(study=study).order_by("pk")
    }
    marks = {name: _marks(one) for name, one in people.items()}
    sentences = _sentences(study, conditions[0], lists, rows, references)
    edits = tuple(_edit(edit, marks) for edit in told_edits(study))
    some = next(iter(references.values()), [])
    signatures = list_signatures(some) if rows else {}
    if edits:
        signatures |= _edit_signatures(study, some)
    return Tables(
        facts=_facts(study, signatures),
        conditions=conditions,
        covariates={
            name: words
            for name, words in COVARIATES.items()
            if any(name in sentence.covariates for sentence in sentences)
        },
        sentences=sentences,
        judgments=tuple(
            JudgmentRow(
                sentence=str(row.task__segment__number),
                pair=str(row.task__number),
                worker=row.participant__pseudonym,
                left=row.left,
                right=row.right,
                outcome=_outcome(row.choice, swapped=row.swapped),
                seconds=row.seconds,
                marks=_with_standing(marks[row.participant__pseudonym], row.standing),
            )
            for row in told_judgments(study)
        ),
        edits=edits,
        lists=tuple(rows),
        participants=tuple(
            Participant(name, tuple(one.flags), one.exclusion, one.is_simulated)
            for name, one in sorted(people.items())
        ),
    )


def _outcome(choice: str, *, swapped: bool) -> int:
    """1 where the left one is better: the first stands left unless they were swapped."""
    chosen = {"first": 1, "same": 0, "second": -1}[choice]
    return -chosen if swapped else chosen


def _marks(participant: ParticipantModel) -> frozenset[str]:
    found = {FLAGGED} if participant.flags else set()
    if participant.is_simulated:
        found.add(SIMULATED)
    return frozenset(found)


def _with_standing(marks: frozenset[str], standing: str) -> frozenset[str]:
    return marks | {_STANDINGS[standing]} if standing in _STANDINGS else marks


def _list_rows(
    lists: Mapping[tuple[int, str], list[Listed]],
    measured: Mapping[tuple[int, str], Measured],
    references: Mapping[int, list[str]],
) -> list[ListRow]:
    """The figures of all lists with references, measured now where they were not kept."""
    from decoding.figures import list_figures
    from evaluation.core.report.scores import list_row

    known = {name: entries for name, entries in sorted(lists.items()) if references.get(name[0])}
    new = [name for name in known if name not in measured]
    figures = list_figures(
        [[entry.text for entry in known[name]] for name in new],
        [references[segment] for segment, _ in new],
    )
    now = dict(zip(new, figures, strict=True))
    rows = []
    for (segment, condition), entries in known.items():
        found = now.get((segment, condition))
        if found is None:
            coverage, statistics = measured[segment, condition]
            bleu1 = [entry.bleu1 or 0.0 for entry in entries]
        else:
            coverage, statistics = found.coverage, found.kept_statistics
            bleu1 = list(found.bleu1)
        rows.append(list_row(bleu1, coverage, statistics, (str(segment), condition)))
    return rows


def _sentences(
    study: Study,
    baseline: str,
    lists: Mapping[tuple[int, str], list[Listed]],
    rows: list[ListRow],
    references: Mapping[int, list[str]],
) -> tuple[Sentence, ...]:
    """The study's sentences with what is known of each; what is not known is left out."""
    import numpy as np

    from evaluation.core.metrics.bleu import sentence_bleu1

    firsts = [row for row in rows if row.condition == baseline]
    bleu1 = {}
    if firsts:
        scores = sentence_bleu1(np.array([row.first for row in firsts], dtype=np.int64))
        bleu1 = dict(zip((row.sentence for row in firsts), scores.tolist(), strict=True))
    truth = {int(name): score for name, score in bleu1.items()}
    guesses = _guesses({n: own for (n, name), own in lists.items() if name == baseline}, truth)
    found = []
    for segment in segments_of(study):
        text, score, *_ = lists.get((segment.number, baseline), [Listed("", None, {})])[0]
        own = references.get(segment.number, [])
        words = len(text.split())
        covariates = {
            BLEU1: bleu1.get(str(segment.number), nan),
            "score": nan if score is None or not words else score / words,
            "source_length": float(len(segment.source.split())),
            "reference_length": float(len(own[0].split())) if own else nan,
            GUESS: guesses.get(segment.number, nan),
        }
        known = {name: value for name, value in covariates.items() if value == value}
        found.append(Sentence(str(segment.number), known))
    return tuple(found)


def _guesses(lists: Mapping[int, list[Listed]], truth: Mapping[int, float]) -> dict[int, float]:
    """BLEU+1 of each segment's first translation, guessed by who has not seen its reference.

    From the study's own lists alone, so that a bundle gives the same guesses elsewhere.
    """
    import numpy as np

    from evaluation.core.confidence import FEWEST, ListClues, clue_table, fit, flat_features

    known = [n for n in sorted(truth) if all(entry.score is not None for entry in lists[n])]
    if len(known) < FEWEST:
        return {}
    clues = [
        ListClues(
            [entry.text for entry in lists[n]],
            [entry.score or 0.0 for entry in lists[n]],
            flat_features(lists[n][0].features),
        )
        for n in known
    ]
    fitted = fit(*clue_table(clues), np.array([truth[n] for n in known]))
    return dict(zip(known, fitted.guessed.tolist(), strict=True))


def _edit(edit, marks: Mapping[str, frozenset[str]]) -> EditRow:
    score = edit.score
    return EditRow(
        sentence=str(edit.task.segment.number),
        condition=edit.task.condition.name,
        worker=edit.participant.pseudonym,
        words=score.words,
        characters=score.characters,
        bleu1=score.bleu1,
        chrf=score.chrf,
        changes=score.changes,
        length=score.length,
        kept_first=score.kept_first,
        kept_others=score.kept_others,
        seconds=edit.seconds if edit.active_seconds is None else edit.active_seconds,
        keystrokes=edit.keystrokes,
        marks=_with_standing(marks[edit.participant.pseudonym], edit.standing),
    )


def _edit_signatures(study: Study, references: list[str]) -> dict[str, str]:
    from evaluation.core.report.scores import EditText, edit_signatures

    shown = editing_tasks(study).first()
    texts = shown.texts if shown else []
    return edit_signatures(
        EditText("", texts, [], references), language=study.corpus.target_language
    )


def _facts(study: Study, signatures: Mapping[str, str]) -> Facts:
    design = {"state": study.state} | study.design | study.conduct
    peeks = Peek.objects.filter(study=study).count()
    if peeks:
        design["looked at before its end by"] = peeks
    return Facts(
        title=study.name,
        interim=study.state != Study.State.ENDED,
        design={name.replace("_", " "): _words(value) for name, value in design.items()},
        checksum=study.checksum,
        amendments=tuple(
            Amendment(one.number, one.made_at.date().isoformat(), one.what, one.reason)
            for one in study.amendments.order_by("number")
        ),
        versions={
            "Variorum": settings.VERSION,
            "report": VERSION,
            **{name: version(name) for name in ("numpy", "scipy", "sacrebleu")},
        },
        signatures=signatures,
    )


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(_words(one) for one in value)
    return "" if value is None else str(value)


def _checksum(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
