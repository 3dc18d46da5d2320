"""Markdown as safe HTML: no scripts, no images, no raw HTML."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

ALLOWED_TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong"),
    *("hr", "br", "a", "s", "table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_TEXT_PARSER = (
    MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable("image")
)


def render_markdown(text: str) -> SafeString:
    """Render Markdown as HTML. The highest headings get level 3, the next ones the level below."""
    return mark_safe(nh3.clean(_html(_PARSER, text), tags=ALLOWED_TAGS, attributes=ALLOWED_ATTRIBUTES))


def render_shown_text(text: str) -> SafeString:
    """Render a context or a candidate that is Markdown, so that nothing of it is lost.

    Line breaks stay, raw HTML is shown as written, an image is a link to it, and links open a new page.
    """
    html = _html(_TEXT_PARSER, text)
    new_page = {"a": {"target": "_blank"}}
    return mark_safe(
        nh3.clean(html, tags=ALLOWED_TAGS, attributes=ALLOWED_ATTRIBUTES, set_tag_attribute_values=new_page)
    )


def _html(parser: MarkdownIt, text: str) -> str:
    tokens = parser.parse(text)
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    levels = sorted({token.tag for token in headings})
    for token in headings:
        token.tag = f"h{min(3 + levels.index(token.tag), 6)}"
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html
