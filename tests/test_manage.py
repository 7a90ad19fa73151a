"""The two ends of an error: here the terminal's; the form's are tested where the forms are."""

from __future__ import annotations

import pytest

from tests.queueing import manage


@pytest.mark.slow
def test_what_a_person_can_mend_is_a_sentence_without_a_traceback():
    done = manage("check", VARIORUM_DEBUGG="1")
    said = done.communicate(timeout=60)[0]
    assert done.returncode == 1
    assert said.startswith("Unknown setting VARIORUM_DEBUGG.")
    assert "Traceback" not in said
