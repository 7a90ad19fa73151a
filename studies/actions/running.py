"""A study's states: frozen, running, paused, ended; and what is changed on the way."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now

from evaluation.core.errors import InputError
from studies.actions.planning import freeze_study, write_wording
from studies.core.conduct import DISPLAY, Conduct
from studies.models import Amendment, Study

State = Study.State


def start_study(study: Study) -> bool:
    """Let people in; False when the study was not frozen or paused."""
    return bool(
        Study.objects.filter(pk=study.pk, state__in=[State.FROZEN, State.PAUSED]).update(
            state=State.RUNNING, started_at=Coalesce(F("started_at"), Now())
        )
    )


def begin_study(study: Study) -> Study:
    """Let people in, freezing the plan first where it does not stand yet."""
    study = freeze_study(study)
    start_study(study)
    study.refresh_from_db()
    return study


def pause_study(study: Study) -> bool:
    """No new tasks; what people have in hand they can send."""
    return bool(Study.objects.filter(pk=study.pk, state=State.RUNNING).update(state=State.PAUSED))


def stop_study(study: Study) -> bool:
    """For good: what still comes is kept as late."""
    return bool(
        Study.objects.filter(
            pk=study.pk, state__in=[State.FROZEN, State.RUNNING, State.PAUSED]
        ).update(state=State.ENDED, ended_at=Now())
    )


@transaction.atomic
def amend_conduct(study: Study, conduct: Conduct, *, reason: str, author: User) -> Amendment | None:
    """Change how a frozen study is carried out: recorded with its reason. The plan stays."""
    if not reason.strip():
        raise InputError("an amendment needs a reason", hint="The report will name it.")
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.is_draft:
        raise InputError("a draft is changed, not amended")
    before, after = locked.the_conduct.as_dict(), conduct.as_dict()
    changed = sorted(name for name in after if before.get(name) != after[name])
    if not changed:
        return None
    if not set(DISPLAY).isdisjoint(changed):
        raise InputError(
            "the texts stand since the freezing", hint="Copy the study to change them."
        )
    Study.objects.filter(pk=locked.pk).update(conduct=after)
    return _record(
        locked,
        {name: before.get(name) for name in changed},
        {name: after[name] for name in changed},
        reason=reason,
        author=author,
    )


@transaction.atomic
def amend_wordings(
    study: Study, texts: Mapping[str, str], *, reason: str, author: User
) -> Amendment | None:
    """Change what participants of a frozen study are told: new versions, recorded with a reason."""
    if not reason.strip():
        raise InputError("an amendment needs a reason", hint="The report will name it.")
    locked = Study.objects.select_for_update().get(pk=study.pk)
    before = _versions(locked)
    for kind, text in texts.items():
        write_wording(locked, kind, text)
    after = _versions(locked)
    changed = [kind for kind in after if before.get(kind) != after[kind]]
    if not changed:
        return None
    return _record(
        locked,
        {f"text: {kind}": before.get(kind) for kind in changed},
        {f"text: {kind}": after[kind] for kind in changed},
        reason=reason,
        author=author,
    )


def _versions(study: Study) -> dict[str, int]:
    return dict(study.wordings.order_by("version").values_list("kind", "version"))


def _record(
    study: Study, before: object, after: Mapping[str, object], *, reason: str, author: User
) -> Amendment:
    return Amendment.objects.create(
        study=study,
        number=study.amendments.count() + 1,
        what=", ".join(after),
        reason=reason.strip(),
        before=before,
        after=after,
        author=author,
    )
