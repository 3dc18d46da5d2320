"""`export_comparisons`: write the comparisons or scores of a run to a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.engine import load_renderer
from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_run
from judging.services.exports.file_writers import writer_for
from judging.services.exports.run_download_rows import NUMERIC_COLUMNS, answer_columns, answer_rows, rows_with_prompts
from judging.services.judges.judge_setup import renderer_settings
from judging.services.plans.run_environment import is_tokenizer_known

UNKNOWN_TOKENIZER_WARNING = (
    "{run} has no record of its tokenizer. These prompts are rendered with the present tokenizer and chat template; "
    "the judge may have read others."
)


class Command(EvenhandCommand):
    help = "Write the comparisons or scores of a run as CSV, JSON Lines or Parquet, by the ending of the file."
    examples = (
        "export_comparisons 7 --output coherence.csv",
        "export_comparisons 7 --output coherence.parquet --prompts",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        parser.add_argument("--output", required=True, type=Path, metavar="FILE", help=".csv, .jsonl or .parquet")
        parser.add_argument("--prompts", action="store_true", help="add the exact text that the tokenizer reads")

    def run(self, options: dict[str, Any]) -> tuple[int, str, Path]:
        run, output = get_run(options["run"]), options["output"]
        write = writer_for(
            output.suffix, columns=answer_columns(run, prompts=options["prompts"]), numbers=NUMERIC_COLUMNS
        )
        if options["prompts"]:
            rows = rows_with_prompts(run, renderer=load_renderer(renderer_settings(run.judge)))
            if not is_tokenizer_known(run):
                self.note(UNKNOWN_TOKENIZER_WARNING.format(run=run))
        else:
            rows = answer_rows(run)
        with replace_when_complete(output) as part:
            return write(rows, part), "scores" if run.is_scoring else "comparisons", output

    def show(self, result: tuple[int, str, Path]) -> None:
        count, noun, output = result
        self.stdout.write(f"{count} {noun} written to {output}")
