"""Static files as a server collects them: hashed names, which scripts import too."""

import re
from pathlib import Path

from django.core.management import call_command
from django.test import override_settings

RELATIVE_IMPORT = re.compile(r'^import .* from "(\./[^"]+)";$', re.MULTILINE)


def collect(folder: Path) -> None:
    """Collect our static files, without those of packages, into a folder, as `serve` does."""
    storages = {"staticfiles": {"BACKEND": "evalsite.compressed_static.CompressedStaticStorage"}}
    ours = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    with override_settings(STATIC_ROOT=str(folder), STORAGES=storages, STATICFILES_FINDERS=ours):
        call_command("collectstatic", interactive=False, verbosity=0)


def test_scripts_import_collected_files(tmp_path):
    collect(tmp_path)

    scripts = (tmp_path / "js").glob("*.js")
    imported = {script.parent / path for script in scripts for path in RELATIVE_IMPORT.findall(script.read_text())}

    assert sorted(file.name.split(".")[0] for file in imported) == ["outbox", "sending"]
    assert all(file.is_file() for file in imported)
