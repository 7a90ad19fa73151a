"""Whatever participants may read is there in Arabic; the compiled catalogue is that of the text."""

from __future__ import annotations

import ast
import gettext as standard
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation import gettext, ngettext, override
from django.utils.translation.template import templatize

from studies.models import Study
from studies.wordings import DEFAULTS, TRAININGS
from tests.studies.making import make_running_study

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUE = ROOT / "config/locale/ar/LC_MESSAGES"
PAGES = [
    *ROOT.glob("templates/studies/take/*.html"),
    ROOT / "templates/task.html",
    ROOT / "templates/base.html",
    *ROOT.glob("templates/components/*.html"),
]
# Whose errors participants may be shown.
MODULES = [
    *(ROOT / "studies").glob("actions/handing_out*"),
    *(ROOT / "studies").glob("views/taking*"),
    *(
        ROOT / "studies" / name
        for name in (
            "arrivals.py", "prolific.py", "actions/checks.py", "actions/entry.py",
            "actions/participants.py", "core/texts.py", "views/entering.py",
        )
    ),
]  # fmt: skip


def sources() -> list[Path]:
    return [file for one in MODULES for file in (one.rglob("*.py") if one.is_dir() else [one])]


def strings(node: ast.expr) -> set[str]:
    assert isinstance(node, (ast.Constant, ast.Call)), (
        f"{ast.unparse(node)} cannot be translated: say it without numbers and names"
    )
    return {node.value} if isinstance(node, ast.Constant) else set()


def told_by(file: Path) -> set[str]:
    """What a module hands to gettext, and what its errors say."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        name = getattr(getattr(node, "func", None), "id", "")
        if name in ("InputError", "NotNow"):
            found |= strings(node.args[0])
            for keyword in node.keywords:
                found |= strings(keyword.value) if keyword.arg == "hint" else set()
        elif name == "_" and isinstance(node.args[0], ast.Constant):
            found |= strings(node.args[0])
    return found


def said_on(page: Path) -> set[str]:
    """What a template hands to gettext; of what has plurals, the singular."""
    code = templatize(page.read_text())
    called = re.findall(
        r"\b(?:gettext|ngettext|_)\(\s*u?(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')", code
    )
    return {ast.literal_eval(text) for text in called}


def catalogue() -> dict[str, str]:
    with (CATALOGUE / "django.mo").open("rb") as file:
        entries = standard.GNUTranslations(file)._catalog
    return {key[0] if isinstance(key, tuple) else key: text for key, text in entries.items()}


def test_every_sentence_of_a_page_is_translated():
    said = {words for page in PAGES for words in said_on(page)}
    assert len(said) > 70
    assert "Your completion code:" in said
    assert "%(done)s task done" in said
    assert said - set(catalogue()) == set()


def test_every_sentence_of_the_views_and_errors_is_translated():
    told = {words for file in sources() for words in told_by(file)}
    assert {"there is no sentence yet", "Answer every question.", "That did not work"} <= told
    assert told - set(catalogue()) == set()


def test_the_shipped_texts_are_translated():
    texts = {*DEFAULTS.values(), *(item.why for one in TRAININGS.values() for item in one.items)}
    assert texts - set(catalogue()) == set()


def test_no_translation_is_empty_or_the_same():
    names = {"", "A", "B"}
    assert {k for k, v in catalogue().items() if k not in names and (not v or v == k)} == set()


def test_a_text_keeps_its_gaps():
    """What stands in %(...)s is filled in in every language."""
    for key, text in catalogue().items():
        if "%(" in key:
            gaps = set(re.findall(r"%\(\w+\)s", key))
            assert set(re.findall(r"%\(\w+\)s", text)) <= gaps


@pytest.mark.parametrize("count", [0, 1, 2, 3, 11, 100])
def test_arabic_counts_in_six_ways(count):
    with override("ar"):
        said = ngettext("%(done)s task done", "%(done)s tasks done", count)
    assert "task" not in said


def test_the_compiled_catalogue_is_up_to_date():
    """As msgfmt would make it; read here without it."""
    entries = re.split(r"\n\n+", (CATALOGUE / "django.po").read_text().strip())
    text = {}
    for entry in entries[1:]:
        parts = dict(
            re.findall(r'^(msg\w+(?:\[0\])?) ((?:"(?:[^"\\]|\\.)*"\s*)+)', entry, re.MULTILINE)
        )
        joined = {
            name: "".join(ast.literal_eval(line) for line in value.split("\n") if line.strip())
            for name, value in parts.items()
        }
        text[joined["msgid"]] = joined.get("msgstr", joined.get("msgstr[0]"))
    compiled = catalogue()
    compiled.pop("")
    # Of what has plurals, the forms are six; here the first is looked at.
    with (CATALOGUE / "django.mo").open("rb") as file:
        raw = standard.GNUTranslations(file)._catalog
    compiled |= {
        key[0]: value for key, value in raw.items() if isinstance(key, tuple) and key[1] == 0
    }
    assert text == compiled


@pytest.mark.django_db
def test_the_shipped_texts_are_read_in_the_language_of_the_page(user):
    study = make_running_study(user)
    address = f"/take/{study.code}/"
    client = Client()
    arabic = client.get(address, headers={"Accept-Language": "ar"}).content.decode()
    assert "المشاركة طوعية" in arabic
    assert "Taking part is voluntary" not in arabic
    assert "Taking part is voluntary" in client.get(address).content.decode()
    client.post(address + "consent/")
    Study.objects.update(interface="ar")
    page = client.get(address + "instructions/").content.decode()
    assert "واكتب جملة واحدة سليمة" in page
    # What a researcher wrote stays as it is, and is no HTML.
    study.wordings.filter(kind="editing").update(text="My <b>own</b> text")
    page = client.get(address + "instructions/").content.decode()
    assert "My &lt;b&gt;own&lt;/b&gt; text" in page


@pytest.mark.django_db
def test_an_error_is_told_in_the_language_of_the_page(user):
    study = make_running_study(user)
    Study.objects.update(interface="ar", is_open=False)
    page = Client().get(f"/take/{study.code}/").content.decode()
    with override("ar"):
        assert gettext("Use the link that you were sent.") in page
