"""Prompts for tests: shipped ones, and small new ones."""

from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.templates import PromptText


def shipped(name):
    return next(prompt for prompt in load_shipped_prompts() if prompt.name == name)


def prompt(template="<context> <A> <B>", **changes):
    return PromptText(
        **{"name": "mine", "version": 1, "method": "comparative", "template": template}
        | {"label_first": " A", "label_second": " B"}
        | changes
    )
