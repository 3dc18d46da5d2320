"""The settings by which a campaign chooses its pairs, and their problems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.units import counted
from judging.models import Attribute, Campaign, CampaignPair, Purpose, Run

UNSURE = "unsure"
GIVEN = "given"
"""The pairs were listed one by one; `pair_choice` of the campaign holds it, no form offers it."""
TEXTS = "texts"
"""The rule of campaigns of ratings: single texts, one from each context, then a second, and so on."""
ALL, RANDOM, D_OPTIMAL, ADAPTIVE = "all", "random", "d-optimal", "adaptive"
PAIR_RULES = {
    D_OPTIMAL: "most informative for a ranking",
    ALL: "all pairs",
    RANDOM: "random pairs",
    ADAPTIVE: "chosen from the votes so far",
    UNSURE: "where judges disagree or are unsure",
}
"""Rule -> its meaning."""


@dataclass(frozen=True, slots=True)
class CampaignSelection:
    """How the pairs of a campaign are chosen.

    rule: one of PAIR_RULES, or GIVEN; TEXTS for the texts of a campaign of ratings.
    pairs_per_context: number of unordered pairs of each context; None for all. Smaller contexts give all their pairs.
    In a campaign of ratings, pairs are single texts.
    contexts: use only the first N contexts of the dataset; None for all.
    pair_limit: at most this many pairs in all; None for no limit.
    random_share: share of the pairs that are drawn at random from all pairs, and marked as held out.
    runs: for the rule "unsure", the runs whose answers choose the pairs.
    """

    rule: str = D_OPTIMAL
    pairs_per_context: int | None = None
    contexts: int | None = None
    pair_limit: int | None = None
    random_share: float = 0.0
    runs: Sequence[Run] = ()

    def settings(self) -> dict[str, Any]:
        """Return the settings as JSON, which the campaign stores."""
        return {
            "rule": self.rule,
            "pairs_per_context": self.pairs_per_context,
            "contexts": self.contexts,
            "pair_limit": self.pair_limit,
            "random_share": self.random_share,
            "runs": [run.pk for run in self.runs],
        }


def choice_problems(choice: CampaignSelection, attributes: Sequence[Attribute]) -> list[str]:
    """Return the problems of a choice of pairs or texts for a campaign on these attributes."""
    if choice.rule == TEXTS:
        return list(_text_problems(choice))
    return [*_rule_problems(choice), *_run_problems(choice, attributes)]


def rule_for(selection: str, *, is_of_ratings: bool) -> str:
    """Return the rule of a new campaign. One of ratings takes texts where others take the most informative pairs."""
    return TEXTS if is_of_ratings and selection == D_OPTIMAL else selection


def _text_problems(choice: CampaignSelection) -> Iterator[str]:
    if choice.random_share:
        yield "random share: a campaign of ratings has no pairs; leave it out"
    if choice.runs:
        yield "runs: a campaign of ratings reads no answers of judges; leave them out"


def _rule_problems(choice: CampaignSelection) -> Iterator[str]:
    if choice.rule == ALL and choice.pairs_per_context is not None:
        yield f"pairs per context: {choice.pairs_per_context} — the selection all takes every pair; leave it out"
    elif choice.rule == ADAPTIVE and choice.pairs_per_context is None:
        yield "pairs per context: missing — the selection adaptive needs a number, or it would end up with all pairs"
    elif choice.rule == UNSURE and choice.pairs_per_context is None and choice.pair_limit is None:
        yield "pair limit: missing — the selection unsure needs a limit of pairs, or a number per context"


def _run_problems(choice: CampaignSelection, attributes: Sequence[Attribute]) -> Iterator[str]:
    names = " or ".join(f'"{attribute.name}"' for attribute in attributes)
    if choice.rule == UNSURE and not choice.runs:
        yield "runs: missing — the selection unsure needs one run or more with answers on the attribute"
    if choice.rule not in (UNSURE, GIVEN) and choice.runs:
        yield f"runs: only the selection {UNSURE} reads answers of judges; leave them out"
    for run in choice.runs:
        if run.attribute_id not in {attribute.pk for attribute in attributes}:
            yield f"runs: run {run.pk} is not about {names} of this dataset"
        elif run.is_scoring:
            yield f"runs: run {run.pk} scores candidates one by one — choose runs that compare pairs"


def describe_choice(campaign: Campaign) -> str:
    """Describe which pairs a campaign asks: "where judges disagree or are unsure (runs 3, 4); 20 random pairs"."""
    settings = campaign.pair_choice
    if campaign.is_of_ratings:
        return _describe_texts(settings)
    rule = PAIR_RULES.get(settings.get("rule", ""), "chosen one by one")
    runs = ", ".join(str(run) for run in settings.get("runs", ()))
    held_out = CampaignPair.objects.filter(campaign=campaign, purpose=Purpose.HELD_OUT).count()
    return f"{rule}{f' (runs {runs})' if runs else ''}" + (
        f"; {counted(held_out, 'random pair')} held out" if held_out else ""
    )


def _describe_texts(settings: Mapping[str, Any]) -> str:
    """Describe the texts of a campaign of ratings: "2 texts of each of the first 10 contexts, at most 15 in all"."""
    number, contexts, limit = settings["pairs_per_context"], settings["contexts"], settings["pair_limit"]
    texts = "all texts" if number is None else counted(number, "text")
    where = "each context" if contexts is None else f"each of the first {contexts:,} contexts"
    return f"{texts} of {where}{'' if limit is None else f', at most {limit:,} in all'}"
