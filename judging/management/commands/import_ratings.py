"""`import_ratings`: store ratings that people gave elsewhere."""

from judging.management.import_judgments_command import ImportFromPeopleCommand


class Command(ImportFromPeopleCommand):
    help = "Store ratings that people gave elsewhere, one rater and candidate a line; all or none."
    examples = (
        "import_ratings ratings.csv --dataset SummEval",
        "import_ratings ratings.csv --dataset SummEval --map score=stars --map rater=worker --json",
    )
    noun = "ratings"
