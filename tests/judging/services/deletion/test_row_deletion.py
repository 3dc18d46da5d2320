"""Deleting a dataset, a run or a judge with everything that rests on it."""

from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.utils import timezone

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import (
    AnswerEvent,
    AuditMark,
    Chunk,
    Comparison,
    Consent,
    ConsentText,
    Criteria,
    Dataset,
    EndpointBatch,
    Enrolment,
    FrozenReport,
    HumanScore,
    Judge,
    PairDecision,
    Reasoning,
    Run,
    RunEvent,
    Score,
    Study,
    TrainingAnswer,
    User,
)
from judging.models.activity_and_looks import Look
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.deletion.row_deletion import delete_row, deletion_of, rows_going
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import add_runs
from tests.campaigns import make_annotator, make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.stored_rows import every_count

pytestmark = pytest.mark.django_db


def texts_of(run, *, question="q", others=()):
    """Store a text about a candidate, one about the task, and criteria, which this run and others can use."""
    Run.objects.filter(pk__in=[run.pk, *(other.pk for other in others)]).update(
        reasoning_sha256=question, criteria_sha256=question
    )
    context = run.dataset.contexts.first()
    about = {"judge": run.judge, "question_sha256": question}
    for candidate in (context.candidates.first(), None):
        Reasoning.objects.create(candidate=candidate, text="Long.", max_new_tokens=9, **about)
    Criteria.objects.create(context=context, text="Clear.", **about)


def report_of(study, *runs):
    """Put runs into a study, and store a frozen report that shows them."""
    add_runs(study, runs)
    report = FrozenReport.objects.create(name=study.name, owner=study.owner, study=study, html="")
    report.runs.set(runs)
    return report


def full_run(dataset, *, owner, judge):
    """A run with a row in every table that refers to runs."""
    run = answer_run(make_run(dataset, owner=owner, judge=judge))
    texts_of(run, question=dataset.name)
    candidate = dataset.contexts.first().candidates.first()
    Score.objects.create(run=run, context=candidate.context, candidate=candidate, outcome="answered", value=1)
    AuditMark.objects.create(comparison=run.comparisons.first(), user=owner, mark="named")
    EndpointBatch.objects.create(run=run, key="k", batch_id="b", requests=1, status="completed")
    RunEvent.objects.record(run.pk, RunEvent.Kind.DONE)
    return run


def fill(dataset, *, owner, annotator, judge):
    """Store a row in every table that refers to a dataset or to what rests on it."""
    dataset.shared_with.add(annotator)
    run = full_run(dataset, owner=owner, judge=judge)
    campaign = make_ready_campaign(annotator, dataset=dataset, created_by=owner, name=f"On {dataset}")
    given = vote(campaign, annotator)
    AnswerEvent.objects.get_or_create(assignment=given.assignment, defaults={"kind": "changed"})
    HumanScore.objects.create(candidate=given.first, attribute=given.attribute, value=3, rater="h1")
    set_training_pairs(campaign, [KnownPair("c0", "a", "b", "first")])
    TrainingAnswer.objects.create(
        pair=campaign.training_pairs.get(), annotator=annotator, choice="first", swapped=False
    )
    invitation = create_invitation(campaign, admission="account", created_by=owner)
    Enrolment.objects.create(campaign=campaign, annotator=annotator, invitation=invitation, platform_person="p1")
    text = ConsentText.objects.create(campaign=campaign, text="We store votes.", version=1)
    Consent.objects.create(text=text, annotator=annotator)
    Look.objects.create(dataset=dataset, who=owner, door="page", run=run.pk, judge="own", figures="report")
    PairDecision.objects.create(pair=given.assignment.pair, answer="first", decided_by=owner, decided_at=timezone.now())
    exclude_rater(dataset, rater=annotator.rater_name, reason="too quick", user=owner)
    return run


