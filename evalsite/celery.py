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
    """Let a worker outlive the loss of Redis while it has messages in hand; nothing to do for folders.

    kombu (5.7) closes such a connection twice, and the second time fails to put back what it has in hand, as it has
    forgotten where Redis is. That would end the worker. Whose work they name is sent again by the sweeper.
    """
    if not (sender.conf.broker_url or "").startswith("redis"):
        return
    hands = import_module("kombu.transport.redis").QoS  # loads a client that the embedded broker does not need

    def put_back(self: QoS, client: object = None) -> None:
        if self.channel.connection.client is None:
            self._delivered.clear()
        else:
            usual(self, client)

    usual = hands.restore_unacked
    hands.restore_unacked = put_back


@app.on_after_configure.connect
def make_broker_folders(sender: Celery, **kwargs: object) -> None:
    """Folders of the embedded broker; nothing to do for Redis."""
    for option, folder in sender.conf.broker_transport_options.items():
        if option in {"data_folder_in", "data_folder_out", "control_folder", "processed_folder"}:
            Path(folder).mkdir(parents=True, exist_ok=True)
