"""The data card of a package: what it holds, facts about its votes, and how to recompute its tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Exists, Max, Min, OuterRef
from django.template.loader import render_to_string

from evalsite import __version__
from evenhand.formats.records import AttributeRecord, ContextRecord, DatasetRecord
from judging.models import Assignment, Campaign, Dataset, Vote
from judging.models.labelling.guidelines import guidelines_digest
from judging.services.campaigns.campaign_history import describe_growth
from judging.services.publishing.croissant import Publication
from judging.services.publishing.package_files import WrittenFile, recompute_commands
from judging.services.publishing.package_pseudonyms import may_name_a_person
from judging.services.publishing.published_runs import PublishedRun


@dataclass(frozen=True, slots=True)
class AttributeFacts:
    """An attribute with the numbers of its human scores, ratings and votes, and of the people who gave them."""

    attribute: AttributeRecord
    scores: int
    ratings: int
    votes: int
    raters: int


@dataclass(frozen=True, slots=True)
class GuidelinesFacts:
    """A version of guidelines. digest: its name in the rows of votes. text: empty if it may name a person."""

    digest: str
    text: str


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """How the votes or ratings of a campaign were collected. guidelines: the versions under which people gave them.

    growth: a sentence for each time more was asked while it ran.
    """

    campaign: Campaign
    answers: int
    annotators: int
    first_day: date
    last_day: date
    growth: Sequence[str]
    guidelines: Sequence[GuidelinesFacts]


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """Counts of a dataset. subsets: contexts in each. campaign_votes: votes given here; the others were imported."""

    contexts: int
    candidates: int
    systems: int
    subsets: dict[str, int]
    attributes: list[AttributeFacts]
    votes: int
    campaign_votes: int
    campaigns: list[CampaignFacts]

    @property
    def imported_votes(self) -> int:
        return self.votes - self.campaign_votes


def dataset_facts(dataset: Dataset, record: DatasetRecord) -> DatasetFacts:
    """Count what a record holds, and read how its votes were collected."""
    given_here = Vote.objects.filter(attribute__dataset=dataset).exclude(assignment=None)
    candidates = [candidate for context in record.contexts for candidate in context.candidates]
    return DatasetFacts(
        contexts=len(record.contexts),
        candidates=len(candidates),
        systems=len({candidate.system for candidate in candidates} - {""}),
        subsets=dict(Counter(context.subset for context in record.contexts if context.subset)),
        attributes=list(_attribute_facts(record)),
        votes=sum(len(context.votes) for context in record.contexts),
        campaign_votes=given_here.count(),
        campaigns=list(_campaign_facts(dataset)),
    )


def _attribute_facts(record: DatasetRecord) -> Iterator[AttributeFacts]:
    scores, ratings, votes = Counter[str](), Counter[str](), Counter[str]()
    raters: dict[str, set[str]] = defaultdict(set)
    for context in record.contexts:
        votes.update(vote.attribute for vote in context.votes)
        for name, rater in _attributes_and_raters(context):
            raters[name].add(rater)
        for candidate in context.candidates:
            scores.update(candidate.scores.keys())
            ratings.update({name: len(by_rater) for name, by_rater in candidate.ratings.items()})
    for attribute in record.attributes:
        name = attribute.name
        yield AttributeFacts(attribute, scores[name], ratings[name], votes[name], len(raters[name]))


def _attributes_and_raters(context: ContextRecord) -> Iterator[tuple[str, str]]:
    """Yield attribute and rater of every vote and rating."""
    for vote in context.votes:
        yield vote.attribute, vote.rater
    for candidate in context.candidates:
        for attribute, by_rater in candidate.ratings.items():
            yield from ((attribute, rater) for rater in by_rater)


def _campaign_facts(dataset: Dataset) -> Iterator[CampaignFacts]:
    """Yield the campaigns with votes, without their names."""
    rows = Campaign.objects.filter(dataset=dataset).prefetch_related("asked_attributes").order_by("pk")
    for campaign in rows:
        given = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.VOTED)
        people = Count("annotator", distinct=True)
        numbers = given.aggregate(
            answers=Count("pk"), annotators=people, first=Min("answered_at"), last=Max("answered_at")
        )
        if not numbers["answers"]:
            continue
        yield CampaignFacts(
            campaign=campaign,
            answers=numbers["answers"],
            annotators=numbers["annotators"],
            first_day=numbers["first"].date(),
            last_day=numbers["last"].date(),
            growth=describe_growth(campaign),
            guidelines=_guidelines_of(campaign),
        )


def _guidelines_of(campaign: Campaign) -> list[GuidelinesFacts]:
    """Return the versions with answers, the earliest first. A text that stands in two versions comes once."""
    given = Assignment.objects.filter(guidelines=OuterRef("pk"), status=Assignment.Status.VOTED)
    texts = campaign.guidelines_texts.filter(Exists(given)).exclude(text="").values_list("text", flat=True)
    return [
        GuidelinesFacts(guidelines_digest(text), "" if may_name_a_person(text) else text)
        for text in dict.fromkeys(texts)
    ]


def data_card(
    dataset: Dataset,
    record: DatasetRecord,
    runs: Sequence[PublishedRun],
    written: Sequence[WrittenFile],
    publication: Publication,
) -> str:
    """Return the card in Markdown. written: the files that it describes."""
    context = {
        "dataset": dataset,
        "facts": dataset_facts(dataset, record),
        "runs": runs,
        "written": written,
        "publication": publication,
        "version": __version__,
        "commands": recompute_commands(dataset.name, runs),
        "adaptive": [run for run in runs if run.run.hold_out is not None],
        "sampled": [run for run in runs if run.run.temperature or run.run.criteria_name or run.run.thinking],
        "renamed": [run for run in runs if run.judge != run.run.judge.name],
    }
    return render_to_string("judging/publishing/README.md", context)
