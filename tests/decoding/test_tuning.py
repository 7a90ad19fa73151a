"""Tuning n and lambda: a job in parts, its surface, a recipe of a cell."""

from __future__ import annotations

import csv
import html
import json
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from django.apps import apps
from django.urls import reverse

from decoding import migrations
from decoding.actions import jobs as job_actions
from decoding.actions.jobs import claim_job
from decoding.actions.tuning import ask_for_tuning, sample_of
from decoding.figures import list_figures
from decoding.forms.tuning import UseCellForm
from decoding.jobs import WorkerStops, run_claimed, worker_stops
from decoding.models import Job, RecipeVersion, TuningRun
from decoding.playground import list_by_decoding
from decoding.surfaces import cells_of, surface_answer, surface_table
from evaluation.core.statistics.choosing import gains, may_be_best
from evaluation.core.statistics.intervals import Bootstrap, ratio_of
from evaluation.core.statistics.systems import bleu_of, differences
from tests.decoding.test_playground import small  # noqa: F401 - a fixture
from tests.factories import make_corpus, make_tuning_run

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

SEGMENTS = [("das haus", ["the home"]), ("haus", []), ("haus das", ["that house"])] * 3


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(job_actions, "announce", lambda *keys: None)
    monkeypatch.setattr("decoding.parts.announce", lambda *keys: None)


@pytest.fixture
def corpus(user):
    return make_corpus(user, SEGMENTS)


@pytest.fixture
def tuned(user, corpus, small):  # noqa: F811
    run = ask_for_tuning(
        owner=user, corpus=corpus, system=small, objective="coverage", orders=[1, 2],
        penalties=[0.1, 1.0], length=2, sample_size=50, seed=7,
    )  # fmt: skip
    run_claimed(claim_job(run.job_id))
    run.refresh_from_db()
    return run


def test_a_second_click_gives_the_same_run(user, corpus, small):  # noqa: F811
    wanted = {
        "corpus": corpus, "system": small, "objective": "coverage", "orders": [1, 2],
        "penalties": [0.1, 1.0], "length": 2, "sample_size": 50, "seed": 7,
    }  # fmt: skip
    first = ask_for_tuning(owner=user, **wanted)
    assert ask_for_tuning(owner=user, **wanted) == first
    run_claimed(claim_job(first.job_id))
    assert ask_for_tuning(owner=user, **wanted | {"seed": 8}) != first
    assert ask_for_tuning(owner=user, **wanted) != first, "what is done may be measured again"


def coverage(system, corpus, **settings):
    segments = corpus.segments.filter(references__isnull=False).prefetch_related("references")
    version = RecipeVersion(length=2, **settings)
    figures = list_figures(
        [[one.text for one in list_by_decoding(system, version, s.source)] for s in segments],
        [[one.text for one in s.references.all()] for s in segments],
    )
    return sum(one.coverage for one in figures) / len(figures)


def test_every_cell_is_the_coverage_of_its_lists(tuned, corpus, small):  # noqa: F811
    job = Job.objects.get()
    assert (job.state, job.error) == ("done", "")
    assert (job.done, job.total) == (6, 6)
    cells = {(cell.order, cell.penalty): cell.value for cell in tuned.cells.all()}
    assert cells == {
        (order, penalty): pytest.approx(
            coverage(small, corpus, kind="diverse", order=order, penalty=penalty)
        )
        for order in (1, 2)
        for penalty in (0.1, 1.0)
    }
    assert tuned.baseline == pytest.approx(coverage(small, corpus, kind="unique-best"))
    assert tuned.signature
    best = surface_table(cells_of(tuned)).best
    assert (job.result["best n"], job.result["best λ"]) == (best.order, best.penalty)


@pytest.fixture
def measured(user, small):  # noqa: F811
    """As `tuned`, of enough segments for intervals, by an objective."""

    def measure(objective="coverage", size=12):
        run = ask_for_tuning(
            owner=user, corpus=make_corpus(user, SEGMENTS * 2), system=small, objective=objective,
            orders=[1, 2], penalties=[0.1, 1.0], length=2, sample_size=size, seed=7,
        )  # fmt: skip
        run_claimed(claim_job(run.job_id))
        run.refresh_from_db()
        return run

    return measure


