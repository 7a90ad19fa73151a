"""The demonstration: a corpus, a system, lists, a tuned surface and three studies, made on the
first start, so that whoever comes sees real work and not a picture of it.

Everything goes through the actions and jobs that people use. Each step looks whether its result is
there, so it can be interrupted at any moment and started again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from decoding.actions.corpora import import_corpus
from decoding.actions.deletion import delete_unless_used
from decoding.actions.jobs import cancel_job
from decoding.actions.lists import ask_for_lists
from decoding.actions.recipes import add_recipe, add_standard_recipes
from decoding.actions.training import ask_for_training
from decoding.actions.tuning import ask_for_tuning
from decoding.actions.weights import ask_for_weights
from decoding.following import follow
from decoding.models import Corpus, Job, Recipe, RecipeVersion, System, TuningRun, WeightTuning
from evaluation.actions import ask_for_report, publish
from evaluation.core.errors import VariorumError
from evaluation.core.report.slices import Slice
from evaluation.models import Analysis
from studies.actions.planning import create_study
from studies.actions.running import begin_study, stop_study
from studies.core.conduct import Conduct
from studies.core.design import Design
from studies.core.leaning import Leaning
from studies.models import Kind, Study
from studies.playing import play_study
from studies.queries.slots import unfinished_editing

SEED = 2013
TRAINING, DEV, NEWS = "Invented news, to train on", "Invented news, to tune on", "Invented news"
TRAINED, SYSTEM = "Invented news, before tuning", "Invented news, Orvish-English"
FINISHED = "Do diverse lists help? (simulated)"
TO_EDIT, TO_JUDGE = "Take part: write a sentence", "Take part: compare two sentences"
SYSTEMS = (TRAINED, SYSTEM)
STUDIES = (FINISHED, TO_EDIT, TO_JUDGE)
CONDITIONS = ("Five best", "Five diverse")
DIVERSE = "Five diverse of invented news"
DIVERSITY = {"order": 4, "penalty": 2.0}  # suit the scale of the tuned weights

Tell = Callable[[str], None]  # how far a step is, in a few words


@dataclass(frozen=True, slots=True)
class Size:
    """How large it all is; tests make a smaller one."""

    training: int = 2500  # sentence pairs
    dev: int = 60  # sentences to tune weights, n and lambda on
    news: int = 90  # sentences with lists
    sentences: int = 40  # of the finished study
    open_sentences: int = 8  # of those in which the visitor takes part
    draws: int = 3
    rounds: int = 3  # of tuning the weights
    tuned: int = 24  # sentences of the surface


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is made, for the terminal and for the landing page."""

    title: str
    made: Any = None  # the object, when it is there
    is_next: bool = False  # the first that is not


def is_wanted() -> bool:
    """Whether it is to be made, or to be gone on with, at this start."""
    return _note().exists() and _note().read_text() == "wanted"


def want() -> None:
    """Have it made at this start."""
    _note().write_text("wanted")


def _note() -> Path:
    # A file beside the database: whether to begin is asked before there is a database.
    return settings.DATA_DIR / "demonstration"


def owner() -> User:
    """The first administrator."""
    found = get_user_model().objects.filter(is_superuser=True).order_by("pk").first()
    if found is None:
        raise VariorumError(
            "There is no administrator who could own the demonstration. Make one first: "
            "manage.py createsuperuser"
        )
    return found


def steps(of: User) -> list[Step]:
    """What belongs to the demonstration, in the order in which it is made."""
    plans = Study.objects.filter(owner=of, name__in=STUDIES).defer("plan")
    studies = {study.name: study for study in plans}
    systems = {one.name: one for one in System.objects.filter(owner=of, name__in=SYSTEMS)}
    system = systems.get(SYSTEM)
    news = Corpus.objects.filter(owner=of, name=NEWS).first()
    finished = studies.get(FINISHED)
    report = Analysis.objects.filter(study=finished, published_at__isnull=False).first()
    surface = TuningRun.objects.filter(owner=of, system=system, corpus__name=DEV)
    found = [
        Step("Invent parallel text", news),
        Step("Train a system", systems.get(TRAINED)),
        Step("Tune its weights", system),
        Step("Make lists", news and news.lists.filter(system=system).first()),
        Step("Let a simulated crowd finish a study", finished if _is_over(finished) else None),
        Step("Analyse and publish it", report if finished else None),
        Step("Open two studies for you", _is_ready(studies.get(TO_JUDGE)) or None),
        Step("Tune n and λ", surface.filter(baseline__isnull=False).first() if system else None),
    ]
    following = next((step for step in found if step.made is None), None)
    return [replace(step, is_next=step is following) for step in found]


