"""`import_comparisons`: store comparisons that a judge made elsewhere."""

from judging.management.import_judgments_command import ImportJudgmentsCommand


class Command(ImportJudgmentsCommand):
    help = "Store comparisons that a judge made elsewhere, from a table or a known log; all or none."
    examples = (
        "import_comparisons verdicts.csv --dataset LLMBar --judge gpt-4",
        "import_comparisons verdicts.csv --dataset LLMBar --judge gpt-4 --map choice=verdict --choice first=A "
        "--choice second=B --json",
        "import_comparisons replies.jsonl --dataset LLMBar --judge judgelm --verdict-pattern two-scores",
    )
    noun = "comparisons"
