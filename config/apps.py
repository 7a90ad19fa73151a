from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ConfigConfig(AppConfig):
    """The composition root: the pages and commands that need all apps at once."""

    name = "config"

    def ready(self) -> None:
        # The kinds of jobs declare themselves in each app's tasks.py (decoding/jobs.py).
        autodiscover_modules("tasks")
