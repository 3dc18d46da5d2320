"""Set-up of campaigns: their pairs and annotators."""

import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from django.db import IntegrityError, transaction

from evenhand.formats.people_files import MAX_PEOPLE
from evenhand.options import Option
from evenhand.refusals import Refusals, Refused, raise_if_any
from judging.models import (
    Attribute,
    Campaign,
    CampaignKind,
    CampaignState,
    Dataset,
    Participation,
    Run,
    TextFormat,
    User,
)
from judging.models.activity_and_looks import Act
from judging.models.labelling.answer_rules import FEWEST_LEVELS, MOST_LEVELS
from judging.services.activity import noted
from judging.services.campaign_pairs.asked_pairs import AskedPair, in_asked_order, store_pairs
from judging.services.campaign_pairs.campaign_draw import draw_asked_pairs, planned_pairs
from judging.services.campaign_pairs.campaign_selection import (
    D_OPTIMAL,
    GIVEN,
    PAIR_RULES,
    TEXTS,
    UNSURE,
    CampaignSelection,
    choice_problems,
    rule_for,
)
from judging.services.campaign_pairs.rating_scales import (
    LONGEST_LABEL,
    MOST_RATINGS,
    NO_RATINGS_GIVEN,
    USUAL_HIGHEST,
    USUAL_LOWEST,
    RatingScale,
    by_name,
    scale_problems,
    scales_of,
)
from judging.services.campaigns.answer_rules import has_votes, rule_problems
from judging.services.campaigns.asked_attributes import (
    LONGEST_QUESTION,
    NARROWEST,
    NO_OWN_QUESTIONS,
    WIDEST,
    attribute_problems,
    store_attributes,
)
from judging.services.campaigns.campaign_states import require_ahead, wait_for_answers
from judging.services.campaigns.guidelines import LONGEST_GUIDELINES, change_guidelines
from judging.services.names import name_problems

LARGEST_NUMBER, LARGEST_SEED = 2**31 - 1, 2**63 - 1
FIRST_STATES = {
    CampaignState.OPEN.value: "Open: annotators can vote at once",
    CampaignState.DRAFT.value: "Draft: nobody votes until you open it",
}
HARDER_PAIRS = "Pairs chosen from the votes so far, or where judges disagree, are harder than average."
TITLED_RULES = {rule: f"{meaning[0].upper()}{meaning[1:]}" for rule, meaning in PAIR_RULES.items()}
ANNOTATORS = Option(
    "People who may vote. You can change them at any time.", row="annotator", key="username", most=MAX_PEOPLE
)
NO_CODE_ABOVE = "Above it, people are marked and get no completion code; 1 is no limit."
AS_DECLARED = "Without it, as the dataset declares its human scores, else"


