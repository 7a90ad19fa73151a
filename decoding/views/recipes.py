from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from decoding.models import Recipe, TranslationList
from decoding.queries.recipes import newest_versions


@login_required
@require_GET
def recipe_list(request: HttpRequest) -> HttpResponse:
    return render(request, "decoding/recipes.html", {"versions": newest_versions()})


@login_required
@require_GET
def recipe_page(request: HttpRequest, pk: int) -> HttpResponse:
    recipe = get_object_or_404(Recipe, pk=pk)
    used = TranslationList.objects.filter(recipe_version=OuterRef("pk"))
    versions = recipe.versions.select_related("author", "recipe").annotate(is_used=Exists(used))
    return render(request, "decoding/recipe.html", {"recipe": recipe, "versions": versions})