@pytest.mark.parametrize(("objective", "width"), [("coverage", None), ("oracle", 10)])
def test_a_cell_keeps_what_each_segment_adds_and_how_sure_its_difference_is(
    measured, objective, width
):
    run = measured(objective)
    cells = list(run.cells.all())
    kept = [cell.by_segment for cell in cells] + [run.baseline_by_segment]
    assert {len(rows) for rows in kept} == {12}
    if width:
        assert {len(row) for rows in kept for row in rows} == {width}
        score = bleu_of
        rows = np.array(kept, dtype=float)
    else:
        score = ratio_of
        rows = np.stack([np.ones((5, 12)), np.array(kept)], axis=2)
    values = [cell.value for cell in cells]
    assert score(rows.sum(axis=1)).tolist() == pytest.approx([*values, run.baseline])
    # The intervals can be had again from what is kept.
    best = values.index(max(values))
    how = Bootstrap(**run.bootstrap)
    found = differences(rows, [(place, best) for place in range(4)], score, how)
    assert [(cell.low, cell.high) for cell in cells] == [
        pytest.approx((one.low, one.high)) for one in found
    ]
    assert [cell.tied for cell in cells] == may_be_best(rows[:4], score, how).tolist()
    gain = gains(rows[:4], rows[4], score, how)[best]
    assert (run.gain_low, run.gain_high) == pytest.approx((gain.low, gain.high))
    assert run.bootstrap["seed"] == run.seed == 7


def test_a_job_that_ends_between_its_last_part_and_its_figures_loses_nothing(
    user,
    corpus,
    small,  # noqa: F811
    monkeypatch,
):
    run = ask_for_tuning(
        owner=user, corpus=corpus, system=small, orders=[1], penalties=[0.1], sample_size=6
    )
    with monkeypatch.context() as patched:
        patched.setattr("decoding.tasks.tuning.save_surface", stop_the_worker)
        run_claimed(claim_job(run.job_id))
        worker_stops.clear()
    assert Job.objects.get(pk=run.job_id).state == "queued"
    run_claimed(claim_job(run.job_id))
    job = Job.objects.get(pk=run.job_id)
    assert (job.state, job.error) == ("done", "")
    assert run.cells.count() == 1
    assert not job.parts.exists()
    # So does one that ends between its figures and its end.
    Job.objects.filter(pk=job.pk).update(state="queued", claim=None, finished_at=None)
    run_claimed(claim_job(run.job_id))
    assert Job.objects.get(pk=run.job_id).state == "done"


def stop_the_worker(*args):
    worker_stops.set()
    raise WorkerStops


def test_the_page_says_which_cells_may_be_as_good(client, user, measured):
    run = measured()
    client.force_login(user)
    page = client.get(run.get_absolute_url()).content.decode()
    table = surface_table(cells_of(run))
    assert surface_answer(run, table) in html.unescape(page)
    assert "95% interval" in page
    assert "10,000 times by seed 7" in " ".join(page.split())
    assert page.count("≈") == len(table.winners.tied) + 1  # and where it says what that is
    spec = client.get(reverse("decoding:surface", args=[run.pk, "json"])).json()
    drawn = {(one["n"], one["lambda"]): one for one in spec["data"]["values"]}
    for cell in cells_of(run):
        one = drawn[cell.order, cell.penalty]
        assert (one["low"], one["high"]) == (cell.low, cell.high)
        assert one["tied"] == (cell in table.winners.tied)


def test_the_page_says_how_many_segments_were_drawn(client, user, measured):
    client.force_login(user)
    for asked, says in ((50, "12 of 50 asked for"), (12, "12")):
        run = measured(size=asked)
        page = client.get(run.get_absolute_url()).content.decode()
        assert f"<bdi>{says}</bdi>" in page
        listed = client.get(reverse("decoding:tuning")).content.decode()
        assert '<td class="number">12</td>' in listed
        assert '<td class="number">50</td>' not in listed


