"""What the documentation names is there, and what is there is named."""

from __future__ import annotations

import ast
import builtins
import json
import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from benchmarks.__main__ import REPORT, RESULTS
from benchmarks.report import report
from config import environment
from tests.commands import PAGE, command_reference

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


def test_the_command_reference_is_what_the_commands_say():
    assert PAGE.read_text() == command_reference(), "write it anew: python -m tests.commands"


def test_the_benchmark_report_has_every_kept_figure():
    made = report(RESULTS)
    for kept in RESULTS.glob("*.json"):
        assert f"\n## {kept.stem}\n" in made
        assert f"\n## {kept.stem}\n" in REPORT.read_text(), "python -m benchmarks --report"
        for row in json.loads(kept.read_text())["rows"]:
            assert f"| {row['name'].replace('|', chr(92) + '|')} |" in made


EXAMPLES = [
    pytest.param(code, id=f"{document}, {number}")
    for document, text in TEXT.items()
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S), start=1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_import_what_they_call(example):
    """What a reader brings (texts, lists of their own) may be missing, our own names may not."""
    tree = ast.parse(example)
    known = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            exec(compile(ast.Module([node], []), "example", "exec"), {})  # it is there
            known |= {alias.asname or alias.name for alias in node.names}
    called = {
        node.func.id if isinstance(node.func, ast.Name) else node.func.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (isinstance(node.func, ast.Name) or isinstance(node.func.value, ast.Name))
    }
    constants = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id.isupper()
    }
    made = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    assert called | constants <= known | made


def test_every_setting_is_documented():
    reader_asks_for = set(
        re.findall(r'"((?:VARIORUM_|ALLOWED_|DATABASE_|REDIS_|SECRET_)\w+)"',
                   Path(environment.__file__).read_text())
    )  # fmt: skip
    for_tests = {"VARIORUM_REFERENCE_DATA", "VARIORUM_TEST_DATABASE_URL"}
    for name in reader_asks_for - for_tests:
        assert name in TEXT["docs/operations.md"], name
