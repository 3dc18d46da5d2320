"""Prompts: finding them by name, and adding new ones."""

import re
from collections.abc import Sequence
from dataclasses import asdict

from django.db import IntegrityError

from evenhand.prompting.methods import METHODS, PROMPTED
from evenhand.prompting.templates import PromptText, prompt_problems
from evenhand.refusals import Refused, did_you_mean, raise_if_any, unknown_choice
from judging.models import Prompt, User
from judging.models.activity_and_looks import Act
from judging.models.judges import AFTER_SHIPPED
from judging.services.activity import noted

FINE_TUNED = ("prometheus-absolute", "prometheus-relative", "judgelm")
"""Fine-tuned judges whose prompts come with Evenhand."""

VALID_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SHIPPED_NAME = re.compile(rf"({'|'.join(map(re.escape, (*PROMPTED, *FINE_TUNED)))})(-reply)?(-tie)?-\d+")
LONGEST_PROMPT_NAME = 100
HALF_SURROGATE = re.compile("[\ud800-\udfff]")
LONGEST_TEXT = 50_000


def prompts_of(method: str, names: Sequence[str] = ()) -> list[Prompt]:
    """Find prompts of a method by name: the latest version, or the version after an @.

    Without names, return the method's default prompt. Raises Refused with every unknown name.
    """
    prompts = list(Prompt.objects.filter(method=method))
    if not prompts:
        suggestion = did_you_mean(method, METHODS)
        raise Refused(f'method: "{method}" has no prompt{suggestion}; choose one of: {", ".join(METHODS)}')
    names = names or [PROMPTED[method].default_prompt]
    return find_prompts(prompts, names, unknown=f'prompt: "{{}}" is no prompt of method {method}')


def prompts_named(names: Sequence[str]) -> list[Prompt]:
    """Find prompts of any method by name, as `prompts_of` does. Raises Refused with every unknown name."""
    return find_prompts(list(Prompt.objects.filter(method__in=METHODS)), names, unknown='prompt: there is no "{}"')


def find_prompts(prompts: Sequence[Prompt], names: Sequence[str], *, unknown: str) -> list[Prompt]:
    """Return the prompts of these names, each once: "name" is the latest version, "name@version" that version.

    prompts: for each name, the latest version first. unknown: the problem of an unknown name, with {} for the name.
    Raises Refused with every unknown name.
    """
    known = {prompt.name: prompt for prompt in reversed(prompts)}
    known |= {f"{prompt.name}@{prompt.version}": prompt for prompt in prompts}
    there = ", ".join(sorted({prompt.name for prompt in known.values()}))
    problems = [
        f"{unknown.format(name)}{did_you_mean(name, known)}; there are: {there}" for name in names if name not in known
    ]
    raise_if_any(problems)
    return list(dict.fromkeys(known[name] for name in names))


@noted(Act.CREATE, returned=True)
def add_prompt(prompt: PromptText, *, user: User | None = None) -> Prompt:
    """Store a prompt or a new version, which never changes afterwards. Raises Refused with every problem.

    user: the person who adds it; None for the command line, which may add versions of all prompts that did not come
    with Evenhand. All versions belong to the person who added the first.
    """
    raise_if_any(new_prompt_problems(prompt, user=user))
    first = Prompt.objects.filter(name=prompt.name).order_by("version").first()
    row = Prompt(**asdict(prompt), owner=first.owner if first else user, position=AFTER_SHIPPED)
    try:
        row.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(f'name: "{row.label}" was just taken; reload the page') from error
    return row


def new_prompt_problems(prompt: PromptText, *, user: User | None = None) -> list[str]:
    """Return every problem of a new prompt. Each begins with its field."""
    problems = _length_problems(prompt) + _name_problems(prompt, user)
    if prompt.method not in PROMPTED:
        return [*problems, unknown_choice("method", prompt.method, PROMPTED)]
    if not PROMPTED[prompt.method].takes_own_prompts:
        return [
            *problems,
            f"method: {prompt.method} — it has the prompts that come with Evenhand; a metric reads no words",
        ]
    return problems + _space_problems(prompt) + prompt_problems(prompt)


def _space_problems(prompt: PromptText) -> list[str]:
    """Find spaces at the ends of labels and answer prefix that would change the probabilities."""
    labels = {name: getattr(prompt, name) for name in ("label_first", "label_second", "label_tie")}
    problems = [
        f'{name}: "{label}" — leave out the space after it; the judge would have to write it too'
        for name, label in labels.items()
        if label.strip() and label != label.rstrip()
    ]
    if prompt.answer_prefix == prompt.answer_prefix.strip():
        return problems
    return [
        *problems,
        f'answer_prefix: "{prompt.answer_prefix}" — leave out the spaces around it; one is added before it if needed, '
        "and the label words begin with theirs",
    ]


def may_add_version(prompt: Prompt, user: User) -> bool:
    """Return True for the owner and admins. Shipped prompts get no further versions."""
    is_theirs = prompt.owner_id is not None and prompt.owner_id == user.pk
    return not prompt.is_shipped and (user.is_admin or (user.is_researcher and is_theirs))


def _name_problems(prompt: PromptText, user: User | None) -> list[str]:
    if not VALID_NAME.fullmatch(prompt.name) or len(prompt.name) > LONGEST_PROMPT_NAME:
        return [
            f"name: {prompt.name!r} — give letters, digits, dots, hyphens and underscores, at most "
            f"{LONGEST_PROMPT_NAME}, the first a letter or a digit"
        ]
    if SHIPPED_NAME.fullmatch(prompt.name):
        return [f'name: "{prompt.name}" — such names are reserved for prompts that come with Evenhand; choose another']
    newest = Prompt.objects.filter(name=prompt.name).select_related("owner").order_by("-version").first()
    if newest is None:
        return [] if prompt.version == 1 else [f"version: {prompt.version} — a new name begins with version 1"]
    return _version_problems(prompt, newest, user)


def _version_problems(prompt: PromptText, newest: Prompt, user: User | None) -> list[str]:
    """Return the problems of a new version of an existing prompt."""
    if user is not None and not may_add_version(newest, user):
        return [f'name: "{prompt.name}" is the name of another person’s prompt; choose another name']
    problems = []
    if prompt.version != newest.version + 1:
        problems.append(
            f'name: "{prompt.name}" is taken up to version {newest.version}; choose another name, or add it as '
            f"version {newest.version + 1}"
        )
    if prompt.method != newest.method:
        problems.append(
            f'method: {prompt.method} — "{prompt.name}" has method {newest.method} in all versions; choose another name'
        )
    return problems


def _length_problems(prompt: PromptText) -> list[str]:
    """Find texts that are too long for their columns, or that a database does not store."""
    texts = {name: text for name, text in asdict(prompt).items() if isinstance(text, str)}
    problems = [f"{name}: U+0000 in it — leave it out" for name, text in texts.items() if "\0" in text]
    halves = [name for name, text in texts.items() if HALF_SURROGATE.search(text)]
    problems += [f"{name}: half of a surrogate pair in it — leave it out" for name in halves]
    for name in sorted(texts.keys() - {"name", "method", "verdict_place"}):
        longest = getattr(Prompt._meta.get_field(name), "max_length", None) or LONGEST_TEXT
        if len(texts[name]) > longest:
            problems.append(f"{name}: {len(texts[name]):,} characters — give at most {longest:,}")
    return problems
