"""Tags of parts that pages share: style sheets and scripts by name, and the way to a page. All templates have them."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
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


@register.simple_block_tag
def crumbs(content: SafeString) -> SafeString:
    """Show where a page is. The block holds a list item for each page above it, and for the page itself."""
    return format_html('<nav class="crumbs" aria-label="Where you are"><ol>{}</ol></nav>', content)
