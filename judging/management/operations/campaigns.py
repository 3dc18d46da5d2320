"""The commands that copy and follow campaigns."""

from collections.abc import Iterator
from typing import Any

from evenhand.report_json import as_json
from evenhand.units import counted
from judging.management.campaign_rows import campaign_row
from judging.management.operations.record import Operation
from judging.models import Campaign
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.overlaps import describe_overlaps
from judging.services.campaigns.progress.campaign_report import campaign_report


def copy(campaign: Campaign, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401 - options of the service
    """Make a draft with the settings, guidelines, consent text, gold and training pairs of a campaign. Its pairs
    are drawn with a fresh seed, and nobody takes part yet.
    """
    made = copy_campaign(campaign, **chosen)
    return campaign_row(Campaign.objects.with_progress().get(pk=made.pk))


def report_progress(campaign: Campaign) -> dict[str, Any]:
    """Print the progress of a campaign: votes, pace, when it ends, agreement, people, days and skips."""
    return dict(as_json(campaign_report(campaign)))


def _overlaps(result: dict[str, Any]) -> list[str]:
    return list(filter(None, [describe_overlaps(Campaign.objects.get(pk=result["id"]))]))


def _progress(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['done']} of {counted(result['planned'], 'vote')}; {_pace(result['pace'])}"
    if result["agreement"]:
        yield _agreement(result["agreement"]) + _goal(result, result["attributes"][0])
    else:
        for one in result["attributes"]:
            votes, agreement = counted(one["planned"], "vote"), _agreement(one["agreement"]) + _goal(result, one)
            yield f"{one['attribute']}: {one['done']} of {votes}; {agreement}"
    for one in result["annotators"]:
        part = "" if one["part"] is None else f" of {one['part']}"
        standing = f"; {one['standing']}" if one["standing"] else ""
        yield f"{one['rater']}: {one['votes']}{part} votes, {counted(one['skips'], 'skip')}{standing}"
    for skip in result["skip_reasons"]:
        yield f"skipped, {skip['text']}: {skip['skips']}"


def _pace(pace: dict[str, Any]) -> str:
    if pace["end"]:
        return f"{pace['votes_per_day']:.3g} a day, the last one expected on {pace['end']}"
    return f"no end to expect: {pace['undefined']}"


def _goal(result: dict[str, Any], attribute: dict[str, Any]) -> str:
    """Say whether the votes on an attribute are enough, if the campaign has a goal."""
    if attribute["is_enough"] is None:
        return ""
    answer = "enough" if attribute["is_enough"] else "not enough yet"
    return f"; {answer} for an interval of width {result['wanted_width']:g}"


def _agreement(agreement: dict[str, Any]) -> str:
    if agreement["percent"] is None:
        return "agreement: undefined, no pair has two votes"
    interval = "" if agreement["low"] is None else f" ({agreement['low']:.1f} to {agreement['high']:.1f})"
    couples = counted(agreement["compared"], "pair")
    disputed = counted(agreement["disputed"], "disputed pair")
    return f"agreement: {agreement['percent']:.1f} %{interval} of {couples} of votes; {disputed}"


CAMPAIGN_PROGRESS = Operation(
    report_progress,
    _progress,
    examples=('campaign_progress "Coherence"', 'campaign_progress "Coherence" --json'),
    of="campaign",
)
COPY_CAMPAIGN = Operation(
    copy,
    lambda result: [f"{result['campaign']}: a draft of {result['pairs']:,} pairs; open it with change_campaign"],
    examples=('copy_campaign "Coherence"', 'copy_campaign "Coherence" --name "Coherence, June" --json'),
    of="campaign",
    services=(copy_campaign,),
    notes=_overlaps,
)
