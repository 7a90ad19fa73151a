from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class DecodingConfig(AppConfig):
    name = "decoding"
    verbose_name = "Decoding"

    def ready(self) -> None:
        post_migrate.connect(_add_standard_recipes, sender=self)


def _add_standard_recipes(*, using: str, **kwargs) -> None:
    from decoding.actions.recipes import add_standard_recipes
    from decoding.models import Recipe

    # Not there yet, or no more, when only some migrations were applied.
    if Recipe._meta.db_table in connections[using].introspection.table_names():
        add_standard_recipes()
