"""The keys of the voting page. Buttons, shortcuts and the help table all read them from here."""

from __future__ import annotations

from django import template
from django.template import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

VOTE_KEYS = {
    "first": ("a", "1", "ArrowLeft"),
    "second": ("b", "2", "ArrowRight"),
    "tie": ("t", "e", "0"),
    "both-bad": ("x",),
    "cannot-judge": ("c",),
    "skip": ("s",),
    "undo": ("u",),
    "help": ("?",),
}
ARROWS = {"ArrowLeft": "←", "ArrowRight": "→"}


@register.simple_tag(takes_context=True)
def key_attributes(context: Context, action: str) -> SafeString:
    """Return the attributes of a button that these keys press, if the user votes by keys.

    static/js/press_by_key.js reads `data-keys`.
    """
    if not context["user"].single_keys:
        return SafeString()
    keys = VOTE_KEYS[action]
    shortcuts = " ".join(_key_name(key) for key in keys)
    return format_html(' data-keys="{}" aria-keyshortcuts="{}"', " ".join(keys), shortcuts)


@register.simple_tag(takes_context=True)
def key_hint(context: Context, action: str) -> SafeString:
    """Return the first key of an action for its button, if the user votes by keys."""
    if not context["user"].single_keys:
        return SafeString()
    return format_html(' <kbd aria-hidden="true">{}</kbd>', _key_name(VOTE_KEYS[action][0]))


@register.simple_tag(takes_context=True)
def number_key(context: Context, number: int) -> SafeString:
    """Return the attributes of a button that a number presses, if the user votes by keys."""
    if not context["user"].single_keys:
        return SafeString()
    return format_html(' data-keys="{0}" aria-keyshortcuts="{0}"', number)


@register.simple_tag
def all_keys(action: str) -> SafeString:
    """Return every key of an action, for the help table."""
    return format_html_join(" ", "<kbd>{}</kbd>", ((ARROWS.get(key, _key_name(key)),) for key in VOTE_KEYS[action]))


def _key_name(key: str) -> str:
    return key.upper() if len(key) == 1 else key