@dataclass(frozen=True, slots=True)
class Tour:
    """What the landing page shows of the demonstration."""

    steps: list[Step]
    studies: dict[str, Study]

    @property
    def is_complete(self) -> bool:
        return all(step.made is not None for step in self.steps)

    # What the pages are about, for templates.

    @property
    def corpus(self) -> Corpus:
        return self.steps[0].made

    @property
    def system(self) -> System:
        return self.steps[2].made

    @property
    def finished(self) -> Study:
        return self.studies[FINISHED]

    @property
    def to_edit(self) -> Study:
        return self.studies[TO_EDIT]

    @property
    def to_judge(self) -> Study:
        return self.studies[TO_JUDGE]

    @property
    def report(self) -> Analysis:
        return self.steps[5].made

    @property
    def surface(self) -> TuningRun:
        return self.steps[7].made


def tour_for(user: User) -> Tour | None:
    """The demonstration as it is now, for whoever may see it; None where there is none."""
    if not _note().exists() or _note().read_text() == "deleted" or not user.is_superuser:
        return None
    of = owner()
    found = Study.objects.filter(owner=of, name__in=STUDIES).defer("plan")
    return Tour(steps(of), {study.name: study for study in found})


def make(say: Callable[[int, int, str, float], None], *, here: bool, size: Size = Size()) -> None:
    """Make what is missing. ``say`` is told the step's number, of how many, words and seconds.

    With ``here`` the jobs are done in this process and not left to a worker.
    """
    of = owner()
    work = _Work(of, here, size)
    todo = [
        work.invent, work.train, work.tune_weights, work.make_lists, work.finish_study, work.report,
        work.open_studies, work.tune_diversity,
    ]  # fmt: skip
    for number, (do, step) in enumerate(zip(todo, steps(of), strict=True), start=1):
        began = monotonic()

        def tell(words: str, number=number, step=step, began=began) -> None:
            say(number, len(todo), f"{step.title}: {words}", monotonic() - began)

        do(tell)
    if _note().exists():
        _note().write_text("made")


def delete() -> None:
    """Delete all of it, and nothing else. What others made of it is in the way, and named."""
    of = owner()
    corpora = Corpus.objects.filter(owner=of, name__in=(TRAINING, DEV, NEWS))
    numbers = {corpus.pk for corpus in corpora}
    tunings = {
        tuning.job_id
        for kind in (WeightTuning, TuningRun)
        for tuning in kind.objects.filter(owner=of, corpus__in=numbers)
    }
    for job in Job.objects.filter(owner=of, state__in=(Job.State.QUEUED, Job.State.RUNNING)):
        if job.pk in tunings or job.parameters.get("corpus") in numbers:
            cancel_job(job)
    with transaction.atomic():  # all of it or, where something is in the way, nothing
        for study in Study.objects.filter(owner=of, name__in=STUDIES):
            study.delete()
        # Systems last, whose files do not come back.
        for owned in (*corpora, *System.objects.filter(owner=of, name__in=SYSTEMS)):
            delete_unless_used(owned)
        if not RecipeVersion.objects.filter(recipe__name=DIVERSE, lists__isnull=False).exists():
            Recipe.objects.filter(name=DIVERSE).delete()
    _note().write_text("deleted")


