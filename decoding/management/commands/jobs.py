from __future__ import annotations

import time
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from decoding.actions.jobs import cancel_job, retry_job, submit_job
from decoding.models import Job
from decoding.queries.jobs import jobs_on_page
from evaluation.core.errors import VariorumError

LISTED = 20
ASK_EVERY_SECONDS = 0.5


class Command(BaseCommand):
    help = "Look at jobs, follow one with a bar, cancel it or try it again, test the queue."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", metavar="WHAT")
        what.add_parser("list", help=f"the last {LISTED} (default)")
        for name, words in (
            ("watch", "follow a job to its end"),
            ("cancel", "cancel a job"),
            ("retry", "go on with a failed or cancelled job"),
        ):
            what.add_parser(name, help=words).add_argument("job", type=int, metavar="JOB")
        test = what.add_parser("self-test", help="let a worker count, and follow it")
        test.add_argument("--pieces", type=int, default=20)
        test.add_argument("--seconds-per-piece", type=float, default=0.1)

    def handle(self, **options: Any) -> None:
        match options["what"]:
            case "watch":
                self.watch(find(options["job"]))
            case "cancel":
                asked = cancel_job(find(options["job"]))
                self.stdout.write("It will stop within seconds." if asked else "It had ended.")
            case "retry":
                queued = retry_job(find(options["job"]))
                self.stdout.write("Queued again." if queued else "It is queued or running already.")
            case "self-test":
                names = ("pieces", "seconds_per_piece")
                parameters = {name: options[name] for name in names}
                self.watch(submit_job("self-test", owner=operator(), parameters=parameters))
            case _:
                self.list()

    def list(self) -> None:
        for job in jobs_on_page()[:LISTED]:
            progress = f"{job.done}/{job.total}" if job.total else str(job.done)
            owner = job.owner.username
            self.stdout.write(
                f"{job.pk:>6}  {job.state:<9}  {progress:>11}  {owner:<12}  {job.title}"
            )

    def watch(self, job: Job) -> None:
        """Show a bar until the job ends; fail when it failed."""
        with tqdm(desc=job.title, unit="piece", file=self.stderr, dynamic_ncols=True) as bar:
            while not job.is_finished:
                time.sleep(ASK_EVERY_SECONDS)
                job.refresh_from_db()
                bar.total = job.total
                bar.set_postfix_str(job.message)
                bar.update(job.done - bar.n)
        if job.state == Job.State.FAILED:
            raise VariorumError(f"Job {job.pk} failed. {job.error}")
        self.stdout.write(f"Job {job.pk}: {job.state}, {job.done} pieces.")


def find(pk: int) -> Job:
    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise VariorumError(f"There is no job {pk}. `manage.py jobs` lists them.")
    return job


def operator() -> Any:
    """Whoever works on the server's terminal acts as its first administrator."""
    found = get_user_model().objects.filter(is_superuser=True, is_active=True).first()
    if found is None:
        raise VariorumError("There is no administrator yet. Make one: manage.py createsuperuser")
    return found
