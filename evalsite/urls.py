"""Table of contents: pages, /api/, /admin/."""

from django.contrib import admin
from django.urls import include, path

from evalsite import views

urlpatterns = [
    path("", views.home, name="home"),
    path("favicon.ico", views.favicon),
    path("healthz", views.healthz, name="healthz"),
    path("", include("judging.urls")),
    path("", include("rankings.urls")),
    path("api/", include("evalsite.api_urls")),
    path("admin/", admin.site.urls),
]

handler400 = "evalsite.errors.bad_request"
handler404 = "evalsite.errors.not_found"
handler500 = "evalsite.errors.server_error"
