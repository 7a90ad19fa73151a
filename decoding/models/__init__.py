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
from decoding.models.measurements import Comparison, Measurement
from decoding.models.ownership import Owned, OwnedQuerySet, Share
from decoding.models.recipes import Recipe, RecipeVersion
from decoding.models.systems import Pool, System
from decoding.models.weights import WeightTuning

__all__ = [
    "Comparison",
    "Corpus",
    "Direction",
    "FailedSegment",
    "Job",
    "ListEntry",
    "ListPair",
    "Measurement",
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
    "WeightTuning",
]
