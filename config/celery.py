"""The Celery application. The database holds the jobs; the broker only rings the bell."""

from __future__ import annotations

import os

from celery import Celery, bootsteps
from celery.signals import celeryd_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Tend(bootsteps.StartStopStep):
    """While a worker lives: say so, take up the jobs of workers that no longer do, and open what
    participants had leased who have fallen silent; once an hour, tidy up.

    Every worker does it, so that no further process has to be run and watched; the updates are
    conditional, so that it does no harm when several do it at once.
    """

    requires = ("celery.worker.components:Timer", "celery.worker.components:Pool")

    def start(self, worker) -> None:
        from django.conf import settings

        from decoding.tending import tend, tidy
        from studies.tending import tend_studies

        often = min(5.0, settings.JOB_LEASE_SECONDS / 4)
        for call, seconds in ((tend, often), (tend_studies, often), (tidy, 3600.0)):
            call()
            worker.timer.call_repeatedly(seconds, call)


app = Celery("variorum")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].add(Tend)


@celeryd_init.connect
def prepare_worker(**kwargs) -> None:
    from config.broker import outlive_the_broker

    outlive_the_broker()
