from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from config import health, views

handler400 = "config.views.bad_request"
handler403 = "config.views.forbidden"
handler404 = "config.views.not_found"
handler500 = "config.views.server_error"

urlpatterns = [
    path("", views.home, name="home"),
    path("demonstration/delete/", views.delete_demonstration, name="delete-demonstration"),
    path("", include("decoding.urls")),
    path("", include("studies.urls")),
    path("", include("evaluation.urls")),
    path("account/login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("account/logout/", auth.LogoutView.as_view(), name="logout"),
    path("account/password/", auth.PasswordChangeView.as_view(), name="password_change"),
    path(
        "account/password/done/",
        auth.PasswordChangeDoneView.as_view(),
        name="password_change_done",
    ),
    path("admin/", admin.site.urls),
    path("favicon.ico", views.favicon),
    path("healthz", health.alive, name="alive"),
    path("readyz", health.ready, name="ready"),
]

if settings.ENVIRONMENT.styleguide:
    urlpatterns.append(path("styleguide", views.styleguide, name="styleguide"))

if settings.ENVIRONMENT.metrics:
    urlpatterns.append(path("", include("django_prometheus.urls")))
