"""Names the packages of the wheel, and builds the documentation into it.

Three folders that lie at the top here are packed inside evalsite.
"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

TOP_LEVEL_FOLDERS = {f"evalsite.{name}": name for name in ("templates", "static", "requirements")}


class BuildWithDocs(build_py):
    """Builds the site from docs/: into the wheel, or into site/ of a checkout that is installed editable."""

    def run(self) -> None:
        super().run()
        site = Path("site") if self.editable_mode else Path(self.build_lib) / "evalsite" / "docs_site"
        command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site.resolve())
        subprocess.run(command, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})


setup(
    cmdclass={"build_py": BuildWithDocs},
    packages=[*find_packages(include=["evalsite*", "evenhand*", "judging*", "rankings*"]), *TOP_LEVEL_FOLDERS],
    package_dir=TOP_LEVEL_FOLDERS,
    package_data={
        "evenhand": ["prompting/prompts/*.json", "engine/endpoint/dialects/*.toml", "engine/demo_judge/*", "py.typed"],
        "judging": ["demo/*.jsonl", "demo/*.csv"],
        "rankings": ["citations/*.bib"],
        **{package: ["**/*"] for package in TOP_LEVEL_FOLDERS},
    },
)
