"""Forms of the pages of results and agreement. Their choices are query parameters."""

from rankings.report.forms.answer_choice import AnswersForm, AttributeForm, chosen_field
from rankings.report.forms.paper_style import StyleForm
from rankings.report.forms.table_choice import TableForm, of_variant, run_label
