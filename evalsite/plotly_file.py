"""Find the one static file of plotly that pages need, in plotly's own package."""

from importlib.resources import files
from pathlib import Path

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

PLOTLY_JS = "plotly.min.js"


class PlotlyFinder(BaseFinder):
    """Finds `plotly/plotly.min.js` without importing plotly."""

    def __init__(self, app_names: object = None, *args: object, **kwargs: object) -> None:
        folder = Path(str(files("plotly"))) / "package_data"
        self.storage = FileSystemStorage(location=folder)
        self.storage.prefix = "plotly"  # type: ignore[attr-defined]

    def find(  # type: ignore[override]  # two overloads in Django's stubs, one function in Django
        self, path: str, find_all: bool = False, **kwargs: object
    ) -> list[str] | str:
        location = self.storage.path(PLOTLY_JS) if path == f"plotly/{PLOTLY_JS}" else None
        if find_all:
            return [location] if location else []
        return location or []

    def list(self, ignore_patterns: object) -> list[tuple[str, Storage]]:
        return [(PLOTLY_JS, self.storage)]
