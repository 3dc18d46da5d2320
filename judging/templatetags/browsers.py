"""A filter for the list of one's sessions: which browser and system each is signed in from."""

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def browser(user_agent: str) -> str:
    """Return browser and system of a `User-Agent` header, such as "Firefox on Linux"."""
    program = _named_in(user_agent, {"Edg": "Edge", "OPR": "Opera", "Firefox": "", "Chrome": "", "Safari": ""})
    system = _named_in(user_agent, {"Windows": "", "Android": "", "iPhone": "", "iPad": "", "Mac OS": "", "Linux": ""})
    return f"{program or 'Another program'} on {system or 'another system'}"


def _named_in(text: str, names: Mapping[str, str]) -> str:
    """Return the first name that is in a text, in its plain form."""
    return next((plain or name for name, plain in names.items() if name in text), "")
