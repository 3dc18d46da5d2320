"""`consent`: the consent text of a campaign, its versions, and how many people accepted each."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.management.text_files import read_text
from judging.services.invitations.consent import consent_versions, set_consent_text

WITHOUT = "give --without to ask for no consent"


class Command(EvenhandCommand):
    help = "Print the versions of a campaign's consent text, or store a new one. Everybody is then asked again."
    examples = ('consent "Coherence"', 'consent "Coherence" --text consent.md', 'consent "Coherence" --without')

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        parser.add_argument("--text", type=Path, metavar="FILE", help="store this Markdown text as a new version")
        parser.add_argument("--without", action="store_true", help="ask for no consent from now on")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        if options["text"] and options["without"]:
            raise Refused("text: leave it out, or leave out --without")
        if options["text"] or options["without"]:
            text = read_text(options["text"], option="text", if_empty=WITHOUT) if options["text"] else ""
            set_consent_text(campaign, text=text, created_by=None)
        versions = [
            {
                "version": one.version,
                "text": one.text,
                "created_at": one.created_at.isoformat(),
                "accepted": one.accepted_count,  # type: ignore[attr-defined]  # annotated
            }
            for one in consent_versions(campaign)
        ]
        return {"campaign": campaign.name, "versions": versions}

    def show(self, result: dict[str, Any]) -> None:
        if not result["versions"]:
            self.stdout.write("no consent text; annotators are asked for none")
        for one in result["versions"]:
            people = f"{one['accepted']:,} accepted" if one["text"] else "asks for no consent"
            characters = counted(len(one["text"]), "character")
            self.stdout.write(f"version {one['version']}, {one['created_at'][:10]}: {characters}; {people}")