@pytest.fixture(scope="module")
def stored(rows_of_module):
    """Rita's run on her full dataset, after his on another, both in one study, and the counts of rows without hers."""
    rita, annotator = make_user("rita", "researcher"), make_annotator("ann")
    people = {"owner": rita, "annotator": annotator, "judge": make_judge("own", owner=rita)}
    his = fill(make_dataset("His"), **people)
    study = Study.objects.create(name="Both", owner=rita, baseline=his)
    kept = report_of(study, his)
    before = every_count()
    hers = fill(make_dataset("Hers", owner=rita), **people)
    report_of(study, hers, his)
    return {"hers": hers, "his": his, "study": study, "kept": kept}, before


@pytest.fixture
def rita(stored):
    return User.objects.get(username="rita")


@pytest.fixture
def world(stored):
    """The stored rows, read again from the database."""
    rows, before = stored
    return SimpleNamespace(before=before, **{name: type(row).objects.get(pk=row.pk) for name, row in rows.items()})


def test_a_dataset_goes_with_every_row_that_rests_on_it_and_no_other(rita, world):
    dataset = world.hers.dataset
    kinds_without_a_row = [table for table, rows in rows_going(dataset).items() if not rows.exists()]

    gone = delete_row(dataset, rita, name="Hers")

    assert kinds_without_a_row == []
    assert every_count() | {"Activity": 0} == world.before | {"Activity": 0}
    assert (gone.goes["comparisons"], gone.goes["votes"], gone.goes["frozen reports"]) == (12, 1, 1)


def test_a_run_goes_with_its_answers_and_leaves_those_of_others(rita, world):
    Study.objects.filter(pk=world.study.pk).update(baseline=world.hers)

    assert delete_row(world.hers, rita, name=str(world.hers)).goes == {
        **{"runs": 1, "comparisons": 12, "scores": 1, "audit marks": 1, "chunks": 1, "run events": 1},
        **{"endpoint batches": 1, "places in studies": 1, "frozen reports": 1, "reasonings": 2, "criteria": 1},
    }
    assert [*Run.objects.all()] == [*world.study.runs.all()] == [world.his]
    assert {one.run for one in Comparison.objects.all()} == {world.his}
    assert [*FrozenReport.objects.all()] == [world.kept]
    world.study.refresh_from_db()
    assert world.study.baseline is None


@pytest.mark.parametrize(
    ("user", "reasonings", "criteria"),
    [("nobody", set(), 0), ("a run on the dataset", {"a", None}, 1), ("a run on another dataset", {None}, 0)],
)
def test_texts_of_a_judge_stay_for_runs_that_can_use_them(rita, user, reasonings, criteria):
    run = answer_run(make_run(make_dataset(owner=rita), owner=rita))
    other_dataset = make_dataset("Others")
    others = {"nobody": [], "a run on the dataset": [make_run(run.dataset)]}.get(user, [make_run(other_dataset)])
    texts_of(run, others=others)

    delete_row(run, rita, name=str(run))

    left = Reasoning.objects.filter(judge=run.judge)
    assert {text.candidate and text.candidate.key for text in left} == reasonings
    assert Criteria.objects.filter(judge=run.judge).count() == criteria


def test_a_judge_goes_with_its_runs_and_texts(rita, world):
    delete_row(world.his.judge, rita, name="own")

    assert not Run.objects.exists()
    assert not any(table.objects.exists() for table in (Comparison, Score, Reasoning, Criteria, FrozenReport))
    assert {dataset.name for dataset in Dataset.objects.all()} == {"His", "Hers"}


def test_nothing_is_deleted_by_another_name_or_where_a_row_comes_in_meanwhile(rita, world):
    counts = every_count()

    with pytest.raises(Refused, match='name: "hers" is not its name — type Hers to delete it'):
        delete_row(world.hers.dataset, rita, name="hers")

    assert every_count() == counts

    late = patch("judging.services.deletion.row_deletion.rows_going", without_comparisons)
    with late, pytest.raises(Refused, match="got new rows at this moment; nothing is deleted"):
        delete_row(world.hers, rita, name=str(world.hers))

    assert every_count() == counts


