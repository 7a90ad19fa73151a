"""What participants read is there in Arabic, and the compiled catalogue is that of the text."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from django.utils.translation import gettext, ngettext, override

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUE = ROOT / "config/locale/ar/LC_MESSAGES"
PAGES = [*ROOT.glob("templates/studies/take/*.html"), ROOT / "templates/task.html"]


def said(page: Path) -> set[str]:
    return set(re.findall(r'{% translate "([^"]+)"', page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_sentence_of_a_participants_page_is_translated(page):
    with override("ar"):
        missing = {words for words in said(page) if gettext(words) == words}
    assert missing == set()


def test_every_sentence_of_the_views_is_translated():
    text = (ROOT / "studies/views/taking.py").read_text()
    parts = re.findall(r'_\(\s*((?:"[^"]*"\s*)+)\)', text)
    words = {"".join(re.findall(r'"([^"]*)"', part)) for part in parts}
    assert len(words) > 10
    with override("ar"):
        assert {one for one in words if gettext(one) == one} == set()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 11, 100])
def test_arabic_counts_in_six_ways(count):
    with override("ar"):
        said = ngettext("%(done)s task done", "%(done)s tasks done", count)
    assert "task" not in said


def test_the_compiled_catalogue_is_up_to_date(tmp_path):
    made = tmp_path / "django.mo"
    try:
        subprocess.run(["msgfmt", "-o", made, CATALOGUE / "django.po"], check=True)
    except FileNotFoundError:
        pytest.skip("msgfmt (gettext) is not installed")
    assert made.read_bytes() == (CATALOGUE / "django.mo").read_bytes()
