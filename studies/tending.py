"""What a worker does for studies beside its jobs (config/celery.py calls it every few seconds)."""

from __future__ import annotations

import logging

from django.db import DatabaseError, close_old_connections, connections

_log = logging.getLogger(__name__)


def tend_studies() -> None:
    """Open what silent people had leased, and sentences that wait for nobody. Never raises.

    A claim does the first for its own study too: this is for the figures that researchers watch,
    and for whoever asks when nobody else does.
    """
    close_old_connections()
    try:
        look_after_studies()
    except DatabaseError as error:
        _log.warning("could not tend the studies", extra={"error": str(error)})
    finally:
        connections.close_all()


def look_after_studies() -> int:
    """How many slots were opened."""
    from django.db import transaction

    from studies.actions.handing_out import expire
    from studies.actions.sentences import complete_but_closed, open_if_complete
    from studies.models import Study

    opened = 0
    states = (Study.State.RUNNING, Study.State.PAUSED)
    for study in Study.objects.filter(state__in=states).only("conduct").order_by("pk"):
        while some := expire(study.pk):
            opened += some
        for segment in complete_but_closed(study.pk, study.the_conduct):
            with transaction.atomic():
                opened += open_if_complete(study.pk, segment, study.the_conduct)
    return opened
