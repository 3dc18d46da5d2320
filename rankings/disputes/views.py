"""The page of a campaign's disputed pairs, and the start of a second round on them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evenhand.csv_text import csv_lines
from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.options import options_of
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from evenhand.units import counted
from judging.forms.datasets import RunsField
from judging.forms.option_form import OptionFilters, OptionForm
from judging.models import Campaign, Candidate, Run, User, Vote
from judging.services.campaigns.pair_decisions import DECISION_COLUMNS, decide_pairs, decisions_of
from judging.web.downloads import attachment
from judging.web.form_fields import add_problems_to_fields, telling_refusals
from judging.web.options import OfferedChoices, values_sent
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_campaign, visible_runs
from rankings.disputes.dispute_page import describe_by_attribute, describe_disputes, disputed_entries
from rankings.disputes.dispute_rows import judging_runs
from rankings.disputes.disputed_pairs import DISPUTE_KINDS, DisputeChoice, Disputes, find_disputes
from rankings.disputes.second_round import people_to_offer, round_settings, start_second_round, usual_name, usual_votes

MOST_SHOWN_RUNS = 5
"""Runs on the page if none is chosen."""


class DisputesForm(OptionFilters):
    """Filters of the disputed pairs of a campaign, their order, and the runs whose answers are shown."""

    folded = ("context", "run")
    run = RunsField(
        queryset=Run.objects.none(),
        label="Runs",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=f"Without a choice: the latest {MOST_SHOWN_RUNS}.",
    )

    def __init__(self, data: QueryDict, *, campaign: Campaign, runs: Sequence[Run]) -> None:
        """runs: those that may be shown, the latest first."""
        systems = Candidate.objects.filter(context__dataset=campaign.dataset_id).exclude(system="")
        raters = Vote.objects.filter(assignment__campaign=campaign)
        offered: dict[str, Iterable[str]] = {
            name: sorted(set(rows.order_by().values_list(name, flat=True)))
            for name, rows in (("system", systems), ("rater", raters))
        }
        offered["attribute"] = [one.name for one in campaign.attributes_in_order()]
        choices = {name: {"": "all", **{one: one for one in names}} for name, names in offered.items()}
        choices["kind"] = {name: kind.title for name, kind in DISPUTE_KINDS.items()}
        options = options_of(DisputeChoice)
        super().__init__(data, [replace(one, choices=choices.get(one.name, one.choices)) for one in options])
        self.runs = runs
        of_campaign = Run.objects.filter(pk__in=[run.pk for run in runs]).select_related("judge", "attribute", "prompt")
        self.fields["run"].queryset = of_campaign  # type: ignore[attr-defined]

    def choice(self) -> DisputeChoice:
        """Return the chosen pairs."""
        return DisputeChoice(**self.chosen)

    def chosen_runs(self) -> list[Run]:
        """Return the chosen runs; without a choice, the latest."""
        self.is_valid()
        chosen = {run.pk for run in self.cleaned_data.get("run") or ()}
        return [run for run in self.runs if run.pk in chosen] if chosen else list(self.runs[:MOST_SHOWN_RUNS])


class SecondRoundForm(OptionForm):
    """The people and the name of a second round."""

    def __init__(self, request: HttpRequest | None, *, campaign: Campaign, people: QuerySet[User]) -> None:
        """request: None for an empty form."""
        initial = {"votes_per_pair": usual_votes(campaign), "name": usual_name(campaign)}
        super().__init__(request, start_second_round, initial=initial)
        self.auto_id = "again_%s"
        names = [(name, name) for name in people.values_list("username", flat=True)]
        self.fields["annotators"] = OfferedChoices(
            label="People",
            required=False,
            choices=names,
            widget=forms.CheckboxSelectMultiple,
            help_text="Nobody gets a pair that they saw before. You can invite more people later.",
        )


DISPUTES_PER_PAGE = 10


@require_safe
@researchers_only
def campaign_disputes(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the disputed pairs with their votes and the answers of judges."""
    campaign = visible_campaign(request, campaign_id)
    people = people_to_offer(request.user, campaign)
    return _show(request, campaign, SecondRoundForm(None, campaign=campaign, people=people))


@require_POST
@researchers_only
def campaign_second_round(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Create a campaign that asks about the disputed pairs of the address, and show it."""
    campaign = visible_campaign(request, campaign_id)
    disputes = find_disputes(campaign, _filters(request, campaign).choice())
    form = SecondRoundForm(request, campaign=campaign, people=people_to_offer(request.user, campaign))
    try:
        settings = round_settings(campaign, values_sent(request.POST), user=request.user)
        created = start_second_round(campaign, disputes.chosen, request.user, **settings)
    except Refused as refused:
        add_problems_to_fields(form, refused.problems)
        return _show(request, campaign, form)
    messages.success(request, f"The second round asks about {counted(len(disputes.chosen), 'pair')}.")
    return redirect(created)


@require_POST
@researchers_only
def campaign_decide(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Store the decision on a pair, or take it back, and show the page of disputed pairs again."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    with telling_refusals(request):
        names = ("context", "first", "second", "answer", "explanation", "attribute")
        context, first, second, answer, explanation, attribute = (request.POST.get(name, "") for name in names)
        pair = KnownPair(context, first, second, answer, explanation, attribute)
        decide_pairs(campaign, [pair], decided_by=request.user)
        messages.success(request, "Decision stored. No vote and no figure changes.")
    return redirect(f"{reverse('campaign-disputes', args=[campaign.pk])}?{request.GET.urlencode()}")


@require_safe
@researchers_only
def decisions_download(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download the decisions as CSV, which `import_votes` reads."""
    campaign = visible_campaign(request, campaign_id)
    rows = (as_json(one) for one in decisions_of(campaign))
    return attachment(csv_lines(rows, columns=DECISION_COLUMNS), name=f"{campaign.name}-decisions.csv")


def _filters(request: SignedInRequest, campaign: Campaign) -> DisputesForm:
    runs = judging_runs(campaign, list(visible_runs(request).ordinary().filter(dataset=campaign.dataset_id)))
    return DisputesForm(request.GET, campaign=campaign, runs=runs)


def _show(request: SignedInRequest, campaign: Campaign, again: SecondRoundForm) -> HttpResponse:
    form = _filters(request, campaign)
    choice = form.choice()
    disputes: Disputes = find_disputes(campaign, choice)
    attribute = choice.attribute or campaign.only_attribute
    page = Paginator(disputes.chosen, DISPUTES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "may_edit": Campaign.objects.editable_by(request.user).filter(pk=campaign.pk).exists(),
        "form": form,
        "again": again,
        "later_rounds": Campaign.objects.filter(first_round=campaign).with_progress(),
        "filtered": bool(form.active_filters()),
        "more_filtered": form.uses_more_fields,
        "attribute": attribute,
        "sentence": describe_disputes(disputes) if attribute else describe_by_attribute(campaign),
        "meanings": [f"{kind.title}: {kind.meaning[0].lower()}{kind.meaning[1:]}" for kind in DISPUTE_KINDS.values()],
        "query": query_without_page(request),
        "page_obj": page,
        "disputes": disputes,
        "entries": disputed_entries(list(page.object_list), disputes.votes, form.chosen_runs()),
    }
    return render(request, "rankings/disputes/disputes.html", context)
