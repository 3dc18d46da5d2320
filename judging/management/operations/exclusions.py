"""The command that leaves votes out of figures."""

from typing import Annotated, Any

from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.operations.record import Operation
from judging.management.rows_by_name import get_campaign
from judging.models import Dataset
from judging.services.campaigns.vote_exclusions import GOES_ON, RATER, REASON, exclude_rater, restore_votes


def exclude_votes(
    dataset: Dataset,
    *,
    rater: Annotated[str, RATER],
    campaign: Annotated[str | None, Option("Only the votes of this campaign, by its name.")] = None,
    reason: Annotated[str | None, REASON] = None,
    goes_on: Annotated[bool, GOES_ON] = False,
    restore: Annotated[bool, Option("Take the votes back into figures.")] = False,
) -> dict[str, Any]:
    """Leave all votes of a person on a dataset out of figures, also later ones, or take them back in. Every report
    says so, with the reason. Campaigns ask others for the votes.
    """
    if bool(reason) == restore:
        raise Refused("reason: give --reason to leave votes out, or --restore to take them back in")
    own = get_campaign(campaign) if campaign else None
    if reason:
        exclusion = exclude_rater(dataset, own, rater=rater, reason=reason, goes_on=goes_on)
        return {"dataset": dataset.name, "rater": rater, "excluded": exclusion.votes.count()}
    held = dataset.vote_exclusions.of_rater(rater, own).first()
    if held is None:
        raise Refused(f'rater: "{rater}" is not excluded {f"in {own}" if own else f"on {dataset.name}"}')
    return {"dataset": dataset.name, "rater": rater, "restored": restore_votes(held)}


def _excluded(result: dict[str, Any]) -> str:
    change = "excluded" if "excluded" in result else "restored"
    return f"{result['dataset']}: {counted(result[change], 'vote')} of {result['rater']} {change}"


EXCLUDE_VOTES = Operation(
    exclude_votes,
    lambda result: [_excluded(result)],
    examples=(
        "exclude_votes --dataset LLMBar --rater rater-3 --reason 'answered at random'",
        "exclude_votes --dataset LLMBar --rater rater-3 --restore",
        "exclude_votes --dataset LLMBar --rater rater-3 --campaign 'Round 2' --reason 'ill that day'",
    ),
    of="dataset",
    is_named=True,
)
