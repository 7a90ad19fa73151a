"""Segments of languages without blanks were taken for one word, or nearly."""

from django.db import migrations
from django.db.models import OuterRef, Q, Subquery

from decoding.core.corpus.words import count_words

_ROWS = 1000
_LANGUAGES = (
    Q(source_language__in=["ja", "zh"])
    | Q(source_language__startswith="ja-")
    | Q(source_language__startswith="zh-")
)


def recount(apps, schema_editor):
    database = schema_editor.connection.alias
    Corpus, Segment, ListPair = (
        apps.get_model("decoding", name).objects.using(database)
        for name in ("Corpus", "Segment", "ListPair")
    )
    for corpus in Corpus.filter(_LANGUAGES):
        segments, last = Segment.filter(corpus=corpus).order_by("number"), 0
        while rows := list(segments.filter(number__gt=last).only("number", "source")[:_ROWS]):
            for row in rows:
                row.length = count_words(row.source, corpus.source_language)
            Segment.bulk_update(rows, ["length"], batch_size=_ROWS)
            last = rows[-1].number
        lengths = Segment.filter(pk=OuterRef("segment_id")).values("length")
        ListPair.filter(corpus=corpus).update(length=Subquery(lengths))


class Migration(migrations.Migration):

    dependencies = [
        ('decoding', '0011_failed_segments_traceback'),
    ]

    operations = [
        migrations.RunPython(recount, migrations.RunPython.noop, elidable=True),
    ]
