"""`import_scores`: bring in scores of a metric or a pointwise judge."""

from judging.formats import read_scores
from judging.management.import_command import ImportCommand
from judging.services.datasets.recorded_judgments import import_scores


class Command(ImportCommand):
    help = "Bring in scores of a metric or a pointwise judge, from CSV or JSON Lines; all of them or none."
    read = staticmethod(read_scores)
    store = staticmethod(import_scores)
