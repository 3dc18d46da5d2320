"""Serve the documentation that building the package made from docs/."""

from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.static import serve

from evalsite.command_help import with_help

PAGE_OF_COMMANDS = "reference/commands/"


@require_safe
def docs_page(request: HttpRequest, path: str = "") -> HttpResponseBase:
    """Return a page or file of the site. Raises Http404 if there is none."""
    site = Path(settings.DOCS_DIR)
    if not (site / "index.html").exists():
        return render(request, "docs_missing.html", status=404)
    if path and not path.endswith("/") and (site / path / "index.html").is_file():
        return HttpResponseRedirect(f"{request.path}/")
    if path == PAGE_OF_COMMANDS:
        return HttpResponse(with_help((site / path / "index.html").read_text(encoding="utf-8")))
    file = f"{path}index.html" if not path or path.endswith("/") else path
    return serve(request, file, document_root=str(site))
