"""`{% choices_on_paper form %}`: a line that names the choices of a page, on paper only."""

from django import template
from django.forms import Form

from rankings.report.pages.printed_choices import printed_choices

register = template.Library()


@register.inclusion_tag("rankings/_printed_choices.html")
def choices_on_paper(*forms: Form) -> dict[str, object]:
    """Name the choices of some forms. A form that the page lacks is skipped."""
    return {"choices": printed_choices(form for form in forms if isinstance(form, Form))}
