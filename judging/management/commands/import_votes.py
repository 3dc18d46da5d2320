"""`import_votes`: store votes that people gave elsewhere."""

from judging.management.import_judgments_command import ImportFromPeopleCommand


class Command(ImportFromPeopleCommand):
    help = "Store votes that people gave elsewhere, from a table or the export of a known tool; all or none."
    examples = (
        "import_votes votes.csv --dataset SummEval",
        "import_votes votes.csv --dataset SummEval --map choice=preferred --choice first=A --choice second=B --json",
    )
    noun = "votes"
