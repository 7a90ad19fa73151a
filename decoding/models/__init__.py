from decoding.models.corpora import Corpus, Direction, Reference, Segment
from decoding.models.jobs import Job
from decoding.models.lists import (
    FailedSegment,
    ListEntry,
    ListPair,
    TranslationList,
    TuningCell,
    TuningRun,
)
from decoding.models.ownership import Owned, OwnedQuerySet, Share
from decoding.models.recipes import Recipe, RecipeVersion
from decoding.models.systems import Pool, System

__all__ = [
    "Corpus",
    "Direction",
    "FailedSegment",
    "Job",
    "ListEntry",
    "ListPair",
    "Owned",
    "OwnedQuerySet",
    "Pool",
    "Recipe",
    "RecipeVersion",
    "Reference",
    "Segment",
    "Share",
    "System",
    "TranslationList",
    "TuningCell",
    "TuningRun",
]
