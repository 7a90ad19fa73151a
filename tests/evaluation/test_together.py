"""The page on which several studies are shown beside each other."""

from __future__ import annotations

import pytest
from django.urls import reverse

from decoding.models import Job
from evaluation.models import Analysis
from studies.actions.participants import exclude
from tests.evaluation.answered import make_answered
from tests.evaluation.test_views import no_heartbeat, work  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def studies(user):
    return [make_answered(user, sentences=12, seed=seed, judges=2) for seed in (1, 2, 3)]


@pytest.fixture
def signed_in(client, user):
    client.force_login(user)
    return client


def address(studies, name="together", **more):
    numbers = "&".join(f"study={study.pk}" for study in studies)
    return f"{reverse(f'evaluation:{name}')}?{numbers}" + "".join(
        f"&{name}={value}" for name, value in more.items()
    )


def test_reports_are_made_first_and_then_pooled(signed_in, studies):
    page = signed_in.get(address(studies)).content.decode()
    assert "Workers are making the reports" in page
    assert Job.objects.count() == 3
    work()
    asked = signed_in.get(address(studies), headers={"HX-Request": "true"})
    assert asked.headers["HX-Refresh"] == "true"
    page = signed_in.get(address(studies)).content.decode()
    assert "Over 3 studies, in the lowest quartile" in page
    for study in studies:
        assert str(study) in page
    assert page.count('class="chart"') >= 2
    assert Analysis.objects.count() == 3


def test_only_what_has_changed_is_made_again(signed_in, studies, django_assert_num_queries):
    signed_in.get(address(studies))
    work()
    with django_assert_num_queries(20):
        signed_in.get(address(studies))
    exclude(studies[0].participants.filter(judgments__isnull=False).first(), "slept")
    signed_in.get(address(studies))
    assert Job.objects.filter(state="queued").count() == 1
    work()
    assert Analysis.objects.count() == 4


@pytest.mark.parametrize(
    ("form", "start"),
    [("svg", b"<svg"), ("pdf", b"%PDF"), ("csv", b"study,group,"), ("json", b"{")],
)
def test_its_figures_can_be_had(signed_in, studies, form, start):
    signed_in.get(address(studies))
    work()
    query = address(studies).partition("?")[2]
    figure = reverse("evaluation:together-figure", args=["studies", form])
    assert signed_in.get(f"{figure}?{query}").content.startswith(start)


def test_all_its_figures_can_be_had_at_once(signed_in, studies):
    signed_in.get(address(studies))
    assert signed_in.get(address(studies, "together-json")).status_code == 404  # not made yet
    work()
    found = signed_in.get(address(studies, "together-json")).json()
    assert found["answer"] in signed_in.get(address(studies)).content.decode()
    kept = {one.report["facts"]["title"]: one.report for one in Analysis.objects.all()}
    assert [kept[str(study)] for study in studies] == found["reports"]


def test_the_address_holds_the_slice(signed_in, studies):
    signed_in.get(address(studies, groups=2))
    work()
    page = signed_in.get(address(studies, groups=2)).content.decode()
    assert "in the lowest half" in page
    assert reverse("evaluation:study-report", args=[studies[0].pk]) + "?groups=2" in page


def test_who_may_see_it(client, studies, colleague):
    assert client.get(address(studies)).status_code == 302
    client.force_login(colleague)
    assert client.get(address(studies)).status_code == 404


def test_what_is_hidden_stays_hidden(signed_in, studies, user):
    running = make_answered(user, sentences=4, ended=False)
    answer = signed_in.get(address([*studies, running]))
    assert answer.status_code == 400
    assert "are hidden until it ends" in answer.content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize("query", ["", "?study=1x", "?study=1"])
def test_addresses_that_name_no_studies(signed_in, query):
    answer = signed_in.get(reverse("evaluation:together") + query)
    assert answer.status_code in (400, 404)


def test_it_is_reached_from_the_list(signed_in, studies):
    page = signed_in.get(reverse("evaluation:reports")).content.decode()
    assert page.count('name="study"') == 3
    assert f'action="{reverse("evaluation:together")}"' in page
