# Celery's shared tasks bind to this application as soon as Django starts.
from config.celery import app as celery_app

__all__ = ["celery_app"]