def test_too_few_segments_have_no_intervals_and_the_page_says_how_many_are_missing(
    client, user, tuned
):
    assert (tuned.drawn, tuned.gain_low) == (6, None)
    client.force_login(user)
    page = " ".join(client.get(tuned.get_absolute_url()).content.decode().split())
    assert "2 more segments with references needed" in page
    assert "≈" not in page


@pytest.mark.parametrize("alone", [False, True])
def test_a_run_from_before_cells_were_compared_together_says_so(client, user, run, alone):
    if alone:
        run.cells.update(low=-1, high=1)
    client.force_login(user)
    page = " ".join(client.get(run.get_absolute_url()).content.decode().split())
    assert "This run is from before all cells were compared together" in page
    assert "(−1.00 to 1.00)" not in page
    assert "The highest value is that of n = 4, λ = 0.2: 44.2, against 30.0 of unique" in page
    assert "≈" not in page
    rows = csv.DictReader(
        client.get(reverse("decoding:surface", args=[run.pk, "csv"])).content.decode().splitlines()
    )
    known = {(row["low"], row["tied_with_best"]) for row in rows}
    assert known == {("-1.0" if alone else "", "")}


def test_older_runs_learn_how_many_segments_they_drew(user, run):
    pending = TuningRun.objects.create(
        owner=user, corpus=run.corpus, system=run.system, orders=[1], penalties=[1], sample_size=5
    )
    TuningRun.objects.filter(pk=run.pk).update(sample_size=50)
    names = [module.name for module in iter_modules(migrations.__path__)]
    (name,) = [name for name in names if name.endswith("_tuning_by_segment")]
    import_module(f"{migrations.__name__}.{name}").count_drawn(apps, None)
    run.refresh_from_db()
    pending.refresh_from_db()
    assert (run.drawn, pending.drawn) == (6, None)


def test_the_rows_have_the_differences_with_their_intervals(client, user, measured):
    run = measured()
    client.force_login(user)
    answer = client.get(reverse("decoding:surface", args=[run.pk, "csv"]))
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    winners = surface_table(cells_of(run)).winners
    for row, cell in zip(rows, cells_of(run), strict=True):
        assert float(row["less_best"]) == cell.value - winners.best.value
        assert (float(row["low"]), float(row["high"])) == (cell.low, cell.high)
        assert row["tied_with_best"] == str(cell == winners.best or cell in winners.tied)
        assert (row["segments"], row["seed"]) == ("12", "7")
        assert float(row["gain_low"]) == run.gain_low


def test_the_form_says_which_cells_may_be_as_good(measured):
    run = measured()
    form = UseCellForm(run=run)
    told = sum("cannot be told apart" in label for _, label in form.fields["cell"].choices)
    assert told == len(surface_table(cells_of(run)).winners.tied)


def test_the_sample_is_drawn_by_the_seed(user, corpus):
    numbers = range(1, 1001)

    def sample(seed):
        return sample_of(TuningRun(sample_size=20, seed=seed), numbers)

    assert sample(1) == sample(1) == sorted(set(sample(1)))
    assert len(sample(1)) == 20
    assert sample(1) != sample(2)


def test_a_corpus_without_references_fails_with_a_sentence(user, small):  # noqa: F811
    run = ask_for_tuning(
        owner=user, corpus=make_corpus(user, [("das", [])]), system=small, orders=[1],
        penalties=[0.1], sample_size=5,
    )  # fmt: skip
    run_claimed(claim_job(run.job_id))
    assert "no references" in Job.objects.get().error


def test_of_equal_cells_the_best_has_the_smaller_n(user, corpus, small):  # noqa: F811
    run = make_tuning_run(user, corpus, small, n3_01=40, n2_02=40, n2_01=40, n4_01=39)
    table = surface_table(cells_of(run))
    assert (table.best.order, table.best.penalty) == (2, 0.1)
    assert table.penalties == [0.1, 0.2]
    assert [(n, [one and one.cell.value for one in row]) for n, row in table.rows] == [
        (2, [40, 40]), (3, [40, None]), (4, [39, None]),
    ]  # fmt: skip


