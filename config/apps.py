from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The composition root: the pages and commands that need all apps at once."""

    name = "config"
