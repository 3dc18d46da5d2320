"""A new judge by page and API: who may add which."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from evenhand.options import read_options
from judging.models import Judge, User
from judging.services.judges.judge_setup import JUDGE_OPTIONS, add_judge


def add_judge_of(user: User, values: Mapping[str, Any]) -> Judge:
    """Store a judge of a person, within the person's rights. Raises Refused with every problem."""
    sources = None if user.is_admin else settings.RESEARCHERS_ADD
    return add_judge(user, settings.ENDPOINT_HOSTS, sources=sources, **read_options(JUDGE_OPTIONS, values))
