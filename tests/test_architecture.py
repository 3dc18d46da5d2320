"""The rules that a machine can keep: import order, migrations, settings in the docs, what the web process loads."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_imports_go_downwards_only():
    done = run(str(Path(sys.executable).parent / "lint-imports"))

    assert done.returncode == 0, done.stdout


@pytest.mark.django_db
def test_migrations_are_complete(django_db_setup):
    from django.core.management import call_command

    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_web_process_imports_no_library_of_judges():
    program = (
        "import sys, evalsite.wsgi, evalsite.urls, judging.tasks;"
        "print(sorted({'torch', 'transformers', 'nltk', 'rouge_score', 'sacrebleu'} & set(sys.modules)))"
    )

    done = run(sys.executable, "-c", program)

    assert done.stdout.strip() == "[]", done.stderr


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

    documented = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text()))

    assert sorted(read - documented) == []


def test_compose_file_has_the_services_of_the_layout():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    assert sorted(compose["services"]) == ["gpu-worker", "postgres", "redis", "web", "worker"]


def test_compose_health_check_asks_a_host_that_is_always_allowed():
    web = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]

    asked = re.search(r"http://(\w+):8000/healthz", web["healthcheck"]["test"][-1]).group(1)

    assert web["environment"]["ALLOWED_HOSTS"].split(",")[0] == asked


def test_dockerfile_has_no_complaints():
    done = run(str(Path(sys.executable).parent / "hadolint"), "Dockerfile")

    assert done.stdout == ""
    assert done.returncode == 0
