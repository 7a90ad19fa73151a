from __future__ import annotations

import pytest

from decoding.actions.sharing import share_with
from decoding.management.naming import named
from decoding.models import Corpus
from evaluation.core.errors import InputError
from tests.factories import make_corpus

pytestmark = pytest.mark.django_db


def test_ones_own_comes_before_what_one_may_see(user, colleague, administrator):
    theirs = make_corpus(colleague, name="news")
    assert named(Corpus.objects, "news", owner=administrator) == theirs
    with pytest.raises(InputError, match="no corpus named news that rosa may see"):
        named(Corpus.objects, "news", owner=user)
    share_with(theirs, user=user, role="viewer")
    assert named(Corpus.objects, "news", owner=user) == theirs
    own = make_corpus(user, name="news")
    assert named(Corpus.objects, "news", owner=user) == own
    with pytest.raises(InputError, match="2 people have a corpus named news"):
        named(Corpus.objects, "news", owner=administrator)
