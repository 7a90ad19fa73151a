"""Which options of a command its page in docs/ does not name."""

from django.conf import settings
from django.core.management import BaseCommand, get_commands, load_command_class


def undocumented(command, page):
    parser = load_command_class(get_commands()[command], command).create_parser(
        "manage.py", command
    )
    common = BaseCommand().create_parser("manage.py", command)
    known = {option for action in common._actions for option in action.option_strings}
    own = {option for action in parser._actions for option in action.option_strings} - known
    text = (settings.BASE_DIR / "docs" / page).read_text()
    return {option for option in own if f"`{option}" not in text}