@pytest.mark.parametrize("state", [{"status": "running"}, {"status": "pending"}])
def test_no_run_is_deleted_while_it_is_being_judged(rita, world, state):
    Run.objects.filter(pk=world.hers.pk).update(**state)
    counts = every_count()

    for row in (world.hers, world.hers.dataset, world.hers.judge):
        with pytest.raises(Refused, match=f"run {world.hers.pk} is being judged — cancel it, and wait"):
            delete_row(row, rita, name=str(row))

    assert every_count() == counts


@pytest.mark.parametrize(
    ("changed", "is_refused"),
    [
        ({"status": "in_progress"}, True),
        ({"status": "cancelling"}, False),
        ({"status": "completed"}, False),
        ({"status": "in_progress", "created_at": timezone.now() - timedelta(days=1, minutes=1)}, False),
    ],
)
def test_no_run_is_deleted_while_its_batch_at_the_endpoint_would_still_be_paid(rita, world, changed, is_refused):
    Run.objects.filter(pk=world.hers.pk).update(status="cancelled")
    world.hers.batches.create(key="0" * 64, batch_id="batch-7", requests=3)
    world.hers.batches.update(**changed)

    with pytest.raises(Refused, match="would still be paid") if is_refused else nullcontext():
        delete_row(world.hers, rita, name=str(world.hers))

    assert Run.objects.filter(pk=world.hers.pk).exists() == is_refused


def test_no_cancelled_run_is_deleted_while_a_worker_still_holds_it(rita, world):
    lease = timezone.now() + timedelta(minutes=1)
    world.hers.chunks.update(status=Chunk.Status.RUNNING, lease_until=lease)

    with pytest.raises(Refused, match="wait for its workers"):
        delete_row(world.hers, rita, name=str(world.hers))


@pytest.mark.parametrize("made", ["run", "campaign", "report"])
def test_only_an_admin_deletes_work_of_others(rita, made):
    dataset, olaf = make_dataset(owner=rita), make_user("olaf", "researcher")
    run = answer_run(make_run(dataset, owner=olaf if made == "run" else rita))
    if made == "campaign":
        make_ready_campaign(dataset=dataset, created_by=olaf)
    if made == "report":
        report_of(Study.objects.create(name="Olaf's", owner=olaf), run)

    with pytest.raises(Refused, match=f"other people made 1 .*{made}s of these — ask an admin"):
        delete_row(dataset, rita, name="Summaries")
    delete_row(dataset, make_user("ada", "admin"), name="Summaries")

    assert not Dataset.objects.filter(name="Summaries").exists()


def test_an_admin_reads_whose_work_goes(rita, world):
    assert deletion_of(world.hers, make_user("ada", "admin")).remarks[0] == "it holds work of rita"
    assert deletion_of(world.hers).of_others == {"runs": 1, "frozen reports": 1}


def test_rows_of_the_command_line_are_work_of_nobody(rita):
    dataset = make_dataset(owner=rita)
    answer_run(make_run(dataset))

    delete_row(dataset, rita, name="Summaries")

    assert not Run.objects.filter(dataset__name="Summaries").exists()


def test_the_demo_judge_stays():
    with pytest.raises(Refused, match='the judge "demo" comes with Evenhand and stays'):
        delete_row(Judge.objects.get(name="demo"), name="demo")


def test_people_to_be_paid_are_counted_before(rita, world):
    remarks = deletion_of(world.hers.dataset, rita).remarks

    assert "1 participant came to be paid by a completion code" in remarks[0]
    assert deletion_of(world.hers, rita).remarks == [
        "studies lose these runs, and their tables these rows",
        "the links of these frozen reports end, also in published papers",
    ]


def test_cached_figures_go_with_what_they_show(rita, django_capture_on_commit_callbacks):
    cache.set("figure", 1)

    with django_capture_on_commit_callbacks(execute=True):
        delete_row(make_dataset(owner=rita), rita, name="Summaries")

    assert cache.get("figure") is None


def without_comparisons(row):
    """Return the rows that go, but for the comparisons: as if somebody stored them later."""
    return {table: rows for table, rows in rows_going(row).items() if table not in (Comparison, AuditMark)}
