"""Rows of every installation: the three roles, the demo judge and the shipped prompts."""

from dataclasses import asdict

from django.contrib.auth.models import Group

from evenhand.engine import DEMO_MODEL
from evenhand.prompting.prompt_files import load_shipped_prompts
from judging.models import ROLES, Judge, Prompt


def install_reference_rows() -> None:
    """Create missing rows; existing rows stay as they are."""
    for role in ROLES:
        Group.objects.get_or_create(name=role)
    demo = {"backend": Judge.Backend.TRANSFORMERS, "model": DEMO_MODEL, "device": "cpu"}
    Judge.objects.get_or_create(name="demo", owner=None, defaults=demo)
    install_prompts()


def install_prompts() -> None:
    """Store each shipped prompt that is not stored yet, under its name and version."""
    for position, prompt in enumerate(load_shipped_prompts()):
        wording = asdict(prompt)
        key = {name: wording.pop(name) for name in ("name", "version")}
        Prompt.objects.get_or_create(**key, defaults=wording | {"position": position})
