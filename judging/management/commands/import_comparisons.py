"""`import_comparisons`: bring in comparisons that a judge made elsewhere."""

from judging.formats import read_comparisons
from judging.management.import_command import ImportCommand
from judging.services.datasets.recorded_judgments import import_comparisons


class Command(ImportCommand):
    help = "Bring in comparisons that a judge made elsewhere, from CSV or JSON Lines; all of them or none."
    read = staticmethod(read_comparisons)
    store = staticmethod(import_comparisons)
