"""The rules that a machine can keep: import order, migrations, settings in the docs, what the web process loads."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest

from rankings.analyses.record import analyses
from tests.pins import pinned_in

ROOT = Path(__file__).resolve().parent.parent
LINT_IMPORTS = str(Path(sys.executable).parent / "lint-imports")
PACKAGES = ("evalsite", "evenhand", "judging", "rankings")
# The pages in a browser, and figures that others published, belong to no single folder of code
TESTS_WITHOUT_CODE = {"browser", "browser/annotators", "evenhand/numerics/published"}


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def copy_of_the_packages(folder: Path) -> set[tuple[str, ...]]:
    """Copy our packages and their import contracts into a folder. Returns each package as its path."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "judge"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return {init.parent.relative_to(folder).parts for init in folder.rglob("__init__.py")}


def test_imports_go_downwards_only():
    done = run(LINT_IMPORTS)

    assert done.returncode == 0, done.stdout


NEXT_LAYERS = {
    "judging.models": "judging.services.runs.progress",
    "judging.services.plans": "judging.services.execution.slices",
    "judging.services.runs": "judging.tasks",
    "evenhand.engine.questions": "evenhand.engine.local.tensors",
    "evenhand.formats": "judging.models",
    "evenhand.prompting": "django",
    "evenhand.numerics": "rankings.loading",
    "evenhand.numerics.rankings": "evenhand.numerics.curves.draws",
    "judging.web": "rankings.loading",
    "rankings.report": "judging.tasks",
}


def test_a_new_module_of_any_package_may_import_neither_the_top_nor_the_next_layer(tmp_path):
    planted = [(f"{package}.planted", above) for package, above in NEXT_LAYERS.items()]
    for parts in copy_of_the_packages(tmp_path):
        above = "judging.models" if parts[0] == "evalsite" else "rankings.urls"
        planted.append((".".join((*parts, "upwards")), above))
    for module, above in planted:
        tmp_path.joinpath(*module.split(".")).with_suffix(".py").write_text(f"import {above}\n")

    done = run(LINT_IMPORTS, "--no-cache", cwd=tmp_path)

    assert [(module, above) for module, above in planted if f"{module} -> {above}" not in done.stdout] == []
    assert done.returncode == 1


@cache
def imports_of_rankings() -> grimp.ImportGraph:
    return grimp.build_graph("rankings", cache_dir=None)


def test_the_page_of_an_analysis_imports_that_of_no_other():
    """Else its command would load two."""
    pages = {analysis.blocks.__module__ for analysis in analyses().values()}
    graph = imports_of_rankings()

    assert {page: graph.find_upstream_modules(page) & pages for page in pages} == {page: set() for page in pages}


@pytest.mark.parametrize("package", ["rankings.run_questions", "rankings.dataset_questions"])
def test_an_analysis_with_two_files_imports_no_neighbour(package):
    graph = imports_of_rankings()
    modules = graph.find_children(package)

    imported = {(one, other) for one in modules for other in graph.find_modules_directly_imported_by(one) & modules}

    assert imported == {(f"{name}_page", f"{name}_report") for name in {one.rpartition("_")[0] for one in modules}}


def test_no_test_module_imports_another():
    """Test modules share through tests/factories.py, a conftest, or a module that holds no test."""
    importing = {
        str(path.relative_to(ROOT)): line
        for path in (ROOT / "tests").rglob("*.py")
        for line in path.read_text().splitlines()
        if re.match(r"\s*(from|import) tests[\w.]*\.test_|\s*from tests[\w.]* import .*\btest_", line)
    }

    assert importing == {}


def test_no_folder_of_code_has_more_than_22_modules():
    """Migrations and commands do not count: Django wants each in a module of one folder."""
    modules = Counter(
        str(path.parent.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if path.name != "__init__.py" and path.parent.name not in {"migrations", "commands"}
    )

    assert {folder: number for folder, number in modules.items() if number > 22} == {}


def test_folders_of_tests_mirror_those_of_code():
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}

    assert {str(folder) for folder in folders if not (ROOT / folder).is_dir()} == TESTS_WITHOUT_CODE


def test_paths_that_the_test_command_names_exist():
    named = re.findall(r"\btests/[\w./]+", (ROOT / "bin" / "test").read_text())

    assert [path for path in named if not (ROOT / path).exists()] == []
    assert len(named) > 5


@pytest.mark.django_db
def test_migrations_are_complete(django_db_setup):
    from django.core.management import call_command

    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


WEB = """
import sys
asked = set()

class Lacking:
    def find_spec(name, path, target=None):
        asked.add(name)
        if name in {lacking}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Lacking)
import evalsite.wsgi
pages = {{"judging.views", "rankings.report.views"}} - set(sys.modules)
import evalsite.urls, judging.tasks, judging.urls, rankings.urls, judging.management.commands.judge
print(pages, {{"torch", "transformers", "nltk", "rouge_score", "sacrebleu", "matplotlib"}} & asked)
"""


def test_web_process_starts_with_its_own_requirements_and_imports_its_pages_before_the_first_request():
    """Packages that only judges and metrics need are missing, and nothing asks for them or for pictures."""
    web, others = pinned_in("web"), pinned_in("judge", "metrics")
    lacking = [
        module
        for module, packages in packages_distributions().items()
        if not {name.lower().replace("_", "-") for name in packages} - (others.keys() - web.keys())
    ]

    done = run("env", "DJANGO_SETTINGS_MODULE=tests.settings", sys.executable, "-c", WEB.format(lacking=lacking))

    assert {"torch", "tokenizers", "sacrebleu"} <= set(lacking)
    assert (done.stdout.strip(), done.returncode) == ("set() set()", 0), done.stderr


def test_a_report_imports_no_task_queue():
    program = (
        "import sys, django; django.setup(); import rankings.management.commands.report;"
        "print(sorted({'celery', 'kombu', 'rest_framework.views'} & set(sys.modules)))"
    )

    done = run("env", "DJANGO_SETTINGS_MODULE=tests.settings", sys.executable, "-c", program)

    assert done.stdout.strip() == "[]", done.stderr


def test_every_environment_variable_is_documented():
    settings = (ROOT / "evalsite" / "settings.py").read_text()
    read = set(re.findall(r'env_\w+\("(\w+)"', settings)) | {"SECRET_KEY"}

    documented = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "reference" / "settings.md").read_text()))

    assert sorted(read - documented) == []


def test_dockerfile_has_no_complaints():
    done = run(str(Path(sys.executable).parent / "hadolint"), "Dockerfile")

    assert done.stdout == ""
    assert done.returncode == 0
