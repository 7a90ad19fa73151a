"""``python -m tests.commands`` writes docs/commands.md from what the commands say of themselves."""

from __future__ import annotations

import re
from argparse import SUPPRESS, HelpFormatter
from pathlib import Path

from django.core.management import get_commands, load_command_class

OURS = {"config", "decoding", "studies", "evaluation"}
PAGE = Path(__file__).resolve().parent.parent / "docs/commands.md"
_HEAD = """# The commands

Written from `--help` by `python -m tests.commands`; a test compares. `python manage.py` is the one
entry. Results go to standard output, progress to standard error; what is wrong is said in a sentence.
Text files may be gzipped.
"""
# What Django gives to every command.
_EVERYWHERE = {
    "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color",
    "--force-color", "--skip-checks", "--help",
}  # fmt: skip


def command_reference() -> str:
    """The page, as it should be."""
    apps = get_commands()
    parts = [_HEAD]
    for name in sorted(name for name, app in apps.items() if app in OURS):
        parser = load_command_class(apps[name], name).create_parser("manage.py", name)
        # As wide as the page, whatever the terminal is.
        parser.formatter_class = lambda prog: HelpFormatter(prog, width=96, max_help_position=34)
        for action in parser._actions:
            if _EVERYWHERE & set(action.option_strings):
                action.help = SUPPRESS
        said = re.sub(r"[ \t]+$", "", parser.format_help(), flags=re.MULTILINE).strip()
        indented = "\n".join(f"    {line}".rstrip() for line in said.splitlines())
        parts.append(f"## {name}\n\n{indented}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    PAGE.write_text(command_reference())
