from django.urls import path

from decoding.views import jobs, sharing

app_name = "decoding"

urlpatterns = [
    path("jobs/", jobs.job_list, name="jobs"),
    path("jobs/self-test/", jobs.self_test, name="self-test"),
    path("jobs/<int:pk>/", jobs.job_page, name="job"),
    path("jobs/<int:pk>/cancel/", jobs.cancel, name="job-cancel"),
    path("jobs/<int:pk>/retry/", jobs.retry, name="job-retry"),
    path("share/<slug:kind>/<int:pk>/", sharing.share_page, name="share"),
    path("share/<slug:kind>/<int:pk>/stop/<int:share>/", sharing.stop_sharing, name="share-stop"),
]
