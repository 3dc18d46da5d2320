"""The Celery app. Queues: `gpu` for judges on an accelerator, `default` for everything else."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from celery import Celery

if TYPE_CHECKING:
    from kombu.transport.redis import QoS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.on_after_configure.connect
def outlive_redis(sender: Celery, **kwargs: object) -> None:
    """Keep a worker alive if Redis is lost while the worker holds unacknowledged messages.

    kombu 5.7 closes such a connection twice. The second time it has no client left and fails to restore the messages,
    which would end the worker. They can be dropped, because the sweeper sends lost work again.
    The embedded broker needs no such patch.
    """
    if not (sender.conf.broker_url or "").startswith("redis"):
        return
    qos = import_module("kombu.transport.redis").QoS  # imported here: it loads a client that the embedded broker lacks

    def restore_or_drop(self: QoS, client: object = None) -> None:
        if self.channel.connection.client is None:
            self._delivered.clear()
        else:
            original(self, client)

    original = qos.restore_unacked
    qos.restore_unacked = restore_or_drop


@app.on_after_configure.connect
def make_broker_folders(sender: Celery, **kwargs: object) -> None:
    """Make the folders of the embedded broker. Redis has none."""
    for option, folder in sender.conf.broker_transport_options.items():
        if option in {"data_folder_in", "data_folder_out", "control_folder", "processed_folder"}:
            Path(folder).mkdir(parents=True, exist_ok=True)