def test_a_surface_whose_best_lambda_is_its_largest_says_so(client, user, corpus, small):  # noqa: F811
    client.force_login(user)
    for cells, rises in (({"n4_01": 40, "n4_02": 41}, True), ({"n4_01": 41, "n4_02": 40}, False)):
        run = make_tuning_run(user, corpus, small, **cells)
        page = client.get(reverse("decoding:tuning-run", args=[run.pk])).content.decode()
        assert ("Try larger ones" in page) == rises


@pytest.fixture
def run(user, corpus, small):  # noqa: F811
    return make_tuning_run(user, corpus, small, n4_01=31.5, n4_02=44.25)


@pytest.mark.parametrize(
    ("kind", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("csv", b"n,")]
)
def test_downloads(client, user, run, kind, begins):
    client.force_login(user)
    answer = client.get(reverse("decoding:surface", args=[run.pk, kind]))
    assert answer.content.startswith(begins)
    if kind == "csv":
        rows = list(csv.DictReader(answer.content.decode().splitlines()))
        assert [(row["n"], row["lambda"], row["coverage"]) for row in rows] == [
            ("4", "0.1", "31.5"), ("4", "0.2", "44.25"),
        ]  # fmt: skip


def test_the_specification_marks_the_best_cell(client, user, run):
    client.force_login(user)
    spec = json.loads(client.get(reverse("decoding:surface", args=[run.pk, "json"])).content)
    (values,) = [data["values"] for data in (spec["data"],)]
    assert [(one["n"], one["lambda"], one["best"]) for one in values] == [
        (4, 0.1, False), (4, 0.2, True),
    ]  # fmt: skip
    assert client.get(reverse("decoding:surface", args=[run.pk, "gif"])).status_code == 404


def test_a_cell_becomes_a_recipe(client, user, colleague, run):
    cell = run.cells.get(penalty=0.2)
    said = {"cell": cell.pk, "name": "Tuned"}
    client.force_login(colleague)
    assert client.post(reverse("decoding:use-cell", args=[run.pk]), said).status_code == 404
    client.force_login(user)
    client.post(reverse("decoding:use-cell", args=[run.pk]), said)
    run.refresh_from_db()
    version = run.recipe.newest
    assert (version.recipe.name, version.summary) == ("Tuned", "diverse 5, n=4 λ=0.2")
    assert "44.2" in version.reason or "44.3" in version.reason
    assert str(run.corpus) not in version.reason, "everybody reads it"
    page = client.post(reverse("decoding:use-cell", args=[run.pk]), said, follow=True)
    assert "there is a recipe named Tuned already" in page.content.decode()


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"penalties": "0.1, x"}, "Write numbers with commas"),
        ({"penalties": "nan"}, "λ is from 0 to 10"),
        ({"orders": ["10"]}, "Select a valid choice"),
        ({"sample_size": "0"}, "A number from 1 to 1000"),
        ({"length": "1"}, "A number from 2 to 20"),
        ({"penalties": ",".join(f"0.{n:03}" for n in range(1, 60))}, "100 cells are the most"),
    ],
)
def test_a_grid_that_makes_no_sense(client, user, corpus, small, said, says):  # noqa: F811
    client.force_login(user)
    good = {
        "system": small.pk, "corpus": corpus.pk, "objective": "coverage", "orders": ["2", "3"],
        "penalties": "0.1, 0.2", "length": 5, "sample_size": 10, "seed": 1,
    }  # fmt: skip
    page = client.post(reverse("decoding:start-tuning"), good | said)
    assert page.status_code == 422
    assert says in page.content.decode()
    assert not TuningRun.objects.exists()
    assert client.post(reverse("decoding:start-tuning"), good).status_code == 302
    assert TuningRun.objects.get().penalties == [0.1, 0.2]
