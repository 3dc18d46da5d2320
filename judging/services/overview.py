"""The overview on the home page of a researcher: what runs, what is new, what waits, and the first steps."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef
from django.urls import reverse

from judging.models import Campaign, Choice, Comparison, Dataset, Outcome, Run, Score, Study, User, Vote
from judging.models.runs import RunQuerySet
from judging.services.demo import SAMPLE_NAME
from judging.services.studies.study_progress import RunState, study_progress

ROWS_OF_A_LIST = 5
LISTED_STATUSES = (Run.Status.DONE, Run.Status.FAILED)


@dataclass(frozen=True, slots=True)
class WaitingCampaign:
    """A campaign of `with_progress()` and the number of its disputed pairs: those with different votes."""

    campaign: Campaign
    disputed: int

    @property
    def is_waiting(self) -> bool:
        """True if it lacks votes, or has disputed pairs."""
        lacks_votes: bool = self.campaign.votes_done < self.campaign.votes_planned  # type: ignore[attr-defined]
        return lacks_votes or self.disputed > 0


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the first study. is_done: read from the rows that exist."""

    title: str
    explanation: str
    address: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """The lists of the home page. active: number of active runs; `running` holds the first few of them.

    unreadable: runs that ended with answers, and none of them can be read.
    """

    running: Sequence[RunState]
    active: int
    ended: Sequence[Run]
    campaigns: Sequence[WaitingCampaign]
    unreadable: Sequence[Run]
    steps: Sequence[Step]


def overview(user: User) -> Overview:
    """Read the overview of a researcher. The number of queries does not depend on the number of rows."""
    runs = Run.objects.visible_to(user).select_related("dataset", "attribute", "judge")
    active = runs.active()
    ended = runs.filter(status__in=LISTED_STATUSES).order_by(F("finished_at").desc(nulls_last=True), "-pk")
    return Overview(
        running=study_progress(list(active[:ROWS_OF_A_LIST])).runs,
        active=active.count(),
        ended=list(ended[:ROWS_OF_A_LIST]),
        campaigns=waiting_campaigns(user),
        unreadable=list(_without_readable_answer(runs)[:ROWS_OF_A_LIST]),
        steps=first_steps(user),
    )


def waiting_campaigns(user: User) -> list[WaitingCampaign]:
    """Return the campaigns that a researcher may see and that wait for votes or for a decision."""
    campaigns = list(Campaign.objects.visible_to(user).archived(is_archived=False).with_progress())
    disputed = _count_disputed(campaigns)
    rows = [WaitingCampaign(one, disputed.get(one.pk, 0)) for one in campaigns]
    return [row for row in rows if row.is_waiting][:ROWS_OF_A_LIST]


def _count_disputed(campaigns: Iterable[Campaign]) -> dict[int, int]:
    """Count campaign -> the pairs on which two votes differ. Excluded votes and votes without a decision are left out.

    Takes one query.
    """
    votes = Vote.objects.in_figures().filter(assignment__campaign__in=campaigns)
    fields = ("assignment__campaign", "assignment__pair", "choice", "first", "second")
    preferred: dict[tuple[int, int], set[int | None]] = defaultdict(set)
    for campaign, pair, choice, first, second in votes.order_by().values_list(*fields):
        preferred[campaign, pair].add({Choice.FIRST: first, Choice.SECOND: second}.get(choice))
    numbers: dict[int, int] = defaultdict(int)
    for (campaign, _), choices in preferred.items():
        numbers[campaign] += len(choices) > 1
    return numbers


def _without_readable_answer(runs: RunQuerySet) -> RunQuerySet:
    """Return the runs that are done, have unparsed answers, and no other."""
    unparsed = Exists(Comparison.objects.filter(run=OuterRef("pk"), outcome=Outcome.UNPARSED, p_first=None))
    no_score = Exists(Score.objects.filter(run=OuterRef("pk"), outcome=Outcome.UNPARSED, value=None))
    read = Exists(Comparison.objects.filter(run=OuterRef("pk"), outcome=Outcome.ANSWERED))
    scored = Exists(Score.objects.filter(run=OuterRef("pk"), outcome=Outcome.ANSWERED))
    return runs.filter(status=Run.Status.DONE).filter(unparsed | no_score).exclude(read).exclude(scored)


def first_steps(user: User) -> list[Step]:
    """Return the steps of the first study; none for somebody who has one."""
    if Study.objects.filter(owner=user).exists():
        return []
    datasets = Dataset.objects.visible_to(user)
    dataset = datasets.filter(name=SAMPLE_NAME).first() or datasets.first()
    if dataset is None:
        return [Step("Add a dataset", "Texts to judge, with human judgments.", reverse("dataset-upload"), False)]
    has_run = Run.objects.filter(owner=user).exists()
    new_study = f"{reverse('study-new')}?dataset={dataset.pk}"
    return [
        Step("Look at a dataset", "Its texts and human judgments.", dataset.get_absolute_url(), True),
        Step("Start a run", "A judge compares the texts in pairs.", reverse("run-new", args=[dataset.pk]), has_run),
        Step("Make a study", "Several judges or methods in one table.", new_study, False),
    ]
