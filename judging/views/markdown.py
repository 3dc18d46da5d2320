"""Markdown of researchers, as HTML that can do no harm: no scripts, no images, no HTML of their own."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong"),
    *("hr", "br", "a", "s", "table", "thead", "tbody", "tr", "th", "td"),
}
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def rendered(text: str) -> SafeString:
    """The text as HTML. Its headings start two levels down, below those of the page."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return mark_safe(nh3.clean(html, tags=TAGS, attributes={"a": {"href"}}))
