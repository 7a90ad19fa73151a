"""A small HTTP server for tests: stands for a platform that we ask, or tell something."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Platform(ThreadingHTTPServer):
    """Answers with `statuses`, one after the other (the last for ever), and keeps what it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.body = b""
        self.statuses = [200]
        self.location = ""
        self.received: list[tuple[str, dict[str, str], bytes]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Platform

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, content: bytes) -> None:
        platform = self.server
        platform.received.append((self.path, dict(self.headers), content))
        statuses = platform.statuses
        self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
        if platform.location:
            self.send_header("Location", platform.location)
        self.send_header("Content-Length", str(len(platform.body)))
        self.end_headers()
        self.wfile.write(platform.body)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def serve() -> Iterator[Platform]:
    platform = Platform()
    thread = threading.Thread(target=platform.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield platform
    finally:
        platform.shutdown()
        platform.server_close()
        thread.join()
