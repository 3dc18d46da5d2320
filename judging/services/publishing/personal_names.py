"""Search free texts for names of accounts and for e-mail addresses."""

import re

from judging.models import User

EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w")


def may_name_a_person(text: str) -> bool:
    """Return True if a text holds an e-mail address, or the name of an account as a word."""
    if not text:
        return False
    names = User.objects.values_list("username", flat=True)
    return bool(EMAIL.search(text)) or any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names
    )
