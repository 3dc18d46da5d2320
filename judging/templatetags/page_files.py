"""Tags that load the style sheets and scripts of a page, by their names. All templates have them."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def styles(*names: str) -> SafeString:
    """Link style sheets of static/css/."""
    sheets = ((static(f"css/{name}.css"),) for name in names)
    return format_html_join("\n    ", '<link rel="stylesheet" href="{}">', sheets)


@register.simple_tag
def scripts(*names: str) -> SafeString:
    """Load scripts of static/js/, which are modules."""
    modules = ((static(f"js/{name}.js"),) for name in names)
    return format_html_join("\n    ", '<script type="module" src="{}"></script>', modules)
