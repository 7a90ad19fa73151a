from django.urls import path

from evaluation import views

app_name = "evaluation"

urlpatterns = [
    path("reports/", views.report_list, name="reports"),
    path("reports/upload/", views.upload, name="upload"),
    path("reports/import/", views.import_bundle, name="import"),
    path("reports/together/", views.studies_together, name="together"),
    path("reports/together/report.json", views.together_json, name="together-json"),
    path(
        "reports/together/figures/<slug:name>.<slug:form>",
        views.together_figure,
        name="together-figure",
    ),
    path("reports/studies/<int:pk>/", views.study_report, name="study-report"),
    path("reports/studies/<int:pk>/peek/", views.peek_at, name="peek"),
    path(
        "reports/studies/<int:pk>/figures/<slug:name>.<slug:form>",
        views.study_figure,
        name="study-figure",
    ),
    path("reports/studies/<int:pk>/report.json", views.study_json, name="study-json"),
    path("reports/studies/<int:pk>/bundle.zip", views.bundle, name="bundle"),
    path("reports/studies/<int:pk>/publish/", views.publish_report, name="publish"),
    path("reports/files/<int:pk>/", views.file_report, name="file-report"),
    path(
        "reports/files/<int:pk>/figures/<slug:name>.<slug:form>",
        views.file_figure,
        name="file-figure",
    ),
    path("reports/files/<int:pk>/report.json", views.file_json, name="file-json"),
    path("reports/published/<uuid:code>/", views.published, name="published"),
    path(
        "reports/published/<uuid:code>/figures/<slug:name>.<slug:form>",
        views.published_figure,
        name="published-figure",
    ),
]
