from __future__ import annotations

import pytest
from django.core.management import call_command

from decoding.models import Recipe
from evaluation.core.errors import InputError

pytestmark = pytest.mark.django_db


def add(name, *, n=3, penalty=0.2, **options):
    call_command("add_recipe", name, owner="rosa", n=n, penalty=penalty, **options)


def test_a_recipe_with_the_n_and_lambda_that_were_found(user, capsys):
    add("Tuned", reason="coverage 48.1")
    version = Recipe.objects.get(name="Tuned").newest
    assert (version.kind, version.length, version.order) == ("diverse", 5, 3)
    assert (version.penalty, version.reason) == (0.2, "coverage 48.1")
    assert version.author == user
    assert capsys.readouterr().out == "Tuned: diverse 5, n=3 λ=0.2.\n"


def test_what_is_refused_is_said_in_a_sentence(user):
    with pytest.raises(InputError, match=r"order: .* less than or equal to 9"):
        add("Nonsense", n=10)
    assert not Recipe.objects.filter(name="Nonsense").exists()
    with pytest.raises(InputError, match="Choose another name"):
        add("Five best")
