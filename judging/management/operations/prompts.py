"""The commands about prompts."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from evenhand.file_problems import InvalidFile
from evenhand.options import Option
from evenhand.prompting.methods import PROMPTED
from evenhand.prompting.prompt_files import read_prompt
from evenhand.refusals import Refused
from judging.management.command_files import read_source_files
from judging.management.operations.record import Operation
from judging.models import Prompt
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_library import add_prompt, new_prompt_problems


def list_prompts(
    *,
    method: Annotated[
        str | None, Option("Only the prompts of one method.", choices={name: name for name in PROMPTED}, if_none="all")
    ] = None,
) -> dict[str, Any]:
    """List every version of the prompts. --json prints their texts, which add_prompt reads."""
    prompts = Prompt.objects.filter(method=method) if method else Prompt.objects.all()
    return {"prompts": [asdict(prompt_text(prompt)) for prompt in prompts]}


def add_prompt_of_file(*, file: Annotated[Path, Option("The prompt (docs/how-to/prompts.md).")]) -> dict[str, Any]:
    """Store a prompt, or a new version of one, from a JSON object as described in docs/how-to/prompts.md."""
    [source] = read_source_files([file])
    try:
        prompt = read_prompt(source.read(), file=source.name)
    except InvalidFile as invalid:
        raise Refused(*map(str, invalid.problems), *_further_problems(invalid, source.name)) from invalid
    try:
        row = add_prompt(prompt)
    except Refused as refused:
        raise Refused(*(f"{source.name}: {problem}" for problem in refused.problems)) from refused
    return {"prompt": row.name, "version": row.version, "method": row.method}


def _further_problems(invalid: InvalidFile, file: str) -> Iterator[str]:
    """Yield the problems of the fields that could be read."""
    unread = {problem.field for problem in invalid.problems}
    for prompt in invalid.records:
        found = new_prompt_problems(prompt)
        yield from (f"{file}: {problem}" for problem in found if problem.partition(":")[0] not in unread)


def _listed(row: dict[str, Any]) -> str:
    return f"{row['name']}, version {row['version']}, {row['method']}"


PROMPTS = Operation(
    list_prompts,
    lambda result: map(_listed, result["prompts"]),
    examples=("prompts --method prepair", "prompts --json"),
)
ADD_PROMPT = Operation(
    add_prompt_of_file,
    lambda result: [f'prompt "{result["prompt"]}", version {result["version"]}, is stored for {result["method"]}'],
    examples=("add_prompt my-prompt.json", "add_prompt my-prompt.json --json"),
    placed=("file",),
)
