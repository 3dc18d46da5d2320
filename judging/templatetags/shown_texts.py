"""A filter for texts that annotators see."""

from django import template
from django.utils.safestring import SafeString

from judging.web.markdown import render_shown_text

register = template.Library()


@register.filter
def as_markdown(text: str) -> SafeString:
    """Render a text that is Markdown as safe HTML."""
    return render_shown_text(text)
