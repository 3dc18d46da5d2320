"""The data card of a package: what it holds, how it was collected, and how to recompute its tables."""

from collections.abc import Sequence

from django.template.loader import render_to_string

from evalsite import __version__
from evenhand.formats.records import DatasetRecord
from judging.models import Dataset
from judging.services.publishing.croissant import Publication
from judging.services.publishing.dataset_facts import dataset_facts
from judging.services.publishing.package_files import WrittenFile
from judging.services.publishing.published_runs import PublishedRun
from judging.services.publishing.recompute import recompute_commands


def data_card(
    dataset: Dataset,
    record: DatasetRecord,
    runs: Sequence[PublishedRun],
    written: Sequence[WrittenFile],
    publication: Publication,
) -> str:
    """Return the card in Markdown. written: the files that it describes."""
    context = {
        "dataset": dataset,
        "facts": dataset_facts(dataset, record),
        "runs": runs,
        "written": written,
        "publication": publication,
        "version": __version__,
        "commands": recompute_commands(dataset.name, runs),
        "adaptive": [run for run in runs if run.run.hold_out is not None],
        "sampled": [run for run in runs if run.run.temperature or run.run.criteria_name or run.run.thinking],
        "renamed": [run for run in runs if run.judge != run.run.judge.name],
    }
    return render_to_string("judging/publishing/README.md", context)
