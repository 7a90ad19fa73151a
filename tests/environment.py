"""Loaded before Django (pyproject: -p tests.environment): the tests have a data folder of their own.

Set VARIORUM_TEST_DATABASE_URL to run against another database than SQLite; tests/on_postgres.py
starts one and does that.
"""

import os
import shutil
import tempfile
from pathlib import Path

from config.environment import kernel_cache

ROOT = Path(__file__).resolve().parent.parent

for name in ("REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"):
    os.environ.pop(name, None)
# Short, for it holds a unix socket; one for each worker of pytest-xdist.
DATA = Path(tempfile.mkdtemp(prefix="vt-", dir="/tmp"))
(DATA / "static").mkdir()
os.environ["VARIORUM_DATA"] = str(DATA)
os.environ["VARIORUM_STYLEGUIDE"] = "true"
os.environ["VARIORUM_JOB_LEASE_SECONDS"] = "3"  # the fault tests wait for leases to run out
# Kernels stay compiled from one run to the next, as long as none of them is changed.
KERNELS = kernel_cache(ROOT / ".numba_cache")
for older in set(KERNELS.parent.glob("*")) - {KERNELS}:
    shutil.rmtree(older, ignore_errors=True)
os.environ.setdefault("NUMBA_CACHE_DIR", str(KERNELS))
if url := os.environ.get("VARIORUM_TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = url


def pytest_unconfigure(config):
    shutil.rmtree(DATA, ignore_errors=True)
