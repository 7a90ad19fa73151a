from __future__ import annotations

import hashlib
import secrets
import shutil
import signal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand

from config import demonstration, supervisor
from config.environment import embedded_socket, kernel_cache


class Command(BaseCommand):
    help = "Run all of Variorum on this machine: broker, worker and web server. Ctrl-C stops it."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        environment = settings.ENVIRONMENT
        if not environment.embedded:
            raise supervisor.CannotStart(
                "REDIS_URL is set: this is a production set-up, where web servers and workers run "
                "as processes of their own. docs/operations.md shows how. Unset REDIS_URL to run "
                "everything from here."
            )
        host, _, port = environment.address.rpartition(":")
        host = host.strip("[]")
        if not host or not port.isdecimal():
            raise supervisor.CannotStart(
                f"VARIORUM_ADDRESS is {environment.address!r}. Write it as host:port, such as "
                "127.0.0.1:8000."
            )
        with supervisor.locked_data_folder(settings.DATA_DIR):
            supervisor.check_port_free(host, int(port))
            self._prepare()
            self._run(host, int(port))

    def _prepare(self) -> None:
        from decoding.actions.jobs import release_running_jobs

        call_command("migrate", verbosity=0, interactive=False)
        collect_static()
        forget_old_kernels()
        # We hold the folder's lock, so no worker of an earlier start is alive.
        waiting = release_running_jobs()
        if waiting:
            self._say(f"Taking up {waiting} unfinished job{'s'[: waiting != 1]}.")
        users = get_user_model().objects
        if not users.exists():
            password = secrets.token_urlsafe(12)
            users.create_superuser("admin", password=password)
            if settings.ENVIRONMENT.demonstration:
                demonstration.want()
            self._say(
                f"\n  The first administrator:  admin\n  Password (shown once):    {password}\n"
            )

    def _run(self, host: str, port: int) -> None:
        keeper = supervisor.Supervisor(self._say, settings.DATA_DIR / "variorum.log")
        shorten(keeper.log)

        def stop(number: int, frame: object) -> None:
            # Only a note: an exception out of a handler could lose a child between its start and
            # our knowing of it.
            keeper.stopping = True

        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)
        path = embedded_socket(settings.DATA_DIR)
        broker, web = supervisor.broker(path), supervisor.web(host, port)
        shown = f"{'localhost' if host in {'127.0.0.1', '0.0.0.0', '::'} else host}:{port}"  # noqa: S104
        asked = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            keeper.start(broker)
            keeper.wait_for(broker, path.exists)
            keeper.start(supervisor.worker())
            keeper.start(web)
            if keeper.wait_for(web, lambda: supervisor.answers(asked)):
                self._say(
                    f"Variorum is at  http://{shown}/   (Ctrl-C stops it)\nIts log:  {keeper.log}"
                )
                if demonstration.is_wanted():
                    keeper.start(supervisor.demonstration())
            keeper.keep_running()
            self._say("\nStopping ...")
        finally:
            keeper.stop()

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()  # for whoever reads it from a pipe or a journal


def shorten(log: Path, most: int = 10_000_000) -> None:
    """Keep the last log of a long run beside the new one, not for ever."""
    if log.exists() and log.stat().st_size > most:
        log.replace(log.with_suffix(".log.1"))


def forget_old_kernels() -> None:
    """Compiled kernels of earlier versions are never looked at again."""
    current = kernel_cache(settings.DATA_DIR / "cache" / "kernels")
    for older in set(current.parent.glob("*")) - {current}:
        shutil.rmtree(older, ignore_errors=True)


def collect_static() -> None:
    """Gather the static files when one has changed: it takes seconds, and starts are frequent."""
    from django.contrib.staticfiles.finders import get_finders

    # By content's stamp, not by version: whoever edits the style sheets starts it again too.
    seen = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            status = Path(storage.path(path)).stat()
            seen.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    stamp = settings.STATIC_ROOT / ".stamp"
    if stamp.exists() and stamp.read_text() == seen.hexdigest():
        return
    shutil.rmtree(settings.STATIC_ROOT, ignore_errors=True)
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(seen.hexdigest())
