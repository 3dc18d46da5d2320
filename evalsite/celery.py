"""The Celery app. Queues: `gpu` for judges on an accelerator, `default` for everything else."""

from __future__ import annotations

import os
from pathlib import Path

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.on_after_configure.connect
def make_broker_folders(sender: Celery, **kwargs: object) -> None:
    """Make the folders of the embedded broker. Redis has none."""
    for option, folder in sender.conf.broker_transport_options.items():
        if option in {"data_folder_in", "data_folder_out", "control_folder", "processed_folder"}:
            Path(folder).mkdir(parents=True, exist_ok=True)
