"""A wheel built from the checkout works where it is installed, without the checkout."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import PathDistribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import evalsite
from tests.evenhand.blocked_packages import BLOCKED

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
FILES = ("LICENSE", "README.md", "mkdocs.yml", "pyproject.toml", "setup.py")
FOLDERS = ("evalsite", "evenhand", "judging", "rankings", "templates", "static", "requirements")
DOCS_SITE = "evalsite/docs_site/"
INSIDE_EVALSITE = ("templates", "static", "requirements")
SETTINGS_OF_TESTS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "EVENHAND_DATA", "DJANGO_SETTINGS_MODULE")
ANSWERS = "context,attribute,first,second,p_first\nfamiliar-01,coherence,a,b,0.75\nfamiliar-01,coherence,b,a,0.5\n"
PAGES = (
    *("/", "/datasets/", "/datasets/upload/", "/datasets/1/", "/datasets/1/new-run/", "/contexts/1/"),
    *("/datasets/1/results/", "/datasets/1/results/table/", "/datasets/1/results/methods/"),
    *("/datasets/1/agreement/", "/datasets/1/compare/", "/datasets/1/groups/"),
    *("/runs/", "/runs/1/", "/runs/1/comparisons/", "/runs/1/results/", "/runs/1/scores/", "/runs/1/diagnostics/"),
    *("/runs/1/curve/", "/judges/", "/judges/new/", "/prompts/", "/prompts/1/", "/campaigns/", "/campaigns/new/"),
    *("/account/", "/accounts/", "/api/docs/", "/api/datasets/1/report/", "/docs/", "/docs/reference/report/"),
    "/docs/reference/commands/",
)
OPEN_PAGES = """
import json
import sys

import django

django.setup()

from django.core.management import call_command
from django.contrib.staticfiles.finders import find
from django.template.loader import get_template
from django.test import Client

import evalsite, judging, rankings
from judging.models import User

asked = json.load(sys.stdin)
for command in asked["commands"]:
    call_command(*command, stdout=sys.stderr)
for name in asked["templates"]:
    get_template(name)
client = Client(SERVER_NAME="localhost")
sign_in = client.get("/account/sign-in/")
css = client.get("/static/css/site.css")
client.force_login(User.objects.create_superuser("ada"))
print(json.dumps({
    "packages": [module.__file__ for module in (evalsite, judging, rankings)],
    "sign_in": [sign_in.status_code, sign_in.content.decode()],
    "css": b"".join(css.streaming_content).decode(),
    "static": [name for name in asked["static"] if find(name)],
    "pages": {page: client.get(page).status_code for page in asked["pages"]},
}))
"""


def printed(*command, **options):
    """Standard output of a command that has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_in(folder):
    """The paths of all files in a folder, without compiled modules."""
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if "__pycache__" not in file.parts}


def packed_files():
    """The paths that the files of the checkout have in a wheel."""
    parents = {name: "evalsite/" if name in INSIDE_EVALSITE else "" for name in FOLDERS}
    return {f"{parent}{name}/{file}" for name, parent in parents.items() for file in files_in(ROOT / name)}


def without_built_files(files):
    """Return the files that are copied from the checkout: all but metadata and the site made from docs/."""
    return {file for file in files if ".dist-info/" not in file and not file.startswith(DOCS_SITE)}


class Installed:
    """An installed wheel: its folder, and how to run programs of it from an empty folder."""

    def __init__(self, folder, home):
        self.folder, self.home = folder, home
        self._environment = {name: value for name, value in os.environ.items() if name not in SETTINGS_OF_TESTS}
        self._environment |= {"PYTHONPATH": str(folder), "HOME": str(home)}
        self._environment |= {"DJANGO_SETTINGS_MODULE": "evalsite.settings"}

    def evenhand(self, *words):
        return self._run(self.folder / "bin" / "evenhand", *words)

    def python(self, program, *, given=""):
        return self._run("-c", program, input=given)

    def _run(self, *command, **options):
        return printed(sys.executable, *command, cwd=self.home, env=self._environment, **options)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, because setuptools leaves files in the folder where it builds."""
    source, wheels = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    for name in FILES:
        shutil.copy(ROOT / name, source)
    for name in (*FOLDERS, "docs"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    printed(*pip, "--wheel-dir", wheels, source)
    return next(wheels.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("home")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--no-index")
    printed(*pip, "--target", folder, wheel)
    return Installed(folder, home)


@pytest.fixture(scope="module")
def served(installed, tmp_path_factory):
    """Serve the pages of an installation with the sample dataset and a run on it."""
    sample = installed.folder / "judging" / "demo" / "sample.jsonl"
    answers = tmp_path_factory.mktemp("answers") / "answers.csv"
    answers.write_text(ANSWERS)
    asked = {name: sorted(files_in(ROOT / name)) for name in INSIDE_EVALSITE} | {"pages": PAGES}
    asked["commands"] = [
        ("migrate", "--verbosity", "0"),
        ("import_dataset", str(sample), "--name", "Sample"),
        ("import_comparisons", str(answers), "--dataset", "Sample", "--judge", "recorded"),
    ]
    return json.loads(installed.python(OPEN_PAGES, given=json.dumps(asked)))


@pytest.fixture(scope="module")
def metadata(installed):
    return PathDistribution(next(installed.folder.glob("evenhand-*.dist-info")))


def test_wheel_has_every_file_of_the_packages_and_no_other(wheel):
    assert without_built_files(ZipFile(wheel).namelist()) == packed_files()


def test_installed_wheel_serves_its_pages(installed, served):
    assert all(Path(file).is_relative_to(installed.folder) for file in served["packages"])
    assert served["sign_in"][0] == 200
    assert "<h1>Sign in</h1>" in served["sign_in"][1]
    assert served["css"] == (ROOT / "static" / "css" / "site.css").read_text()
    assert served["static"] == sorted(files_in(ROOT / "static"))
    assert served["pages"] == dict.fromkeys(PAGES, 200)


@pytest.mark.usefixtures("served")
def test_installed_wheel_keeps_its_data_in_the_home_folder(installed):
    assert without_built_files(files_in(installed.folder)) == packed_files() | {"bin/evenhand"}
    assert {"db.sqlite3", "secret-key"} <= files_in(installed.home / ".local" / "share" / "evenhand")


def test_version_is_that_of_the_package(installed, metadata):
    printed_versions = [installed.evenhand("--version").strip(), installed.evenhand("report", "--version").strip()]

    assert metadata.version == evalsite.__version__
    assert printed_versions == [evalsite.__version__] * 2


def test_manage_py_prints_the_version_of_the_checkout():
    assert printed(sys.executable, "manage.py", "--version", cwd=ROOT) == f"{evalsite.__version__}\n"


def test_wheel_needs_numpy_and_scipy_alone_and_has_extras(metadata):
    needed = [one for one in map(Requirement, metadata.requires) if not one.marker]

    assert {one.name for one in needed} == {"numpy", "scipy"}
    assert set(metadata.metadata.get_all("Provides-Extra")) == {"app", "judge", "metrics", "dev"}


def test_installed_library_works_without_the_web_app(installed):
    told = installed.python(
        f"{BLOCKED}\nimport evenhand\nprint(evenhand.__file__)\n"
        "print(evenhand.Judgments(['c'], ['a'], ['b'], [0.9]).p_first().value)"
    )

    file, value = told.split()
    assert Path(file).is_relative_to(installed.folder)
    assert value == "1.0"
    assert (installed.folder / "evenhand" / "py.typed").is_file()
