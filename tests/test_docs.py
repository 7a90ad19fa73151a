"""What the documentation names is there, and what is there is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from config import environment

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
TEXT = {str(page.relative_to(ROOT)): page.read_text() for page in PAGES}
OURS = {"config", "decoding", "studies", "evaluation"}


@pytest.mark.parametrize("document", TEXT)
def test_commands_that_are_named_exist(document):
    named = set(re.findall(r"manage\.py ([a-z_]+)", TEXT[document]))
    assert named <= set(get_commands())


@pytest.mark.parametrize("document", TEXT)
def test_make_targets_that_are_named_exist(document):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^    |`|\S=\S+ )make ([a-z]+)", TEXT[document], re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("document", TEXT)
def test_links_lead_somewhere(document):
    folder = (ROOT / document).parent
    for target in re.findall(r"\]\(([^)#]+)", TEXT[document]):
        if "://" not in target:
            assert (folder / target).exists(), target


def test_our_commands_are_documented():
    ours = {name for name, app in get_commands().items() if app in OURS}
    everything = "\n".join(TEXT.values())
    missing = {name for name in ours if f"manage.py {name}" not in everything}
    assert not missing


def test_every_setting_is_documented():
    reader_asks_for = set(
        re.findall(r'"((?:VARIORUM_|ALLOWED_|DATABASE_|REDIS_|SECRET_)\w+)"',
                   Path(environment.__file__).read_text())
    )  # fmt: skip
    for_tests = {"VARIORUM_REFERENCE_DATA", "VARIORUM_TEST_DATABASE_URL"}
    for name in reader_asks_for - for_tests:
        assert name in TEXT["docs/operations.md"], name
