"""The addresses of the voting page's forms."""

from django import template
from django.template import Context
from django.urls import reverse

register = template.Library()


@register.simple_tag(takes_context=True)
def labelling_address(context: Context, name: str) -> str:
    """Return the named address of the campaign; in a preview, the preview's own, which stores nothing."""
    return context.get("preview_address") or reverse(name, args=[context["campaign"].pk])
