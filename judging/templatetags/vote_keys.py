"""The voting page: addresses of its forms, keys and states of its buttons. The help table reads the same keys."""

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from judging.services.accounts.vote_keys import keys_of, shown_key

register = template.Library()

LARGEST_DIGIT = 9


@register.simple_tag(takes_context=True)
def labelling_address(context: Context, name: str) -> str:
    """Return the named address of the campaign; in a preview, the preview's own, which stores nothing."""
    return context.get("preview_address") or reverse(name, args=[context["campaign"].pk])


@register.simple_tag(takes_context=True)
def key_attributes(context: Context, action: str) -> SafeString:
    """Return the attributes of a button that the user's keys press, if the user votes by keys.

    static/js/press_by_key.js reads `data-keys`.
    """
    keys = keys_of(context["user"])[action]
    if not context["user"].single_keys or not keys:
        return SafeString()
    shortcuts = " ".join(key.upper() if len(key) == 1 else key for key in keys)
    return format_html(' data-keys="{}" aria-keyshortcuts="{}"', " ".join(keys), shortcuts)


@register.simple_tag(takes_context=True)
def key_hint(context: Context, action: str) -> SafeString:
    """Return the first key of an action for its button, if the user votes by keys."""
    keys = keys_of(context["user"])[action]
    if not context["user"].single_keys or not keys:
        return SafeString()
    return format_html(' <kbd aria-hidden="true">{}</kbd>', shown_key(keys[0]))


@register.simple_tag(takes_context=True)
def number_key(context: Context, number: int) -> SafeString:
    """Return the attributes of a button that a number presses, if the user votes by keys."""
    if not context["user"].single_keys:
        return SafeString()
    return format_html(' data-keys="{0}" aria-keyshortcuts="{0}"', number)


@register.simple_tag(takes_context=True)
def level_key(context: Context, level: int) -> SafeString:
    """Return the attributes of a level of a scale that its digit presses, if the user votes by keys."""
    return number_key(context, level) if 0 <= level <= LARGEST_DIGIT else SafeString()


@register.simple_tag
def pressed_level(stored: float | str | None, level: int) -> SafeString:
    """Return the attribute by which a level says if it is the stored rating. A text without a rating needs none."""
    return SafeString() if stored in (None, "") else format_html(' aria-pressed="{}"', str(stored == level).lower())


@register.simple_tag(takes_context=True)
def all_keys(context: Context, action: str) -> SafeString:
    """Return every key of an action, for the help table."""
    keys = keys_of(context["user"])[action]
    if not keys:
        return format_html('<span class="soft">{}</span>', "no key")
    return format_html_join(" ", "<kbd>{}</kbd>", ((shown_key(key),) for key in keys))


@register.simple_tag
def pressed(stored: str, choice: str) -> SafeString:
    """Return the attribute by which a choice says if it is the stored one. A pair without a vote needs none."""
    return format_html(' aria-pressed="{}"', str(stored == choice).lower()) if stored else SafeString()
