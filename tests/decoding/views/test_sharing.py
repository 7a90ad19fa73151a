from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.urls import reverse

from decoding.actions.jobs import submit_job
from decoding.actions.sharing import share_with
from decoding.models import Job, Share

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(user):
    return submit_job("self-test", owner=user, parameters={})


@pytest.fixture
def page(job):
    return reverse("decoding:share", args=["job", job.pk])


def cancel(client, job):
    return client.post(reverse("decoding:job-cancel", args=[job.pk])).status_code


def test_a_viewer_sees_but_does_not_change(client, colleague, job):
    share_with(job, user=colleague, role="viewer")
    client.force_login(colleague)
    assert client.get(job.get_absolute_url()).status_code == 200
    assert cancel(client, job) == 403


def test_an_editor_changes(client, colleague, job):
    share_with(job, user=colleague, role="editor")
    client.force_login(colleague)
    assert cancel(client, job) == 302


def test_sharing_by_username_and_taking_it_back(client, user, colleague, job, page):
    client.force_login(user)
    client.post(page, {"user": "kurt", "role": "viewer"})
    share = Share.objects.get()
    assert (share.user, share.role) == (colleague, "viewer")
    client.post(page, {"user": "kurt", "role": "editor"})
    share.refresh_from_db()
    assert share.role == "editor"
    client.post(reverse("decoding:share-stop", args=["job", job.pk, share.pk]))
    assert not Job.objects.visible_to(colleague).exists()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("nobody", "Nobody here has the username nobody"), ("rosa", "The owner has it already")],
)
def test_whom_one_cannot_share_with(client, user, page, name, sentence):
    client.force_login(user)
    answer = client.post(page, {"user": name, "role": "viewer"})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()


def test_nobody_passes_on_what_they_were_lent(client, colleague, job, page):
    share_with(job, user=colleague, role="editor")
    client.force_login(colleague)
    assert client.post(page, {"user": "rosa", "role": "editor"}).status_code == 403


def test_a_share_of_another_object_is_not_stopped_from_here(client, user, colleague, job):
    other = submit_job("self-test", owner=user, parameters={})
    share = share_with(other, user=colleague, role="viewer")
    client.force_login(user)
    client.post(reverse("decoding:share-stop", args=["job", job.pk, share.pk]))
    assert Share.objects.filter(pk=share.pk).exists()


def test_kinds_that_cannot_be_shared(client, user):
    client.force_login(user)
    assert client.get(reverse("decoding:share", args=["user", 1])).status_code == 404


def test_shares_go_with_their_object(colleague, job):
    share_with(job, user=colleague, role="viewer")
    job.delete()
    assert not Share.objects.exists()


def test_the_database_allows_one_share_for_each_person(colleague, job):
    share = share_with(job, user=colleague, role="viewer")
    share.pk = None
    with pytest.raises(IntegrityError):
        share.save(force_insert=True)
