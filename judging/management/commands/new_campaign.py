"""`new_campaign`: create a campaign on one attribute of a dataset or more."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.campaign_rows import campaign_row
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_attributes, get_dataset, get_run
from judging.management.text_files import read_text
from judging.models import Campaign, CampaignKind, TextFormat, User
from judging.services.campaign_pairs.campaign_selection import D_OPTIMAL, PAIR_RULES, UNSURE
from judging.services.campaign_pairs.rating_scales import USUAL_HIGHEST, USUAL_LOWEST, USUAL_SCALE, RatingScale
from judging.services.campaigns.campaign_setup import create_campaign

OPTION_COLUMNS = (
    *("votes_per_pair", "wanted_width"),
    *("allow_both_bad", "allow_cannot_judge", "strength_levels", "confidence_levels"),
)
OPTION_CHOICES = ("selection", "pairs_per_context", "pair_limit", "random_share", "contexts", "seed")


class Command(EvenhandCommand):
    help = (
        "Create a campaign and draw its pairs, or the texts of a campaign of ratings. With several attributes, "
        "annotators are asked about each pair or text on all of them, one after the other."
    )
    examples = (
        'new_campaign "Coherence" --dataset SummEval --attribute coherence --pairs-per-context 2 --annotator ann',
        'new_campaign "Two questions" --dataset SummEval --attribute fluency --attribute coherence '
        '--question "fluency=Which flows better?"',
        'new_campaign "Ratings" --kind ratings --dataset SummEval --attribute coherence --lowest-label incoherent',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="annotators see it: do not reveal which systems are compared")
        self.add_dataset_option(parser)
        kinds = "; ".join(f"{kind.value}: {kind.label.lower()}" for kind in CampaignKind)
        parser.add_argument("--kind", choices=CampaignKind.values, default=CampaignKind.PAIRS.value, help=kinds)
        parser.add_argument(
            "--attribute",
            metavar="A",
            action="append",
            required=True,
            help="an attribute; repeatable, in the order in which annotators are asked",
        )
        parser.add_argument(
            "--question",
            metavar="A=TEXT",
            action="append",
            default=[],
            help="question on an attribute; repeatable (default: as in prompts)",
        )
        parser.add_argument("--guidelines", type=Path, metavar="FILE", help="Markdown file with the guidelines")
        parser.add_argument("--votes-per-pair", type=int, default=3, metavar="N", help="votes per pair or text")
        parser.add_argument(
            "--wanted-width",
            type=float,
            metavar="W",
            help="votes are enough once the 95 %% interval of the agreement is at most this wide (default: no goal)",
        )
        parser.add_argument("--annotator", metavar="USER", action="append", default=[], help="a username; repeatable")
        self._add_pair_arguments(parser)
        self._add_answer_arguments(parser)
        self._add_scale_arguments(parser)
        parser.add_argument("--draft", action="store_true", help="nobody votes until you open it")

    def _add_pair_arguments(self, parser: CommandParser) -> None:
        meanings = "; ".join(f"{rule}: {meaning}" for rule, meaning in PAIR_RULES.items())
        parser.add_argument(
            "--selection", choices=list(PAIR_RULES), default=D_OPTIMAL, help=f"which pairs ({meanings})"
        )
        parser.add_argument(
            "--run",
            type=int,
            metavar="RUN",
            action="append",
            default=[],
            help=f"run whose answers choose the pairs (--selection {UNSURE}); repeatable",
        )
        parser.add_argument(
            "--pairs-per-context", type=int, metavar="N", help="pairs or texts a context (default: all)"
        )
        parser.add_argument("--pair-limit", type=int, metavar="N", help="at most this many in all (default: no limit)")
        parser.add_argument("--random-share", type=float, default=0.0, metavar="P", help="share of random pairs")
        parser.add_argument("--contexts", type=int, metavar="N", help="only the first N contexts (default: all)")
        parser.add_argument("--seed", type=int, help="seed of the drawn pairs (default: a fresh one)")

    def _add_answer_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-ties", action="store_true", help="annotators cannot call a tie")
        parser.add_argument("--allow-both-bad", action="store_true", help="annotators may call both texts bad")
        parser.add_argument("--allow-cannot-judge", action="store_true", help="annotators may say they cannot judge")
        parser.add_argument("--strength-levels", type=int, metavar="N", help="levels of strength (default: not asked)")
        parser.add_argument(
            "--confidence-levels", type=int, metavar="N", help="levels of confidence (default: not asked)"
        )
        parser.add_argument("--comments", action="store_true", help="annotators may write a comment on each vote")
        parser.add_argument("--markdown", action="store_true", help="show texts as Markdown (default: as written)")

    def _add_scale_arguments(self, parser: CommandParser) -> None:
        declared = "default: as the dataset declares its human scores, else {}"
        parser.add_argument("--lowest", type=int, metavar="N", help=f"lowest rating ({declared.format(USUAL_LOWEST)})")
        parser.add_argument(
            "--highest", type=int, metavar="N", help=f"highest rating ({declared.format(USUAL_HIGHEST)})"
        )
        for end in ("lowest", "highest"):
            parser.add_argument(
                f"--{end}-label", default="", metavar="TEXT", help=f"meaning of the {end} rating (default: none)"
            )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        dataset = get_dataset(options["dataset"])
        attributes = get_attributes(dataset, options["attribute"])
        guidelines = options["guidelines"]
        campaign = create_campaign(
            dataset,
            name=options["name"],
            attributes=attributes,
            questions=parse_questions(options["question"]),
            scales=read_scales(options, [attribute.name for attribute in attributes]),
            kind=options["kind"],
            guidelines=read_text(guidelines, option="guidelines", if_empty="write a sentence") if guidelines else "",
            annotators=get_annotators(options["annotator"]),
            runs=[get_run(number) for number in options["run"]],
            state="draft" if options["draft"] else "open",
            allow_ties=not options["no_ties"],
            take_comments=options["comments"],
            text_format=TextFormat.MARKDOWN if options["markdown"] else TextFormat.PLAIN,
            **{name: options[name] for name in (*OPTION_COLUMNS, *OPTION_CHOICES)},
        )
        return campaign_row(Campaign.objects.with_progress().select_related("dataset").get(pk=campaign.pk))

    def show(self, result: dict[str, Any]) -> None:
        asked = ", ".join(result["attributes"])
        of_ratings = result["kind"] == CampaignKind.RATINGS
        pairs = counted(result["pairs"], "text" if of_ratings else "pair")
        votes = counted(result["votes_planned"], "rating" if of_ratings else "vote")
        self.stdout.write(f"{result['campaign']} on {asked}: {pairs}, {votes}; {result['state']}")


def read_scales(options: Mapping[str, Any], attributes: Sequence[str]) -> dict[str, RatingScale]:
    """Return the scale of each attribute; none if no option of a scale is given."""
    scale = RatingScale(**{name: options[name] for name in ("lowest", "highest", "lowest_label", "highest_label")})
    return {} if scale == USUAL_SCALE else dict.fromkeys(attributes, scale)


def parse_questions(given: Sequence[str]) -> dict[str, str]:
    """Read questions written as ATTRIBUTE=TEXT. Raises Refused for anything else."""
    if wrong := [text for text in given if not text.partition("=")[2].strip()]:
        raise Refused(*(f'question: "{text}" — write it as ATTRIBUTE=TEXT' for text in wrong))
    return {name.strip(): text.strip() for name, _, text in (one.partition("=") for one in given)}


def get_annotators(names: Sequence[str]) -> list[User]:
    """Return the active people of these usernames. Raises Refused with every unknown name."""
    known = {user.username: user for user in User.objects.filter(username__in=names, is_active=True)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(*(f'annotators: there is nobody called "{name}"' for name in unknown))
    return list(known.values())
