from django.apps import AppConfig
from django.db.models.signals import post_migrate


class DecodingConfig(AppConfig):
    name = "decoding"
    verbose_name = "Decoding"

    def ready(self) -> None:
        post_migrate.connect(_add_standard_recipes, sender=self)


def _add_standard_recipes(**kwargs) -> None:
    from decoding.actions.recipes import add_standard_recipes

    add_standard_recipes()
