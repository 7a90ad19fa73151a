"""The statements behind `handing_out`, written once, in SQL.

They run at every answer. Django writes a query anew each time, which takes it ten times as long as
the database takes to answer; on PostgreSQL these are besides planned once a connection. What
happens rarely is asked through the ORM as everywhere else. Column names are the models'; the tests
compare what is claimed with the rules of `studies.core.assignment`.
"""

from __future__ import annotations

from functools import cache
from string import Template
from typing import Any

from django.db import connection

Row = tuple[Any, ...]

# In what the two databases differ. All times are the database's.
_WORDS = {
    "postgresql": {
        "now": "statement_timestamp()",
        "later": "statement_timestamp() + make_interval(secs => %(patience)s)",
        "earlier": "statement_timestamp() - make_interval(secs => %(patience)s)",
        "seconds": "EXTRACT(EPOCH FROM statement_timestamp() - a.assigned_at)",
        # Keys never change: a row that points at what is locked may be written meanwhile.
        "lock": "FOR NO KEY UPDATE",
        "lock_p": "FOR NO KEY UPDATE OF p",
        "lock_s": "FOR NO KEY UPDATE OF s",
        # Slots that others are just taking are passed over instead of waited for.
        "skip": "FOR NO KEY UPDATE SKIP LOCKED",
    },
    # One writer at a time: there is nothing to lock, for the transaction has the whole database.
    "sqlite": {
        "now": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
        "later": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %(patience)s || ' seconds')",
        "earlier": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', -%(patience)s || ' seconds')",
        "seconds": "(JULIANDAY('NOW') - JULIANDAY(a.assigned_at)) * 86400.0",
        "lock": "",
        "lock_p": "",
        "lock_s": "",
        "skip": "",
    },
}

# What every answer has: the columns, and what goes into them.
_ANSWER = {
    "answer": """slot_id, task_id, participant_id, assignment_id, form_key, standing, assigned_at,
        answered_at, seconds, active_seconds, pauses, focus_losses""",
    "given": """a.slot_id, a.task_id, a.participant_id, a.id, %(key)s, %(standing)s, a.assigned_at,
        $now, $seconds, %(active_seconds)s, %(pauses)s, %(focus_losses)s""",
}


@cache
def _written(text: str, vendor: str) -> str:
    whole = Template(text).safe_substitute(_ANSWER)
    return Template(" ".join(whole.split())).substitute(_WORDS[vendor])


def _cursor() -> Any:
    if connection.vendor != "postgresql":
        return connection.cursor()
    # Values are sent beside the statement, so that the server knows it again and plans it once.
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    make: Any = ServerBindingCursor
    cursor = make(connection.connection)
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    return wrap(cursor)


class Statement:
    """One statement; `$words` are the database's own, `%(names)s` are given at the call."""

    def __init__(self, text: str) -> None:
        self.text = text

    def row(self, **values: object) -> Row | None:
        """Its first row."""
        with _cursor() as cursor:
            cursor.execute(_written(self.text, connection.vendor), values)
            found: Row | None = cursor.fetchone()
        return found

    def rows(self, **values: object) -> list[Row]:
        with _cursor() as cursor:
            cursor.execute(_written(self.text, connection.vendor), values)
            found: list[Row] = cursor.fetchall()
        return found

    def run(self, **values: object) -> int:
        """How many rows it changed."""
        with _cursor() as cursor:
            cursor.execute(_written(self.text, connection.vendor), values)
            changed: int = cursor.rowcount
        return changed


LOCK_PARTICIPANT = Statement("""
    SELECT p.study_id, p.state, p.kind, p.excluded_at IS NOT NULL, s.state, s.conduct
    FROM studies_participant p JOIN studies_study s ON s.id = p.study_id
    WHERE p.id = %(participant)s $lock_p
""")

# --- Out --------------------------------------------------------------------------------------

TASKS_DONE = Statement("""
    SELECT COUNT(*) FROM studies_assignment
    WHERE participant_id = %(participant)s AND state IN ('done', 'passed')
""")

HELD = Statement("""
    SELECT a.id, a.slot_id, a.task_id, a.kind, a.segment_id, a.turn, a.key, a.state, a.draft,
           t.texts, t.first_id, t.second_id, s.position, s.swapped
    FROM studies_assignment a
    JOIN studies_task t ON t.id = a.task_id JOIN studies_slot s ON s.id = a.slot_id
    WHERE a.participant_id = %(participant)s AND a.state = 'held'
""")

RENEW = Statement("""
    UPDATE studies_slot
    SET state = 'leased', participant_id = %(participant)s, expires_at = $later
    WHERE id = %(slot)s
      AND (state = 'open' OR (state = 'leased' AND participant_id = %(participant)s))
""")

LOSE = Statement("UPDATE studies_assignment SET state = 'lost' WHERE id = %(assignment)s")

HAS_RUN_OUT = Statement("""
    SELECT 1 FROM studies_slot
    WHERE study_id = %(study)s AND state = 'leased' AND expires_at < $now LIMIT 1
""")