@noted(Act.CREATE, returned=True)
def create_campaign(
    dataset: Dataset,
    created_by: User | None = None,
    given_pairs: Sequence[AskedPair] | None = None,
    first_round: Campaign | None = None,
    *,
    name: Annotated[
        str, Option("Name, which annotators see. Do not reveal which systems are compared.", "Name", longest=200)
    ],
    attributes: Annotated[
        Sequence[Attribute],
        Option("Attributes, in the order in which annotators are asked.", row="attribute", key="name", most=100),
    ],
    kind: Annotated[
        str, Option("Pairs or single texts.", "What annotators do", choices=dict(CampaignKind.choices))
    ] = CampaignKind.PAIRS.value,
    questions: Annotated[
        Mapping[str, str], Option("Question of each attribute; without one, as in prompts.", longest=LONGEST_QUESTION)
    ] = NO_OWN_QUESTIONS,
    guidelines: Annotated[
        str,
        Option(
            "Guidelines in Markdown: what the attribute means, when to vote for a tie, and an example or two.",
            longest=LONGEST_GUIDELINES,
        ),
    ] = "",
    votes_per_pair: Annotated[
        int,
        Option(
            "Votes per pair, or ratings per text, each of another annotator.",
            "Votes per pair or text",
            low=1,
            high=1_000,
        ),
    ] = 3,
    selection: Annotated[str, Option(HARDER_PAIRS, "Which pairs", choices=TITLED_RULES)] = D_OPTIMAL,
    runs: Annotated[
        Sequence[Run],
        Option(
            f"Runs whose answers choose the pairs, for the selection {UNSURE}.",
            row="run",
            most=1_000,
            low=1,
            high=LARGEST_SEED,
        ),
    ] = (),
    pairs_per_context: Annotated[
        int | None,
        Option(
            "Pairs or texts of each context. Without it, all.", "Pairs or texts per context", low=1, high=LARGEST_NUMBER
        ),
    ] = None,
    pair_limit: Annotated[
        int | None,
        Option(
            "At most this many pairs or texts. Without it, no limit.",
            "Pairs or texts in all",
            low=1,
            high=LARGEST_NUMBER,
        ),
    ] = None,
    annotators: Annotated[Collection[User], ANNOTATORS] = (),
    state: Annotated[
        str, Option("Open, or a draft in which nobody votes yet.", "Start as", choices=FIRST_STATES)
    ] = CampaignState.OPEN.value,
    deadline: Annotated[datetime | None, Option("The campaign is closed from then on. In UTC.")] = None,
    wanted_width: Annotated[
        float | None,
        Option(
            "Votes are enough once the 95 % interval of the agreement is at most this wide.", low=NARROWEST, high=WIDEST
        ),
    ] = None,
    most_skips: Annotated[
        float | None,
        Option(f"Greatest share of skips among a person's answers. {NO_CODE_ABOVE}", "Most skips", low=0, high=1),
    ] = None,
    most_cannot_judge: Annotated[
        float | None, Option(f"Greatest share of “cannot judge”. {NO_CODE_ABOVE}", "Most “cannot judge”", low=0, high=1)
    ] = None,
    lowest: Annotated[
        Mapping[str, int], Option(f"Lowest rating. {AS_DECLARED} {USUAL_LOWEST}.", "Lowest rating")
    ] = NO_RATINGS_GIVEN,
    highest: Annotated[
        Mapping[str, int],
        Option(f"Highest rating. {AS_DECLARED} {USUAL_HIGHEST}. At most {MOST_RATINGS} levels.", "Highest rating"),
    ] = NO_RATINGS_GIVEN,
    lowest_label: Annotated[
        Mapping[str, str],
        Option("Meaning of the lowest rating, such as incoherent.", "Meaning of the lowest", longest=LONGEST_LABEL),
    ] = NO_OWN_QUESTIONS,
    highest_label: Annotated[
        Mapping[str, str], Option("Meaning of the highest rating.", "Meaning of the highest", longest=LONGEST_LABEL)
    ] = NO_OWN_QUESTIONS,
    allow_ties: Annotated[bool, Option("Annotators may answer that both are equally good.", "Ties are allowed")] = True,
    allow_both_bad: Annotated[bool, Option("Counted, but excluded from figures.", "“Both bad” is allowed")] = False,
    allow_cannot_judge: Annotated[
        bool, Option("Counted, but excluded from figures. Unlike a skip, it takes a vote.", "“Cannot judge” is allowed")
    ] = False,
    strength_levels: Annotated[
        int | None, Option("How much better a text is, from 1 to this number.", low=FEWEST_LEVELS, high=MOST_LEVELS)
    ] = None,
    confidence_levels: Annotated[
        int | None, Option("How sure the annotator is, from 1 to this number.", low=FEWEST_LEVELS, high=MOST_LEVELS)
    ] = None,
    take_comments: Annotated[bool, Option("Annotators may write a comment on each vote.", "Comments")] = False,
    text_format: Annotated[
        str, Option("How annotators see texts. Fixed.", "Texts are", choices=dict(TextFormat.choices))
    ] = TextFormat.PLAIN.value,
    random_share: Annotated[
        float, Option("Share of pairs drawn at random from all, and marked.", "Share of random pairs", low=0, high=1)
    ] = 0.0,
    contexts: Annotated[
        int | None, Option("Only the first contexts. Without it, all.", low=1, high=LARGEST_NUMBER)
    ] = None,
    seed: Annotated[
        int | None, Option("Seed of the drawn pairs. Without it, a fresh one.", low=0, high=LARGEST_SEED)
    ] = None,
    allow_repeats: Annotated[
        bool,
        Option(
            "Annotators also get pairs that they saw in other campaigns on the attribute.",
            "Pairs are repeated across campaigns",
        ),
    ] = False,
) -> Campaign:
    """Create a campaign: draw its pairs or texts, and add its annotators.

    given_pairs: the pairs in the order to ask; None to draw the pairs. runs: then only recorded.
    first_round: the campaign whose disputed pairs it asks.
    questions, lowest, highest and their labels: by name of an attribute; "" for every attribute.
    Raises Refused with every problem of options that do not fit each other or the dataset.
    """
    is_of_ratings = kind == CampaignKind.RATINGS
    rule = rule_for(selection, is_of_ratings=is_of_ratings) if given_pairs is None else GIVEN
    choice = CampaignSelection(rule, pairs_per_context, contexts, pair_limit, random_share, tuple(runs))
    campaign = Campaign(
        dataset=dataset,
        created_by=created_by,
        first_round=first_round,
        kind=kind,
        name=name.strip(),
        pair_choice=choice.settings(),
        seed=secrets.randbelow(2**31) if seed is None else seed,
        chosen_state=state,
        guidelines=guidelines,
        votes_per_pair=votes_per_pair,
        wanted_width=wanted_width,
        most_skips=most_skips,
        most_cannot_judge=most_cannot_judge,
        deadline=deadline,
        allow_ties=allow_ties,
        allow_both_bad=allow_both_bad,
        allow_cannot_judge=allow_cannot_judge,
        strength_levels=strength_levels,
        confidence_levels=confidence_levels,
        take_comments=take_comments,
        text_format=text_format,
        allow_repeats=allow_repeats,
    )
    names = [attribute.name for attribute in attributes]
    questions = by_name(questions, names)
    scales = scales_of(names, lowest=lowest, highest=highest, lowest_label=lowest_label, highest_label=highest_label)
    _require_possible(campaign, choice, attributes, questions, scales)
    _require_annotators(annotators)
    campaign.pairs_planned = planned_pairs(campaign, choice, attributes)
    if given_pairs is None:
        pairs = draw_asked_pairs(campaign, choice, attributes)
    else:
        pairs = in_asked_order(given_pairs, attributes)
    try:
        with transaction.atomic():
            campaign.save(force_insert=True)
    except IntegrityError:  # another campaign of the person took the name at the same moment
        _require_possible(campaign, choice, attributes, questions, scales)
        raise
    store_attributes(campaign, attributes, questions, scales)
    change_guidelines(campaign, text=campaign.guidelines, changed_by=campaign.created_by)
    store_pairs(campaign, pairs)
    set_annotators(campaign, annotators=annotators)
    return campaign


