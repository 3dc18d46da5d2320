"""`campaigns`: list the campaigns."""

from typing import Any

from judging.management.campaign_rows import campaign_row
from judging.management.evenhand_command import EvenhandCommand
from judging.models import Campaign


class Command(EvenhandCommand):
    help = "List the campaigns with their state, their deadline and the votes so far."
    examples = ("campaigns", "campaigns --json")

    def run(self, options: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
        campaigns = Campaign.objects.with_progress().select_related("dataset").prefetch_related("asked_attributes")
        return {"campaigns": [campaign_row(campaign) for campaign in campaigns]}

    def show(self, result: dict[str, list[dict[str, Any]]]) -> None:
        for row in result["campaigns"]:
            deadline = f", until {row['deadline']}" if row["deadline"] else ""
            votes = f"{row['votes']} of {row['votes_planned']} votes"
            asked = ", ".join((row["dataset"], *row["attributes"]))
            self.stdout.write(f"{row['campaign']}: {asked}; {row['state']}{deadline}; {votes}")
