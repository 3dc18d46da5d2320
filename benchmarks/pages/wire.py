"""Bytes that a browser fetches for a page, compressed as a server sends them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test import Client

FIRST_VISIT_GOAL, LATER_PAGE_GOAL = 600_000, 60_000
COMPRESSED_ENDINGS = {".css", ".js", ".json", ".svg", ".txt"}
_STATIC_FILE = re.compile(r'"/static/([^"?]+)')


def wire_bytes(client: Client, address: str) -> dict[str, int]:
    """Return the bytes of a page alone, and with every static file that it names, plotly included.

    Browsers keep static files, so a later page costs only itself.
    """
    page = client.get(address, headers={"accept-encoding": "gzip"})
    files = set(_STATIC_FILE.findall(client.get(address).content.decode()))
    return {"page": len(page.content), "first visit": len(page.content) + sum(map(_compressed_size, files))}


def _compressed_size(name: str) -> int:
    """Return the size of a static file as it is sent."""
    from django.contrib.staticfiles import finders

    from evalsite.compressed_static import QuickCompressor

    path = finders.find(name)
    if path is None:
        raise SystemExit(f"there is no static file {name}")
    content = Path(path).read_bytes()
    return len(QuickCompressor.compress_brotli(content)) if Path(name).suffix in COMPRESSED_ENDINGS else len(content)
