"""The URLs of the project: pages, /api/ and /docs/."""

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from evalsite.docs_site import docs_page

api_docs = SpectacularSwaggerSplitView.as_view(url_name="api-schema", template_name="api/docs.html")

# The apps are named by strings: evalsite imports neither of them.
urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("judging.urls")),
    path("", include("rankings.urls")),
    path("api/", include("judging.api.urls")),
    path("api/", include("rankings.api_urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("api/docs/", api_docs, name="api-docs"),
    path("docs/", docs_page, name="docs"),
    path("docs/<path:path>", docs_page, name="docs-page"),
]

handler400 = "judging.web.error_pages.bad_request"
handler404 = "judging.web.error_pages.not_found"
handler500 = "judging.web.error_pages.server_error"
