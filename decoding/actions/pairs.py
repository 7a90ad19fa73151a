"""Lists beside each other, for the lists browser (`ListPair`)."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection, transaction

from decoding.models import Segment

_AT_ONCE = 500  # lists; more would be a statement too long

# By the database alone, for as rows of ours they would take a tenth of the time of decoding.
_PAIR = """
    INSERT INTO decoding_listpair (
        baseline_id, other_id, corpus_id, system_id, baseline_version_id, other_version_id,
        segment_id, number, length, bleu1, baseline_coverage, other_coverage, gain
    )
    SELECT
        one.id, other.id, one.corpus_id, one.system_id, one.recipe_version_id,
        other.recipe_version_id, segment.id, segment.number, segment.length, one.first_bleu1,
        one.coverage, other.coverage, other.coverage - one.coverage
    FROM decoding_translationlist AS made
    JOIN decoding_segment AS segment ON segment.id = made.segment_id
    JOIN decoding_translationlist AS one
        ON one.segment_id = made.segment_id AND one.system_id = made.system_id
    JOIN decoding_translationlist AS other
        ON other.segment_id = made.segment_id AND other.system_id = made.system_id
    WHERE made.id IN ({made}) AND (one.id = made.id OR other.id = made.id)
    ON CONFLICT (baseline_id, other_id) DO NOTHING
"""


@transaction.atomic(savepoint=False)
def pair_lists(made: Mapping[int, int]) -> None:
    """Put new lists beside the others of their segments by the same systems, and beside themselves.

    Each list is given with its segment. To be called in the transaction that inserts the lists,
    wherever that is.
    """
    keys = list(made)
    for start in range(0, len(keys), _AT_ONCE):
        batch = keys[start : start + _AT_ONCE]
        _lock({made[key] for key in batch})
        with connection.cursor() as cursor:
            cursor.execute(_PAIR.format(made=", ".join(["%s"] * len(batch))), batch)


def _lock(segments: set[int]) -> None:
    """So that of two who write lists of one segment the later sees those of the earlier."""
    locked = Segment.objects.select_for_update(no_key=True).filter(pk__in=segments)
    list(locked.order_by("pk").values_list("pk"))
