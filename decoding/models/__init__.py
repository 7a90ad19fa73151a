from decoding.models.jobs import Job
from decoding.models.ownership import Owned, OwnedQuerySet, Share

__all__ = ["Job", "Owned", "OwnedQuerySet", "Share"]
