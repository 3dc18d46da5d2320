"""The commands that check annotators, and leave votes out of figures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from django.db import transaction

from evenhand.formats.recorded.known_pairs import read_known_pairs
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from evenhand.units import counted
from judging.management.command_files import read_source_files
from judging.management.operations.record import Operation
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign, Dataset
from judging.services.campaign_pairs.gold_pairs import (
    CHECK_SHARES,
    UNANIMOUS,
    add_gold_pairs,
    add_unanimous_pairs,
    set_check_shares,
)
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.progress.labelling_effort import CampaignChecks
from judging.services.campaigns.vote_exclusions import GOES_ON, RATER, REASON, exclude_rater, restore_votes

GOLD = (
    "Add the gold pairs of a table: context, first, second, answer (first, second or tie), and attribute where the "
    "campaign has several."
)
TRAINING = "Replace the training pairs by those of a table, with the same columns and optionally explanation."


@transaction.atomic
def check_people(
    campaign: Campaign,
    *,
    gold: Annotated[Path | None, Option(GOLD)] = None,
    training: Annotated[Path | None, Option(TRAINING)] = None,
    unanimous: Annotated[int | None, UNANIMOUS] = None,
    **chosen: Any,  # noqa: ANN401 - options of the services
) -> dict[str, Any]:
    """Print the gold pairs of a campaign with their votes, or change what checks its annotators: gold pairs, which
    have a known answer, repeats with swapped sides, and the training before the first vote.
    Votes on them are left out of all figures of judges.
    """
    shares = {name: chosen.pop(name) for name in CHECK_SHARES}
    if gold:
        add_gold_pairs(campaign, read_known_pairs(*read_source_files([gold])))
    if training:
        set_training_pairs(campaign, read_known_pairs(*read_source_files([training])))
    if unanimous is not None:
        add_unanimous_pairs(campaign, unanimous=unanimous, **chosen)
    set_check_shares(campaign, **shares)
    return {"campaign": campaign.name, **as_json(CampaignChecks.of(campaign))}


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


def _checks(result: dict[str, Any]) -> Iterator[str]:
    repeats, gold = counted(result["repeats"], "vote"), counted(len(result["gold_pairs"]), "pair")
    marks = [(name.replace("_", " "), result[name]) for name in CHECK_SHARES if name.endswith("_mark")]
    mark = "".join(f", {name} {share:g}" for name, share in marks if share)
    yield (
        f"{result['campaign']}: repeat share {result['repeat_share']:g} ({repeats}), "
        f"gold share {result['gold_share']:g} ({gold}){mark}"
    )
    pairs = (*result["gold_pairs"], *result["training_pairs"])
    has_several = len({pair["attribute"] for pair in pairs}) > 1
    for pair in result["gold_pairs"]:
        yield f"{_pair(pair, has_several)}, {pair['right']} of {counted(pair['votes'], 'vote')} right"
    for pair in result["training_pairs"]:
        yield f"training: {_pair(pair, has_several)}, {pair['right']} of {counted(pair['answers'], 'answer')} right"


def _pair(pair: dict[str, Any], has_several: bool) -> str:
    """has_several: True to name the attribute."""
    attribute = f"{pair['attribute']}, " if has_several else ""
    return f"{attribute}{pair['context']}: {pair['one']} against {pair['other']}, answer {pair['answer'] or 'tie'}"


def _excluded(result: dict[str, Any]) -> str:
    change = "excluded" if "excluded" in result else "restored"
    return f"{result['dataset']}: {counted(result[change], 'vote')} of {result['rater']} {change}"


CHECK_PEOPLE = Operation(
    check_people,
    _checks,
    examples=(
        "check_people --campaign 'Which is better?' --gold gold.csv --gold-share 0.1",
        "check_people --campaign 'Which is better?' --unanimous 10 --repeat-share 0.1",
    ),
    of="campaign",
    is_named=True,
    services=(add_unanimous_pairs, set_check_shares),
)
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
