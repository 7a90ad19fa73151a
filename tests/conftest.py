"""What every test may use: the reference data, when it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A property's first example may compile a kernel, which takes seconds.
settings.register_profile("variorum", deadline=None)
settings.load_profile("variorum")

_ROOT = Path(__file__).resolve().parent.parent
_left_out: set[str] = set()


@pytest.fixture(scope="session")
def reference_data():
    """A function from a name in the reference data to its path.

    The data may not be shipped, so a test that asks for what is not there is left out, and the
    end of the run says so.
    """
    top = Path(os.environ.get("VARIORUM_REFERENCE_DATA", _ROOT / "../shared/data"))

    def find(name: str) -> Path:
        path = top / name
        if not path.exists():
            _left_out.add(name)
            pytest.skip(f"reference data {name} is not here (VARIORUM_REFERENCE_DATA)")
        return path

    return find


def pytest_terminal_summary(terminalreporter):
    if _left_out:
        terminalreporter.write_line(
            "Left out, for lack of reference data: " + ", ".join(sorted(_left_out)), yellow=True
        )


def pytest_collection_modifyitems(items):
    """What touches the database or the queue runs again on PostgreSQL (make test)."""
    for item in items:
        uses = set(getattr(item, "fixturenames", ()))
        if item.get_closest_marker("django_db") or uses & {"db", "transactional_db", "queue"}:
            item.add_marker("database")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """On PostgreSQL nothing is vacuumed or analysed while a test runs.

    Of rows that tests take back it would learn, at a moment of its own choosing, that the tables
    are empty, and plan the next test's statements for that.
    """
    from django.db import connection

    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            for table in connection.introspection.table_names():
                cursor.execute(f'ALTER TABLE "{table}" SET (autovacuum_enabled = off)')


@pytest.fixture
def user(django_user_model):
    return django_user_model.objects.create_user("rosa", password="a long passphrase")


@pytest.fixture
def colleague(django_user_model):
    return django_user_model.objects.create_user("kurt", password="a long passphrase")


@pytest.fixture
def administrator(django_user_model):
    return django_user_model.objects.create_superuser("ada", password="a long passphrase")


@pytest.fixture
def queue(transactional_db):
    """A real broker and, on demand, real workers."""
    from tests.queueing import Queue

    running = Queue()
    yield running
    running.close()


@pytest.fixture(autouse=True)
def nothing_remembered():
    """What a page remembers of one test's rows is not true of the next one's."""
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    """Static files straight from the tree: no test needs them collected and compressed."""
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