class _Work:
    """The steps, each of which begins at what is there."""

    def __init__(self, of: User, here: bool, size: Size) -> None:
        self.owner, self.here, self.size = of, here, size

    def invent(self, tell: Tell) -> None:
        from decoding.core.formats.segments import SegmentText
        from decoding.core.invented.text import LANGUAGE, invent_corpus

        sentences = invent_corpus(SEED, references=2)
        for name, count in (
            (NEWS, self.size.news), (TRAINING, self.size.training), (DEV, self.size.dev),
        ):  # fmt: skip
            drawn = list(islice(sentences, count))
            if not Corpus.objects.filter(owner=self.owner, name=name).exists():
                tell(f"{count:,} sentences")
                import_corpus(
                    (SegmentText(one.source, one.references) for one in drawn),
                    owner=self.owner,
                    name=name,
                    source_language=LANGUAGE,
                    target_language="en",
                    source_direction="ltr",
                    target_direction="ltr",
                    provenance="Invented by Variorum (manage.py invent_corpus).",
                )
        tell("done")

    def train(self, tell: Tell) -> None:
        if not System.objects.filter(owner=self.owner, name=TRAINED).exists():
            job = ask_for_training(
                self._corpus(TRAINING), owner=self.owner, name=TRAINED, notes="The demonstration's."
            )
            self._wait(job, tell)
        tell("done")

    def tune_weights(self, tell: Tell) -> None:
        if not System.objects.filter(owner=self.owner, name=SYSTEM).exists():
            trained, dev = self._system(TRAINED), self._corpus(DEV)
            tuning = WeightTuning.objects.filter(system=trained, corpus=dev, name=SYSTEM).first()
            if tuning is None:
                tuning = ask_for_weights(
                    trained, dev, owner=self.owner, name=SYSTEM, method="batch-mira",
                    rounds=self.size.rounds,
                )  # fmt: skip
            self._wait(tuning.job, tell)
        tell("done")

    def make_lists(self, tell: Tell) -> None:
        add_standard_recipes()
        if not Recipe.objects.filter(name=DIVERSE).exists():
            diverse = {"kind": RecipeVersion.Kind.DIVERSE, **DIVERSITY}
            add_recipe(DIVERSE, diverse, author=self.owner, reason="suits the system's weights")
        versions = [version for _, version in self._conditions()]
        job = ask_for_lists(self._corpus(NEWS), self._system(), versions, owner=self.owner)
        self._wait(job, tell)
        tell("done")

    def finish_study(self, tell: Tell) -> None:
        study = self._study(FINISHED, sentences=self.size.sentences, draws=self.size.draws)
        if not _is_over(study):
            play_study(
                study,
                Leaning(),
                seed=SEED,
                done=lambda answered, wanted: tell(f"{answered:,} of {wanted:,} answers"),
            )
            stop_study(study)
        tell("done")

    def report(self, tell: Tell) -> None:
        study = Study.objects.get(owner=self.owner, name=FINISHED)
        if not Analysis.objects.filter(study=study, published_at__isnull=False).exists():
            job = ask_for_report(study, Slice(), owner=self.owner)
            self._wait(job, tell)
            publish(Analysis.objects.get(pk=job.result["report"]), by=self.owner)
        tell("done")

    def open_studies(self, tell: Tell) -> None:
        self._study(TO_EDIT, sentences=self.size.open_sentences, draws=self.size.draws)
        study = self._study(TO_JUDGE, sentences=self.size.open_sentences, draws=1)
        play_study(study, Leaning(), seed=SEED, kinds=(Kind.EDITING,))
        tell("done")

    def tune_diversity(self, tell: Tell) -> None:
        dev, system = self._corpus(DEV), self._system()
        run = TuningRun.objects.filter(owner=self.owner, corpus=dev, system=system).first()
        if run is None:
            run = ask_for_tuning(
                owner=self.owner,
                corpus=dev,
                system=system,
                sample_size=self.size.tuned,
                orders=[2, 4],
                penalties=[0.5, 2.0, 5.0],
            )
        self._wait(run.job, tell)
        tell("done")

    # What the steps need of each other ----------------------------------------------------------

    def _corpus(self, name: str) -> Corpus:
        return Corpus.objects.get(owner=self.owner, name=name)

    def _system(self, name: str = SYSTEM) -> System:
        return System.objects.get(owner=self.owner, name=name)

    def _conditions(self) -> list[tuple[str, RecipeVersion]]:
        recipes = (CONDITIONS[0], DIVERSE)
        return [
            (condition, Recipe.objects.get(name=recipe).newest)
            for condition, recipe in zip(CONDITIONS, recipes, strict=True)
        ]

    def _study(self, name: str, *, sentences: int, draws: int) -> Study:
        """The study, running unless it is over."""
        study = Study.objects.filter(owner=self.owner, name=name).first()
        if study is None:
            study = create_study(
                owner=self.owner,
                name=name,
                corpus=self._corpus(NEWS),
                conditions=[
                    (condition, self._system(), version)
                    for condition, version in self._conditions()
                ],
                design=Design(
                    seed=SEED,
                    conditions=CONDITIONS,
                    sample_size=sentences,
                    stratified=True,
                    draws=draws,
                    judges=2,
                ),
                conduct=Conduct(eval_follows=True),
            )
        return study if _is_over(study) else begin_study(study)

    def _wait(self, job: Job, tell: Tell) -> None:
        follow(job, tell, here=self.here)


def _is_ready(study: Study | None) -> bool:
    """Whether there is something to judge."""
    return study is not None and not unfinished_editing(study.pk).exists()


def _is_over(study: Study | None) -> bool:
    return study is not None and study.state == Study.State.ENDED
