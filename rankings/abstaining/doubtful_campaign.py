"""A campaign that asks people about the pairs that a judge is unsure about."""

from evenhand.refusals import Refused
from judging.models import Campaign, Candidate, Run, User
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaigns.campaign_setup import create_campaign
from rankings.abstaining.abstaining_report import Abstaining, unasked_pairs


def ask_people(run: Run, report: Abstaining, *, owner: User | None = None, name: str = "") -> Campaign:
    """Create a campaign with the doubtful pairs on which people have no preference, the least sure first.

    name: of the campaign. Default: "Doubtful pairs of run N".
    Raises Refused if there is no threshold or no such pair.
    """
    if report.threshold.threshold is None:
        raise Refused(f"threshold: {report.threshold.answered.undefined}")
    wanted = unasked_pairs(report.threshold)
    if not wanted:
        raise Refused("pairs: people already prefer one candidate in each doubtful pair, so there is nothing to ask")
    rows = Candidate.objects.filter(context__dataset=run.dataset_id).values_list("context__key", "key", "pk")
    numbers = {(context, candidate): pk for context, candidate, pk in rows}
    return create_campaign(
        run.dataset,
        attributes=[run.attribute],
        name=name or f"Doubtful pairs of run {run.pk}",
        given_pairs=[
            AskedPair(numbers[one.context, one.first], numbers[one.context, one.second], run.attribute_id)
            for one in wanted
        ],
        runs=[run],
        created_by=owner,
    )
