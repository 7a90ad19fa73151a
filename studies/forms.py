from __future__ import annotations

from dataclasses import asdict, replace
from itertools import combinations

from django import forms
from django.db.models import Count

from decoding.display import NON_ASCII
from decoding.models import Corpus, TranslationList
from evaluation.core.errors import InputError
from studies.actions.notices import may_be_told
from studies.actions.planning import create_study, set_conditions, usual_design, write_wording
from studies.actions.running import amend_wordings
from studies.arrivals import may_lead_to
from studies.core.conduct import DISPLAY, Conduct
from studies.core.design import Design
from studies.core.entry import Entry, Item, Question
from studies.models import Kind, Study, Wording
from studies.wordings import training_for


def choices_of_lists(corpus: Corpus, user) -> list[tuple[str, str]]:
    """The lists that a condition can show: a system and a recipe, with how many lists there are."""
    rows = (
        TranslationList.objects.filter(corpus=corpus, system__in=_systems(user))
        .values(
            "system", "system__name", "recipe_version", "recipe_version__recipe__name",
            "recipe_version__number",
        )
        .annotate(n=Count("pk"))
        .order_by("system__name", "recipe_version__recipe__name", "recipe_version__number")
    )  # fmt: skip
    return [
        (
            f"{row['system']}-{row['recipe_version']}",
            "{system__name}: {recipe_version__recipe__name}, version {recipe_version__number} "
            "({n} lists)".format(**row),
        )
        for row in rows
    ]


def _systems(user):
    from decoding.models import System

    return System.objects.visible_to(user)


MOST_CONDITIONS = 6
_USUAL = ("best", "diverse")


