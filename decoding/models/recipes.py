from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from decoding.validators import LARGEST_PENALTY, penalties_of, validate_penalties, validate_recipe

# Limits outside of which a setting makes no sense; validators.py has the advice within them.
LONGEST_LIST = 100
LARGEST_KBEST = 100_000
HIGHEST_ORDER = 9


class Recipe(models.Model):
    """How lists are made, whichever system makes them. All researchers here use the same ones.

    Its settings are those of its newest version. Versions never change: whoever changes a recipe
    adds a version, so the versions are its history, and a list made long ago still says how.
    """

    name = models.CharField(max_length=100, unique=True)
    notes = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("decoding:recipe", args=[self.pk])

    @property
    def newest(self) -> RecipeVersion:
        return self.versions.order_by("-number")[0]


class RecipeVersion(models.Model):
    """The settings of a recipe from one change to the next."""

    class Kind(models.TextChoices):
        UNIQUE_BEST = "unique-best", "unique best: the system's best different translations"
        DIVERSE = "diverse", "diverse: each decoded to differ from those before"
        POOL_BEST = "pool-best", "best of a pool: the first different uploaded translations"
        POOL_DIVERSE = "pool-diverse", "diverse from a pool: chosen from uploaded translations"

    USUAL_KBEST = 1000  # the paper's
    DECODED = (Kind.UNIQUE_BEST, Kind.DIVERSE)
    PENALIZED = (Kind.DIVERSE, Kind.POOL_DIVERSE)

    class Search(models.TextChoices):
        STANDARD = "standard", "standard: 1,000 candidates for each stack"
        THOROUGH = "thorough", "thorough: 5,000 candidates, about five times slower"

    recipe = models.ForeignKey(Recipe, models.CASCADE, related_name="versions", editable=False)
    number = models.PositiveIntegerField(editable=False, help_text="From 1.")
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.DIVERSE)
    length = models.PositiveIntegerField(
        "M, length of the list",
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_LIST)],
        help_text="How many translations a list shall hold.",
    )
    kbest = models.PositiveIntegerField(
        "K, derivations",
        default=USUAL_KBEST,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_KBEST)],
        help_text="Unique best: how many derivations are searched for different translations.",
    )
    order = models.PositiveSmallIntegerField(
        "n, order of the dissimilarity",
        default=4,
        validators=[MinValueValidator(1), MaxValueValidator(HIGHEST_ORDER)],
        help_text="Diverse: how long the word sequences are whose repetition is penalised.",
    )
    penalty = models.FloatField(
        "λ, weight of the dissimilarity",
        default=0.1,
        validators=[MinValueValidator(0.0), MaxValueValidator(LARGEST_PENALTY)],
        help_text="Diverse: how much model score a repeated sequence costs.",
    )
    per_list = models.PositiveIntegerField(
        "N, translations per decoding",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_KBEST)],
        help_text="Diverse: the N-best of each decoding are kept (M diverse × N best).",
    )
    penalties = models.CharField(
        "λ of each translation",
        max_length=400,
        blank=True,
        validators=[validate_penalties],
        help_text="Diverse: instead of one λ, what the sequences of the first, second, … "
        "translation cost in those after it, with commas; one for each but the last.",
    )
    distinct = models.BooleanField(
        "no translation twice",
        default=False,
        help_text="Diverse: each is the best that is not in the list yet. The paper's may repeat.",
    )
    from_graph = models.BooleanField(
        "from one search",
        default=False,
        help_text="Diverse: all are found in the graph of one search; faster in short lists, "
        "mostly the same.",
    )
    search = models.CharField(max_length=10, choices=Search, default=Search.STANDARD)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, editable=False, related_name="+",
        help_text="Who made this version; nobody for what Variorum came with.",
    )  # fmt: skip
    reason = models.CharField(max_length=200, blank=True, help_text="Why it was changed.")
    created_at = models.DateTimeField(auto_now_add=True)

    # What makes lists what they are; the rest says who, when and why.
    SETTINGS = (
        "kind", "length", "kbest", "order", "penalty", "penalties", "per_list", "distinct",
        "from_graph", "search",
    )  # fmt: skip

    class Meta:
        ordering = ["recipe", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["recipe", "number"], name="one_version_per_number"),
            models.CheckConstraint(
                condition=Q(kind__in=["unique-best", "diverse", "pool-best", "pool-diverse"])
                & Q(search__in=["standard", "thorough"]),
                name="recipe_kind_and_search_are_known",
            ),
            models.CheckConstraint(
                condition=Q(length__gte=1, length__lte=LONGEST_LIST)
                & Q(kbest__gte=F("length"))
                & Q(kbest__lte=LARGEST_KBEST)
                & Q(order__gte=1, order__lte=HIGHEST_ORDER)
                & Q(penalty__gte=0.0, penalty__lte=LARGEST_PENALTY)
                & Q(per_list__gte=1, per_list__lte=LARGEST_KBEST),
                name="recipe_settings_make_sense",
            ),
            models.CheckConstraint(
                condition=Q(distinct=False, from_graph=False)
                | Q(kind="diverse", distinct=True, from_graph=False)
                | Q(kind="diverse", distinct=False, from_graph=True, per_list=1),
                name="recipe_options_go_together",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recipe.name}, version {self.number}"

    def save(self, *args, **kwargs) -> None:
        if self.pk is not None:
            raise ValidationError("A version of a recipe never changes. Add a version.")
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        return self.recipe.get_absolute_url()

    def clean(self) -> None:
        validate_recipe(self)

    @property
    def settings(self) -> dict[str, str | int | float]:
        """As it is kept with every list."""
        return {name: getattr(self, name) for name in self.SETTINGS}

    @property
    def is_decoded(self) -> bool:
        """Whether a system of ours decodes; otherwise it is chosen from what was uploaded."""
        return self.kind in self.DECODED

    @property
    def is_penalized(self) -> bool:
        """Whether n and λ have a meaning."""
        return self.kind in self.PENALIZED

    @property
    def without_meaning(self) -> set[str]:
        """Settings that lists of this kind do not have."""
        found = {"order", "penalty", "penalties", "per_list"} if not self.is_penalized else set()
        found |= {"kbest"} if self.kind != self.Kind.UNIQUE_BEST else set()
        found |= {"search", "per_list"} if not self.is_decoded else set()
        return found | ({"penalty"} if self.penalties else {"penalties"})

    @property
    def strength(self) -> float | tuple[float, ...]:
        """λ, or the λ of each translation."""
        return penalties_of(self.penalties) or self.penalty

    @property
    def summary(self) -> str:
        """The settings that matter, as a table's heading: diverse 5, n=4 λ=0.1."""
        words = {
            self.Kind.UNIQUE_BEST: f"unique {self.length}-best",
            self.Kind.DIVERSE: f"diverse {self.length}",
            self.Kind.POOL_BEST: f"{self.length}-best of pool",
            self.Kind.POOL_DIVERSE: f"diverse {self.length} of pool",
        }[self.Kind(self.kind)]
        if self.is_penalized:
            shown = " ".join(f"{one:g}" for one in penalties_of(self.penalties) or [self.penalty])
            words += f", n={self.order} λ={shown}"
        if self.kind == self.Kind.UNIQUE_BEST and self.kbest != self.USUAL_KBEST:
            words += f" of {self.kbest:,} derivations"
        words += ", distinct" if self.distinct else ""
        words += ", from one search" if self.from_graph else ""
        if self.kind == self.Kind.DIVERSE and self.per_list > 1:
            words += f", {self.per_list}-best of each"
        if self.is_decoded and self.search == self.Search.THOROUGH:
            words += ", thorough search"
        return words
