from django.apps import AppConfig


class DecodingConfig(AppConfig):
    name = "decoding"
    default_auto_field = "django.db.models.BigAutoField"
