"""Ctrl-C amid a query leaves a connection that takes no further one. The run is cancelled all the same."""

import pytest
from django.core.management.base import CommandError
from django.db import connection

from judging.management.commands.judge import Command
from judging.services.judges.loaded_engine import EngineHolder
from tests.factories import make_dataset, make_run

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="DATABASE_URL names no PostgreSQL"),
]


def interrupt_amid_a_query(settings):
    connection.connection.pgconn.send_query(b"SELECT 1")
    raise KeyboardInterrupt


def test_a_run_that_is_interrupted_while_its_judge_is_loaded_is_cancelled_and_free():
    run = make_run(make_dataset(candidates=(3,)))

    with pytest.raises(CommandError, match=f"run {run.pk} is cancelled; continue with: evenhand resume {run.pk}"):
        Command().judge_runs([run], holder=EngineHolder(interrupt_amid_a_query))

    run.refresh_from_db()
    assert (run.status, run.chunks.get().status) == ("cancelled", "pending")