def _require_possible(
    campaign: Campaign,
    choice: CampaignSelection,
    attributes: Sequence[Attribute],
    questions: Mapping[str, str],
    scales: Mapping[str, RatingScale],
) -> None:
    refusals = Refusals()
    refusals.of(lambda: require_ahead(campaign.deadline))
    problems = [
        *_kind_problems(campaign, choice, attributes, scales),
        *choice_problems(choice, attributes),
        *refusals.problems,
        *rule_problems(campaign),
        *attribute_problems(campaign.dataset, attributes, questions),
    ]
    if not campaign.name:
        problems.append("name: is empty — give the campaign a name")
    if not campaign.name.isprintable():
        problems.append(f"name: {campaign.name!a} — expected printable characters")
    problems += name_problems(Campaign, campaign.name, campaign.created_by)
    if not campaign.dataset.has_texts():
        problems.append(f'dataset: "{campaign.dataset.name}" has no texts, so annotators have nothing to read')
    raise_if_any(problems)


def _kind_problems(
    campaign: Campaign, choice: CampaignSelection, attributes: Sequence[Attribute], scales: Mapping[str, RatingScale]
) -> Iterator[str]:
    if not campaign.is_of_ratings:
        if scales:
            yield "lowest, highest: only a campaign of ratings has a scale; leave it out"
        return
    if choice.rule not in (TEXTS, GIVEN):
        yield f'selection: "{choice.rule}" chooses pairs; leave it out in a campaign of ratings'
    if campaign.allow_repeats:
        yield "allow_repeats: nobody rates a text twice on an attribute; leave it out"
    yield from scale_problems(attributes, scales)


def _require_annotators(people: Iterable[User]) -> None:
    problems = [
        f'annotators: "{person.get_username()}" does not have the role annotator'
        for person in people
        if not person.is_annotator
    ]
    raise_if_any(problems)


@noted(Act.CHANGE, what="people")
def set_annotators(campaign: Campaign, *, annotators: Collection[User]) -> None:
    """Replace the annotators of a campaign. Votes of removed annotators stay, and are theirs if they return."""
    _require_annotators(annotators)
    campaign.participations.exclude(annotator__in=annotators).delete()
    Participation.objects.bulk_create(
        [Participation(campaign=campaign, annotator=annotator) for annotator in annotators], ignore_conflicts=True
    )


@noted(Act.DISCARD)
def discard_campaign(campaign: Campaign) -> None:
    """Delete a campaign without votes. Raises Refused if it has votes."""
    wait_for_answers(campaign)
    if has_votes(campaign):
        raise Refused(f'campaign "{campaign.name}" has votes and cannot be deleted')
    campaign.delete()
