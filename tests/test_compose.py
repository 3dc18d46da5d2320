"""The services of Compose: their limits, and that their processes start, get healthy and stop, without Docker."""

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
import yaml
from compose_spec import PyCompose

from tests.judging.workers import wait_until
from tests.pins import ROOT
from tests.servers import free_port, page_at, postgres_server, redis_binary

SERVICES = ["caddy", "gpu-worker", "postgres", "redis", "web", "worker"]
SECRETS = {"SECRET_KEY": "s" * 32, "POSTGRES_PASSWORD": "postgres1", "REDIS_PASSWORD": "redis1"}
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")


@pytest.fixture(scope="module")
def compose():
    """The file as JSON, with its variables filled in as Compose does."""
    file = json.dumps(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))
    return VARIABLE.sub(lambda part: SECRETS.get(part[1]) or part[2] or "", file)


def test_compose_file_keeps_to_the_specification(compose):
    assert sorted(PyCompose.from_json(compose).service_names()) == SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_compose_service_is_limited_and_stops_in_time(compose, name):
    service = json.loads(compose)["services"][name]

    assert {"mem_limit", "pids_limit", "stop_grace_period"} <= set(service)
    assert service["logging"]["options"] == {"max-size": "20m", "max-file": "5"}
    assert (service["restart"], service["read_only"], service["cap_drop"]) == ("unless-stopped", True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "healthcheck" in service or name.endswith("worker")  # a worker that judges answers no ping: /readyz looks


def test_compose_shows_only_the_proxy_to_other_machines_and_the_data_to_none(compose):
    services = json.loads(compose)["services"]

    ports = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert ports == {"caddy": ["80:80", "443:443"], "web": ["127.0.0.1:8000:8000"]}
    assert json.loads(compose)["networks"]["inside"] == {"internal": True}
    assert "--requirepass redis1 " in services["redis"]["command"]
    assert [services[name]["networks"] for name in ("postgres", "redis")] == [["inside"], ["inside"]]


@pytest.fixture
def postgres_port():
    """A PostgreSQL with the role and the database that its image makes."""
    with postgres_server(listen_addresses="127.0.0.1") as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE evenhand LOGIN")
            connection.execute("CREATE DATABASE evenhand OWNER evenhand")
        yield re.search(r":(\d+)/", server.url)[1]


@pytest.mark.slow
@pytest.mark.worker
def test_processes_of_the_compose_file_get_healthy_and_stop_in_time(compose, postgres_port, tmp_path):
    web, redis = str(free_port()), str(free_port())
    places = {"@postgres:5432": f"@127.0.0.1:{postgres_port}", "@redis:6379": f"@127.0.0.1:{redis}", ":8000": f":{web}"}
    for place, here in places.items():
        compose = compose.replace(place, here)
    services = json.loads(compose)["services"]
    [*_, of_the_image] = re.findall(r"^CMD (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    commands = {
        "redis": [redis_binary(), *services["redis"]["command"].split()[1:], "--port", redis],
        "web": [*services["web"]["command"].split(), "--port", web],
        "worker": json.loads(of_the_image),
    }
    paths = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "EVENHAND_DATA": str(tmp_path)}

    with ExitStack() as started:
        processes = {}
        for name, command in commands.items():
            process = subprocess.Popen(command, cwd=tmp_path, env=paths | services[name]["environment"])
            processes[name] = started.enter_context(process)
            started.callback(process.kill)
            if name == "web":
                wait_until(lambda: healthy(services["web"]), what="the web server is healthy")
        wait_until(lambda: page_at(f"http://localhost:{web}/readyz").status_code == 200, what="everything is ready")
        for name in reversed(commands):
            processes[name].terminate()
            assert processes[name].wait(seconds_in(services[name]["stop_grace_period"])) == 0


def healthy(service):
    check = [sys.executable, *service["healthcheck"]["test"][2:]]
    return subprocess.run(check, capture_output=True, check=False).returncode == 0


def seconds_in(period: str) -> int:
    return int(period[:-1]) * {"s": 1, "m": 60}[period[-1]]
