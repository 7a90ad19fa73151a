#!/usr/bin/env python
"""The one entry to everything that Variorum does: ``python manage.py help`` lists it."""

import os
import sys


def main() -> None:
    """Hand the command line to Django; what a person can mend is one sentence, no traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from evaluation.core.errors import VariorumError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, VariorumError) as error:
        sys.exit(str(error))
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough.
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()
