"""The page of a run's answers pair by pair, and the download of those that it shows."""

from dataclasses import replace

import numpy as np
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.csv_text import csv_lines
from evenhand.options import options_of
from evenhand.report_json import as_json
from judging.forms.option_form import OptionFilters
from judging.web.downloads import attachment, json_lines
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run, visible_runs
from rankings.looks.looks_report import looks_report
from rankings.pair_answers.answered_pairs import AnsweredPairs, answered_pairs
from rankings.pair_answers.pair_choice import KINDS, PairChoice, note_part
from rankings.pair_answers.pair_entries import LINE_COLUMNS, answer_lines, pair_entries

GAPS = ("score_gap_from", "score_gap_to", "length_gap_from", "length_gap_to")


class PairsForm(OptionFilters):
    """Filters of the pairs of a run, and their order."""

    folded = ("context", "candidate", "other", *GAPS)

    def __init__(self, data: QueryDict, *, pairs: AnsweredPairs) -> None:
        systems = {"": "all", **{name: name for name in pairs.system_names}}
        options = options_of(PairChoice)
        super().__init__(data, [replace(one, choices=systems) if one.name == "system" else one for one in options])
        if not any(pairs.parts):
            del self.fields["part"]
        counts = self.choice().counts(pairs)
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            (name, f"{kind.title} ({counts[name]:,})") for name, kind in KINDS.items()
        ]

    def choice(self) -> PairChoice:
        """Return the chosen pairs."""
        return PairChoice(**self.chosen)


PAIRS_PER_PAGE = 10


@require_safe
@researchers_only
def run_answers(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the chosen pairs with both orders side by side."""
    run = visible_comparing_run(request, run_id)
    pairs = answered_pairs(run)
    form = PairsForm(request.GET, pairs=pairs)
    choice = form.choice()
    note_part(run, choice)
    page = Paginator(choice.indices(pairs), PAIRS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "run": run,
        "form": form,
        "more_filtered": form.uses_more_fields,
        "filtered": bool(form.active_filters()),
        "meanings": [f"{kind.title}: {kind.meaning[0].lower()}{kind.meaning[1:]}" for kind in KINDS.values()],
        "query": query_without_page(request),
        "page_obj": page,
        "total": len(pairs),
        "looks": looks_report(run.dataset, visible_runs(request)).sentence if run.dataset.split else "",
        "entries": pair_entries(run, pairs, np.asarray(page.object_list)),
    }
    return render(request, "rankings/pair_answers/answers.html", context)


@require_safe
@researchers_only
def run_answers_download(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download the answers of the chosen pairs, one comparison per line."""
    run = visible_comparing_run(request, run_id)
    pairs = answered_pairs(run)
    choice = PairsForm(request.GET, pairs=pairs).choice()
    note_part(run, choice)
    rows = map(as_json, answer_lines(run, pairs, choice.indices(pairs)))
    if ending not in ("csv", "jsonl"):
        raise Http404(f"no download of answers ends in .{ending}")
    lines = csv_lines(rows, columns=LINE_COLUMNS) if ending == "csv" else json_lines(rows)
    return attachment(lines, name=f"run-{run.pk}-answers.{ending}")