# `studies.core.assignment.may_meet` says the same in plain words; for EDITING `pairs` is 1.
CLAIM = Statement("""
    UPDATE studies_slot
    SET state = 'leased', participant_id = %(participant)s, expires_at = $later
    WHERE id = (
        SELECT s.id FROM studies_slot s
        WHERE s.study_id = %(study)s AND s.kind = %(kind)s AND s.state = 'open'
          AND NOT EXISTS (
              SELECT 1 FROM studies_assignment a
              WHERE a.participant_id = %(participant)s AND a.segment_id = s.segment_id
                AND (a.kind = 'editing' OR a.turn >= %(pairs)s OR a.task_id = s.task_id)
          )
        ORDER BY s.position LIMIT 1 $skip
    )
    RETURNING id, task_id, segment_id
""")

# The turn counts judgments alone, and an editor has the first: so the constraint on turns refuses a
# judgment to who edited the sentence, and an edit to who judged it, whatever was claimed.
ASSIGN = Statement("""
    INSERT INTO studies_assignment
        (participant_id, slot_id, task_id, kind, segment_id, turn, key, state, assigned_at, draft)
    VALUES (
        %(participant)s, %(slot)s, %(task)s, %(kind)s, %(segment)s,
        (SELECT COUNT(*) + 1 FROM studies_assignment
         WHERE participant_id = %(participant)s AND segment_id = %(segment)s AND kind = 'eval'),
        %(key)s, 'held', $now, ''
    )
""")

STAY_WITH = Statement("UPDATE studies_participant SET kind = %(kind)s WHERE id = %(participant)s")

MAY_UNDO = Statement("""
    SELECT 1 FROM studies_judgment
    WHERE participant_id = %(participant)s AND standing = 'counted' AND answered_at > $earlier
    LIMIT 1
""")

# --- In ---------------------------------------------------------------------------------------

EDIT_RECEIVED = Statement("""
    SELECT standing FROM studies_edit
    WHERE form_key = %(key)s AND participant_id = %(participant)s
""")

JUDGMENT_RECEIVED = Statement("""
    SELECT standing FROM studies_judgment
    WHERE form_key = %(key)s AND participant_id = %(participant)s
""")

LOCK_SLOT = Statement("""
    SELECT a.id, a.task_id, a.segment_id, s.id, s.state, s.participant_id, s.passes, s.swapped,
           t.first_id, t.second_id
    FROM studies_assignment a
    JOIN studies_slot s ON s.id = a.slot_id JOIN studies_task t ON t.id = a.task_id
    WHERE a.key = %(key)s AND a.participant_id = %(participant)s AND a.kind = %(kind)s $lock_s
""")

EDITS_OF_PAIR = Statement("""
    SELECT task_id, id, text FROM studies_edit
    WHERE task_id IN (%(first)s, %(second)s) AND standing = 'counted' AND NOT erased
""")

ADD_EDIT = Statement("""
    INSERT INTO studies_edit
        ($answer, text, made_no_sense, keystrokes, deletions, pastes, pasted_characters,
         copied_from, erased)
    SELECT $given, %(text)s, %(made_no_sense)s, %(keystrokes)s, %(deletions)s, %(pastes)s,
           %(pasted_characters)s, %(copied_from)s, %(erased)s
    FROM studies_assignment a WHERE a.id = %(assignment)s
""")

ADD_JUDGMENT = Statement("""
    INSERT INTO studies_judgment
        ($answer, choice, first_id, second_id, swapped, saw_differences)
    SELECT $given, %(choice)s, %(first)s, %(second)s, %(swapped)s, %(saw_differences)s
    FROM studies_assignment a WHERE a.id = %(assignment)s
""")

# The draft of an answer that came is not needed any more.
SETTLE = Statement("""
    UPDATE studies_assignment SET state = %(state)s, draft = '' WHERE id = %(assignment)s
""")

FILL = Statement("""
    UPDATE studies_slot
    SET state = 'filled', participant_id = %(participant)s, expires_at = NULL WHERE id = %(slot)s
""")

PASS_ON = Statement("""
    UPDATE studies_slot
    SET state = %(state)s, participant_id = NULL, expires_at = NULL, passes = passes + 1
    WHERE id = %(slot)s
""")

KEEP_DRAFT = Statement("""
    UPDATE studies_assignment SET draft = %(text)s, draft_at = $now WHERE id = %(assignment)s
""")

# --- When a sentence can be judged (see sentences.py) -----------------------------------------

LOCK_GATE_OF_SENTENCE = Statement("""
    SELECT id FROM studies_slot
    WHERE study_id = %(study)s AND kind = 'eval' AND segment_id = %(segment)s
    ORDER BY id LIMIT 1 $lock
""")

EDITING_UNFINISHED = Statement("""
    SELECT 1 FROM studies_slot
    WHERE study_id = %(study)s AND kind = 'editing' AND segment_id = %(segment)s
      AND state IN ('waiting', 'open', 'leased') LIMIT 1
""")
