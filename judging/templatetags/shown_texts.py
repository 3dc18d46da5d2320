"""A filter for texts that annotators see."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString

from judging.web.markdown import render_shown_text

register = template.Library()


@register.filter
def as_markdown(text: str) -> SafeString:
    """Render a text that is Markdown as safe HTML."""
    return render_shown_text(text)


@register.filter
def browser(user_agent: str) -> str:
    """Return browser and system of a `User-Agent` header, such as "Firefox on Linux"."""
    program = _named_in(user_agent, {"Edg": "Edge", "OPR": "Opera", "Firefox": "", "Chrome": "", "Safari": ""})
    system = _named_in(user_agent, {"Windows": "", "Android": "", "iPhone": "", "iPad": "", "Mac OS": "", "Linux": ""})
    return f"{program or 'Another program'} on {system or 'another system'}"


def _named_in(text: str, names: Mapping[str, str]) -> str:
    """Return the first name that is in a text, in its plain form."""
    return next((plain or name for name, plain in names.items() if name in text), "")
