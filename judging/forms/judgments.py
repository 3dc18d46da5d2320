"""The form of recorded judgments: their kind, their judge and their files."""

from typing import Any, cast

from django import forms
from django.conf import settings

from evenhand.file_problems import InvalidFile
from evenhand.formats import LOG_LAYOUTS, REPLY_COLUMNS, parse_mapping
from evenhand.units import format_limit
from judging.forms.datasets import LABELS_HELP, ManyFilesField, ManyFilesInput
from judging.services.datasets.recorded.judgment_files import JUDGMENT_KINDS
from judging.services.datasets.recorded.verdicts_in_replies import verdict_pattern_names
from judging.web.form_fields import LinesField, shown_when

KIND_TITLES = {
    "comparisons": "comparisons: a judge chose between two candidates",
    "scores": "scores: a metric or a judge gave each candidate a number",
    "votes": "votes: people chose between two candidates",
    "ratings": "ratings: people gave each candidate a number",
}


def _reply_choices() -> list[tuple[str, str]]:
    """Return the verdict patterns with their descriptions."""
    nouns = sorted(REPLY_COLUMNS)
    return [
        (name, f"whole replies with {noun}: {description}")
        for noun in nouns
        for name, description in verdict_pattern_names(noun)
    ]


class JudgmentsForm(forms.Form):
    """Files of recorded judgments."""

    kind = forms.ChoiceField(label="The files hold", choices=list(KIND_TITLES.items()))
    judge = forms.CharField(
        label="Name of the judge",
        max_length=200,
        required=False,
        help_text="As it appears in reports. If the file names judges, only this judge is imported (empty: all). "
        "Not needed for votes and ratings, which name their raters.",
    )
    verdict_pattern = forms.ChoiceField(
        label="The answers are in",
        required=False,
        choices=lambda: [("", "columns of their own"), *_reply_choices()],
        help_text="Answers in whole replies are read from a column with the judge’s text.",
        widget=forms.Select(attrs=shown_when("kind", REPLY_COLUMNS)),
    )
    files = ManyFilesField(  # type: ignore[assignment]  # the form's own `files` is not a class attribute
        label="File, or files of one kind",
        widget=ManyFilesInput(attrs={"data-limit": settings.MAX_UPLOAD_BYTES}),
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
    )

    choice = LinesField(label="Meaning of labels", help_text=LABELS_HELP)

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        limit = format_limit(settings.MAX_UPLOAD_BYTES)
        self.fields["choice"].widget.attrs |= shown_when("kind", ("comparisons", "votes"))
        self.fields["files"].help_text = f"At most {limit} in total. CSV, JSON, JSON Lines, Parquet, XLSX or ZIP."

    def offer_only_judges(self) -> None:
        """Offer comparisons and scores alone, to people who may not change the dataset."""
        kind = cast(forms.ChoiceField, self.fields["kind"])
        kind.choices = [(noun, title) for noun, title in KIND_TITLES.items() if JUDGMENT_KINDS[noun].needs_judge]
        kind.help_text = "Votes and ratings of people need the dataset’s owner or an admin."

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        noun, pattern, choice = data.get("kind", ""), data.get("verdict_pattern", ""), data.get("choice")
        try:
            data["labels"] = parse_mapping("", (), choice, layouts=LOG_LAYOUTS) if choice else None
        except InvalidFile as invalid:
            self.add_error("choice", [str(problem) for problem in invalid.problems])
        if noun not in REPLY_COLUMNS:
            data["verdict_pattern"] = ""
        elif pattern and pattern not in dict(verdict_pattern_names(noun)):
            self.add_error("verdict_pattern", f"This pattern does not give {noun}.")
        if sum(file.size or 0 for file in data.get("files", ())) > settings.MAX_UPLOAD_BYTES:
            self.add_error("files", f"At most {format_limit(settings.MAX_UPLOAD_BYTES)} together are accepted.")
        return data
