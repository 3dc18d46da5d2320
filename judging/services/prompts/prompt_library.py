"""Prompts: finding them by name, and adding those of people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.db import IntegrityError, transaction

from judging.exceptions import Refused
from judging.models import Prompt, User
from judging.models.judges import AFTER_SHIPPED
from judging.prompting.methods import METHODS, PROMPTED
from judging.prompting.templates import PromptText, prompt_problems

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SHIPPED_NAME = re.compile(rf"({'|'.join(map(re.escape, PROMPTED))})(-tie)?-\d+")
LONGEST_NAME = 100
HALF = re.compile("[\ud800-\udfff]")
LONGEST_TEXT = 50_000


def prompts_of(method: str, names: Sequence[str] = ()) -> list[Prompt]:
    """The latest version of each named prompt of a method, or the version after an @; without names, the default.

    Raises Refused with every name that is no prompt of the method.
    """
    prompts = list(Prompt.objects.filter(method=method))  # of each name, the latest version first
    if not prompts:
        raise Refused(f'method: "{method}" has no prompt; choose one of: {", ".join(METHODS)}')
    known = known_by_name(prompts)
    if not names:
        return [known[PROMPTED[method].default_prompt]]
    if unknown := [name for name in names if name not in known]:
        there = _names(prompts)
        raise Refused(*(f'prompt: "{name}" is no prompt of method {method}; there are: {there}' for name in unknown))
    return _each_once(known[name] for name in names)


def prompts_named(names: Sequence[str]) -> list[Prompt]:
    """As `prompts_of`, of whatever methods. Raises Refused with every name that is no prompt."""
    prompts = list(Prompt.objects.filter(method__in=METHODS))
    known = known_by_name(prompts)
    if unknown := [name for name in names if name not in known]:
        there = _names(prompts)
        raise Refused(*(f'prompt: there is no "{name}"; there are: {there}' for name in unknown))
    return _each_once(known[name] for name in names)


def known_by_name(prompts: Sequence[Prompt]) -> dict[str, Prompt]:
    """What people type -> the prompt: a name for its latest version, or with a version after an @.

    prompts: of each name, the latest version first.
    """
    latest = {prompt.name: prompt for prompt in reversed(prompts)}
    return latest | {f"{prompt.name}@{prompt.version}": prompt for prompt in prompts}


def _names(prompts: Iterable[Prompt]) -> str:
    return ", ".join(sorted({prompt.name for prompt in prompts}))


def _each_once(prompts: Iterable[Prompt]) -> list[Prompt]:
    return list({prompt.pk: prompt for prompt in prompts}.values())


def add_prompt(prompt: PromptText, *, user: User | None = None) -> Prompt:
    """Store a prompt, or a new version of one, for good. Raises Refused with everything that is wrong.

    user: who adds it; None for the command line, which may add a version of any prompt but those of Evenhand. All
    versions belong to whoever added the first.
    """
    if problems := problems_of(prompt, user=user):
        raise Refused(*problems)
    first = Prompt.objects.filter(name=prompt.name).order_by("version").first()
    row = Prompt(**asdict(prompt), owner=first.owner if first else user, position=AFTER_SHIPPED)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(f'name: "{row.label}" was taken meanwhile; load it and look again') from error
    return row


def problems_of(prompt: PromptText, *, user: User | None = None) -> list[str]:
    """Everything that keeps a prompt from being stored, each problem beginning with its field."""
    problems = _length_problems(prompt) + _name_problems(prompt, user)
    if prompt.method not in PROMPTED:
        return [*problems, f'method: "{prompt.method}" is unknown; choose one of: {", ".join(PROMPTED)}']
    if not PROMPTED[prompt.method].takes_own_prompts:
        return [
            *problems,
            f"method: {prompt.method} — it has the prompts that come with Evenhand; a metric reads no words",
        ]
    return problems + _space_problems(prompt) + prompt_problems(prompt)


def _space_problems(prompt: PromptText) -> list[str]:
    """Spaces that a judge would have to write, or have in its mouth, beside those that are meant."""
    labels = {name: getattr(prompt, name) for name in ("label_first", "label_second", "label_tie")}
    problems = [
        f'{name}: "{label}" — leave out the space after it; the judge would have to write that too'
        for name, label in labels.items()
        if label.strip() and label != label.rstrip()
    ]
    if prompt.answer_prefix == prompt.answer_prefix.strip():
        return problems
    return [
        *problems,
        f'answer_prefix: "{prompt.answer_prefix}" — leave out the spaces around it; one is put before it where it '
        "needs one, and the label words have those after it",
    ]


def may_add_version(prompt: Prompt, user: User) -> bool:
    """Whether this person may add a version of a prompt: its owner and admins, of what did not come with Evenhand."""
    is_theirs = prompt.owner_id is not None and prompt.owner_id == user.pk
    return not prompt.is_shipped and (user.is_admin or (user.is_researcher and is_theirs))


def _name_problems(prompt: PromptText, user: User | None) -> list[str]:
    if not NAME.fullmatch(prompt.name) or len(prompt.name) > LONGEST_NAME:
        return [
            f"name: {prompt.name!r} — give letters, digits, dots, hyphens and underscores, at most {LONGEST_NAME}, "
            "the first a letter or a digit"
        ]
    if SHIPPED_NAME.fullmatch(prompt.name):
        return [f'name: "{prompt.name}" — such names are kept for prompts that come with Evenhand; choose another']
    newest = Prompt.objects.filter(name=prompt.name).select_related("owner").order_by("-version").first()
    if newest is None:
        return [] if prompt.version == 1 else [f"version: {prompt.version} — a new name begins with version 1"]
    return _version_problems(prompt, newest, user)


def _version_problems(prompt: PromptText, newest: Prompt, user: User | None) -> list[str]:
    """What is wrong with a new version of a prompt that is there."""
    if user is not None and not may_add_version(newest, user):
        return [f'name: "{prompt.name}" is taken by a prompt of somebody else; choose another name']
    problems = []
    if prompt.version != newest.version + 1:
        problems.append(
            f'name: "{prompt.name}" is taken up to version {newest.version}; choose another name, or add it as '
            f"version {newest.version + 1}"
        )
    if prompt.method != newest.method:
        problems.append(
            f'method: {prompt.method} — "{prompt.name}" asks by {newest.method}, and so do its versions; choose '
            "another name"
        )
    return problems


def _length_problems(prompt: PromptText) -> list[str]:
    """Texts that do not fit into their columns, or that a database does not store."""
    texts = {name: text for name, text in asdict(prompt).items() if isinstance(text, str)}
    problems = [f"{name}: U+0000 in it — leave it out" for name, text in texts.items() if "\0" in text]
    problems += [f"{name}: half of a surrogate pair in it — leave it out" for name in texts if HALF.search(texts[name])]
    for name in sorted(texts.keys() - {"name", "method"}):
        longest = getattr(Prompt._meta.get_field(name), "max_length", None) or LONGEST_TEXT
        if len(texts[name]) > longest:
            problems.append(f"{name}: {len(texts[name]):,} characters — give at most {longest:,}")
    return problems