class _Conditions(forms.Form):
    """Which lists are shown under which names: two conditions or more, the baseline first."""

    def __init__(self, *args, corpus: Corpus, user, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.corpus, self.user = corpus, user
        lists = choices_of_lists(corpus, user)
        for number in self.places:
            wanted = number <= 2
            which = "Baseline" if number == 1 else f"Condition {number}"
            self.fields[f"lists_{number}"] = forms.ChoiceField(
                label=f"{which}: lists",
                choices=lists if wanted else [("", "none"), *lists],
                required=wanted,
                initial=lists[number - 1][0] if wanted and len(lists) >= number else "",
            )
            self.fields[f"name_{number}"] = forms.CharField(
                label=f"{which}: name",
                max_length=60,
                required=wanted,
                help_text="" if wanted else "Saved, it makes room for one more.",
                initial=_USUAL[number - 1] if wanted else "",
            )

    @property
    def places(self) -> range:
        """One more than is filled in, up to six."""
        given = self.data if self.is_bound else self.initial
        filled = [n for n in range(1, MOST_CONDITIONS + 1) if given.get(f"lists_{n}")]
        return range(1, min(MOST_CONDITIONS, max(2, *filled, 0) + 1) + 1)

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """Name and lists of each condition that is filled in."""
        return [
            (self.cleaned_data[f"name_{number}"].strip(), self.cleaned_data[f"lists_{number}"])
            for number in self.places
            if self.cleaned_data[f"lists_{number}"]
        ]

    def clean(self):
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        for number in self.places[2:]:
            if cleaned[f"lists_{number}"] and not cleaned[f"name_{number}"]:
                self.add_error(f"name_{number}", "Name this condition.")
                return cleaned
        try:
            self.design = self.the_design()
        except InputError as error:
            raise forms.ValidationError(str(error)) from error
        return cleaned

    def the_design(self) -> Design:
        return Design(seed=1, conditions=tuple(name for name, _ in self.chosen))

    @property
    def conditions(self):
        from decoding.models import RecipeVersion, System

        made = []
        for name, lists in self.chosen:
            system, version = lists.split("-")
            made.append(
                (name, System.objects.get(pk=system), RecipeVersion.objects.get(pk=version))
            )
        return made


class NewStudyForm(_Conditions):
    """A name, and the lists of the conditions."""

    name = forms.CharField(max_length=100, help_text="Participants see it.")

    def clean_name(self):
        name = self.cleaned_data["name"].strip()
        if Study.objects.filter(owner=self.user, name=name).exists():
            raise forms.ValidationError("You have a study of this name. Choose another.")
        return name

    def create(self) -> Study:
        return create_study(
            owner=self.user,
            name=self.cleaned_data["name"],
            corpus=self.corpus,
            conditions=self.conditions,
            entry=training_for(self.corpus.target_language),
            design=usual_design(self.corpus, self.conditions),
        )


class ConditionsForm(_Conditions):
    """The conditions of a draft."""

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        initial = {}
        for one in study.conditions.all():
            initial[f"name_{one.place}"] = one.name
            initial[f"lists_{one.place}"] = f"{one.system_id}-{one.recipe_version_id}"
        super().__init__(
            *args, corpus=study.corpus, user=study.owner, **{"initial": initial} | kwargs
        )

    def the_design(self) -> Design:
        design, names = self.study.the_design, tuple(name for name, _ in self.chosen)
        kept = tuple(pair for pair in design.comparisons if {*pair} <= {*names})
        return replace(design, conditions=names, comparisons=kept)

    def apply(self, author) -> None:
        set_conditions(self.study, self.conditions)
        self.study.design = self.design.as_dict()
        self.study.save(update_fields=["design"])


class DesignForm(forms.Form):
    """The paper's section 9, and what may be otherwise."""

    seed = forms.IntegerField(
        min_value=0, max_value=2**53, help_text="The same seed gives the same plan."
    )
    sample_size = forms.IntegerField(label="Sentences", min_value=1, max_value=100_000)
    shortest_reference = forms.IntegerField(label="Shortest reference, in words", min_value=1)
    longest_reference = forms.IntegerField(label="Longest reference, in words", min_value=1)
    stratified = forms.BooleanField(
        label="As many sentences from each quartile of BLEU+1", required=False
    )
    excluded = forms.CharField(
        label="Segments to leave out",
        required=False,
        help_text="Their numbers, with commas between them.",
    )
    list_length = forms.IntegerField(label="Translations of a list to draw from", min_value=1)
    shown = forms.IntegerField(label="Translations shown in EDITING", min_value=1, max_value=9)
    draws = forms.IntegerField(
        label="Draws for each sentence and condition", min_value=1, max_value=20
    )
    distinct_draws = forms.BooleanField(label="No draw twice for a sentence", required=False)
    judges = forms.IntegerField(label="Judges for each pair", min_value=1, max_value=99)
    pairs_per_comparison = forms.IntegerField(
        label="Pairs of a sentence", min_value=1, required=False, help_text="Empty: all."
    )

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        design = study.the_design
        initial = {name: getattr(design, name) for name in self.base_fields if name != "excluded"}
        initial["excluded"] = ", ".join(map(str, study.excluded))
        super().__init__(*args, **{"initial": initial} | kwargs)
        # With two conditions there is nothing to choose.
        self.pairs = list(combinations(design.conditions, 2))
        if len(self.pairs) > 1:
            self.fields["comparisons"] = forms.MultipleChoiceField(
                label="Compared in EVAL",
                widget=forms.CheckboxSelectMultiple,
                choices=[(str(n), " with ".join(pair)) for n, pair in enumerate(self.pairs)],
                initial=[str(n) for n, pair in enumerate(self.pairs) if pair in design.compared],
            )

    def clean_comparisons(self):
        chosen = tuple(self.pairs[int(n)] for n in self.cleaned_data["comparisons"])
        return () if len(chosen) == len(self.pairs) else chosen

    def clean_excluded(self):
        try:
            return sorted(
                {int(part) for part in self.cleaned_data["excluded"].replace(",", " ").split()}
            )
        except ValueError:
            raise forms.ValidationError("Write numbers, such as 3, 17, 120.") from None

    def clean(self):
        cleaned = super().clean() or {}
        if not self.errors:
            changed = {name: value for name, value in cleaned.items() if name != "excluded"}
            try:
                self.design = replace(self.study.the_design, **changed)
            except InputError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def change(self) -> None:
        """The study as it would be: what follows is shown before it is saved."""
        self.study.design = self.design.as_dict()
        self.study.excluded = self.cleaned_data["excluded"]

    def apply(self, author) -> None:
        self.change()
        self.study.save(update_fields=["design", "excluded"])


class ConductForm(forms.Form):
    """Time, pay and limits."""

    tasks_per_participant = forms.IntegerField(
        label="Tasks for each participant", min_value=0, help_text="0: as many as there are."
    )
    pairs_per_judge = forms.IntegerField(
        label="Pairs of a sentence for each judge",
        min_value=1,
        help_text="1 keeps judgments of a sentence independent; more suits small pilots.",
    )
    editing_seconds = forms.IntegerField(label="Seconds for an EDITING task", min_value=30)
    eval_seconds = forms.IntegerField(label="Seconds for an EVAL task", min_value=30)
    undo_seconds = forms.IntegerField(
        label="Seconds in which a judgment can be taken back", min_value=0
    )
    most_passes = forms.IntegerField(
        label="People who can make no sense of a task before it is given up", min_value=1
    )
    check_every = forms.IntegerField(
        label="Judgments from one attention check to the next",
        min_value=0,
        help_text="0: none. A check shows a reference beside itself and another sentence.",
    )
    eval_follows = forms.BooleanField(
        label="Judge a sentence as soon as its edits are there",
        required=False,
        help_text="Otherwise all EDITING comes first.",
    )
    minutes_per_edit = forms.FloatField(label="Minutes expected for an edit", min_value=0.1)
    minutes_per_judgment = forms.FloatField(label="Minutes expected for a judgment", min_value=0.1)
    pay_per_hour = forms.FloatField(label="Pay for an hour", min_value=0)
    currency = forms.CharField(max_length=3)
    bonus_per_edit = forms.FloatField(label="Bonus for each edit", min_value=0)
    bonus_per_judgment = forms.FloatField(label="Bonus for each judgment", min_value=0)
    bonus_per_hour = forms.FloatField(
        label="Bonus for an hour",
        min_value=0,
        help_text="Of the time in which a person used the page. Bonuses come on top of what the "
        "platform pays for taking part.",
    )
    detokenize = forms.BooleanField(label="Put words and punctuation together", required=False)
    truecase = forms.BooleanField(label="Begin sentences with a capital", required=False)
    non_ascii = forms.ChoiceField(
        label="Characters that are not ASCII",
        choices=list(NON_ASCII.items()),
        help_text="Do not drop them from languages of other scripts.",
    )

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        super().__init__(*args, **{"initial": study.the_conduct.as_dict()} | kwargs)

    def clean(self):
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                self.conduct = Conduct(**cleaned)
            except InputError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def change(self) -> None:
        self.study.conduct = self.conduct.as_dict()

    def apply(self, author) -> None:
        self.change()
        self.study.save(update_fields=["conduct"])


class AmendForm(ConductForm):
    """The same once the plan stands: with a reason, and the texts as they are."""

    reason = forms.CharField(max_length=400, help_text="The report names it.")

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        for name in DISPLAY:
            self.fields[name].disabled = True

    def clean(self):
        reason = self.cleaned_data.pop("reason", "")
        cleaned = super().clean() or {}
        self.reason = reason
        return cleaned


class Lines(forms.CharField):
    """Several short texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 3})

    def prepare_value(self, value):
        return "\n".join(value) if isinstance(value, (list, tuple)) else value

    def to_python(self, value):
        return tuple(line.strip() for line in (value or "").splitlines() if line.strip())

    def validate(self, value):
        super().validate(value or "")

    def has_changed(self, initial, data):
        return self.to_python(data) != tuple(initial or ())


class QuestionForm(forms.Form):
    """A screening question; an empty one is none."""

    text = forms.CharField(label="Question", max_length=300)
    answers = Lines(label="Answers to choose from, one a line")
    admitted = Lines(label="Answers that let people in, one a line")

    def clean(self):
        cleaned = super().clean() or {}
        if not self.errors and self.has_changed():
            try:
                self.made = Question(**{name: cleaned[name] for name in self.base_fields})
            except InputError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned


class ItemForm(forms.Form):
    """A training item; an empty one is none."""

    kind = forms.ChoiceField(label="Task", choices=Kind.choices, initial=Kind.EDITING)
    texts = Lines(label="EDITING: the imperfect translations. EVAL: A and B. One a line")
    reference = forms.CharField(
        label="EVAL: the reference", widget=forms.Textarea(attrs={"rows": 1}), required=False
    )
    good = Lines(label="EDITING: good sentences, one a line. EVAL: a, b or same")
    why = forms.CharField(
        label="What is said afterwards", widget=forms.Textarea(attrs={"rows": 2}), required=False
    )

    def clean(self):
        cleaned = super().clean() or {}
        if not self.errors and self.has_changed():
            try:
                self.made = Item(**{name: cleaned[name] for name in self.base_fields})
            except InputError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned


_MOST = 20
QuestionSet = forms.formset_factory(QuestionForm, extra=1, can_delete=True, max_num=_MOST)
ItemSet = forms.formset_factory(ItemForm, extra=1, can_delete=True, max_num=_MOST)


class EntryForm(forms.Form):
    """Screening and training, which are frozen with the plan."""

    pass_mark = forms.IntegerField(
        label="Right answers that qualify",
        min_value=0,
        help_text="Of all training items. 0: training only, everybody goes on.",
    )
    attempts = forms.IntegerField(label="Attempts at the training", min_value=1, max_value=9)
    closeness = forms.FloatField(
        label="How close an edit must be to a good sentence",
        min_value=1,
        max_value=100,
        help_text="chrF2 from 1 to 100; 60 accepts another choice of words.",
    )

    def __init__(self, data=None, *args, study: Study, **kwargs) -> None:
        self.study = study
        entry = study.the_entry
        own = {name: getattr(entry, name) for name in self.base_fields}
        super().__init__(data, *args, **{"initial": own} | kwargs)
        initial = [[asdict(one) for one in part] for part in (entry.questions, entry.items)]
        self.sets = {
            "Screening questions": QuestionSet(data, prefix="questions", initial=initial[0]),
            "Training items": ItemSet(data, prefix="items", initial=initial[1]),
        }

    def full_clean(self):
        super().full_clean()
        if self.is_bound and not all(one.is_valid() for one in self.sets.values()):
            self.add_error(None, "Look at what is marked below.")

    def clean(self):
        cleaned = super().clean() or {}
        if not self.errors and all(one.is_valid() for one in self.sets.values()):
            questions, items = (
                tuple(
                    form.made
                    for form in forms_
                    if hasattr(form, "made") and not form.cleaned_data.get("DELETE")
                )
                for forms_ in self.sets.values()
            )
            try:
                self.entry = Entry(questions=questions, items=items, **cleaned)
            except InputError as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def change(self) -> None:
        self.study.entry = self.entry.as_dict()

    def apply(self, author) -> None:
        self.change()
        self.study.save(update_fields=["entry"])


class WordingsForm(forms.Form):
    """What participants are told."""

    consent = forms.CharField(widget=forms.Textarea, label="Consent")
    editing = forms.CharField(widget=forms.Textarea, label="Instructions for EDITING")
    eval = forms.CharField(widget=forms.Textarea, label="Instructions for EVAL")

    def __init__(self, *args, study: Study, **kwargs) -> None:
        self.study = study
        rows = Wording.objects.filter(study=study).order_by("version")
        initial = {row.kind: row.text for row in rows}
        super().__init__(*args, **{"initial": initial} | kwargs)
        if not study.is_draft:
            self.fields["reason"] = forms.CharField(
                max_length=400,
                label="Why they are changed",
                help_text="The plan stands, so this is an amendment. The report names it.",
            )

    def apply(self, author) -> None:
        texts = {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items()}
        reason = texts.pop("reason", "")
        if not self.study.is_draft:
            amend_wordings(self.study, texts, reason=reason, author=author)
            return
        for kind, text in texts.items():
            write_wording(self.study, kind, text)


class ArrivalForm(forms.ModelForm):
    """How people come, and where they go."""

    class Meta:
        model = Study
        fields = (
            "is_open",
            "interface",
            "prolific_study",
            "prolific_signed",
            "identity_parameter",
            "completion_address",
            "report_address",
            "report_secret",
            "code_parameter",
            "code_finished",
            "code_nothing_left",
            "code_left",
            "code_screened",
            "code_unqualified",
        )

    def __init__(self, *args, study: Study, **kwargs) -> None:
        super().__init__(*args, **{"instance": study} | kwargs)

    def clean_completion_address(self):
        address = self.cleaned_data["completion_address"]
        if address and not may_lead_to(address):
            raise forms.ValidationError(
                "This installation sends people only to platforms that its operator has named "
                "(VARIORUM_PLATFORMS). Ask them to add this one."
            )
        return address

    def clean_report_address(self):
        address = self.cleaned_data["report_address"]
        if address and not may_be_told(address):
            raise forms.ValidationError(
                "This installation reports only to platforms that its operator has named "
                "(VARIORUM_PLATFORMS). Ask them to add this one."
            )
        return address

    def apply(self, author) -> None:
        self.instance.save(update_fields=list(self.Meta.fields))


class ExcludeForm(forms.Form):
    reason = forms.CharField(max_length=400)


class InviteForm(forms.Form):
    count = forms.IntegerField(label="How many", min_value=1, max_value=1000, initial=10)


class CrowdForm(forms.Form):
    people = forms.IntegerField(min_value=1, max_value=2000, initial=40)
    seed = forms.IntegerField(min_value=0, initial=1)
