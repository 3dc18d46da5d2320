"""`export_comparisons`: what a judge answered, as a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.engine import load_renderer
from judging.management.base import EvenhandCommand
from judging.management.command_files import written_whole
from judging.management.rows_by_name import find_run
from judging.services.exports.answer_rows import NUMBERS, columns_of, rows_of, rows_with_prompts
from judging.services.exports.file_writers import writer_for
from judging.services.judges.judge_setup import renderer_settings
from judging.services.plans.run_environment import is_tokenizer_known

NOT_KNOWN = (
    "{run} was begun before runs noted their tokenizer: whether its prompts were exactly these is not known; "
    "they are as the tokenizer and chat template found now make them"
)


class Command(EvenhandCommand):
    help = "Write a run's comparisons or scores as CSV, JSON Lines or Parquet, by the file's ending."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument("--output", required=True, type=Path, metavar="FILE", help=".csv, .jsonl or .parquet")
        parser.add_argument("--prompts", action="store_true", help="with exactly what the tokenizer was given")

    def run(self, options: dict[str, Any]) -> tuple[int, str, Path]:
        run, output = find_run(options["run"]), options["output"]
        write = writer_for(output.suffix, columns=columns_of(run, prompts=options["prompts"]), numbers=NUMBERS)
        if options["prompts"]:
            rows = rows_with_prompts(run, renderer=load_renderer(renderer_settings(run.judge)))
            if not is_tokenizer_known(run):
                self.note(NOT_KNOWN.format(run=run))
        else:
            rows = rows_of(run)
        with written_whole(output) as part:
            return write(rows, part), "scores" if run.is_scoring else "comparisons", output

    def show(self, result: tuple[int, str, Path]) -> None:
        count, noun, output = result
        self.stdout.write(f"{count} {noun} are in {output}")
