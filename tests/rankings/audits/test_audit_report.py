"""The explanations of wrong verdicts: the sample that people mark, and their marks."""

import csv
import io

import pytest
from django.db.models import F
from django.urls import reverse

from judging.models import AuditMark, Exclusion, HumanScore, Reasoning, User
from judging.services.trimming import remove_old_reasoning
from rankings.audits.audit_report import audit_report, wrong_verdicts
from tests.factories import answer_run, make_run, make_user
from tests.factories import make_dataset as make_unjudged_dataset
from tests.rankings.audits.explained_runs import EXPLAINED, explained_run
from tests.rankings.report.report_figures import audit_json
from tests.rankings.studies import compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def run():
    """Three wrong verdicts that are explained; one that is not, one tie, one right, one on which people say nothing."""
    return explained_run()


def mark(run, text, user, given):
    AuditMark.objects.create(comparison=run.comparisons.get(text=text), user=user, mark=given)


def test_audit_stays_the_same_when_old_reasoning_goes(run):
    run.comparisons.exclude(text="").update(thinking=F("text"), text="A")
    shown = run.comparisons.get(thinking="A is short.")
    AuditMark.objects.create(comparison=shown, mark="named", user=make_user("ann", "annotator"))
    before = audit_json(run)
    type(run).objects.filter(pk=run.pk).update(finished_at="2020-01-01T00:00:00Z")

    remove_old_reasoning(30)

    assert (audit_json(run), before["explained"], before["marked"]) == (before, 3, 1)
    assert {one.explanations for one in wrong_verdicts(run)} == {("[removed after 30 days]\n\nA",)}


def test_wrong_verdicts_are_decisions_with_reasoning_that_people_contradict(run):
    found = wrong_verdicts(run)

    assert {(one.explanations, one.preferred) for one in found} == {
        (("A is short.",), "second"),
        (("C is off topic.",), "first"),
        (("A repeats itself.",), "second"),
    }
    assert [one.comparison for one in wrong_verdicts(run)] == [one.comparison for one in found]


def test_wrong_verdict_of_reasoning_about_each_text_has_both_reasonings():
    run = answer_run(make_run(make_unjudged_dataset(candidates=(2,)), prompt="prepair-1"))
    texts = {"a": "About a.", "b": "About b."}
    for value, candidate in enumerate(run.dataset.contexts.get().candidates.all()):
        HumanScore.objects.create(candidate=candidate, attribute=run.attribute, value=value)
        Reasoning.objects.create(
            judge=run.judge,
            question_sha256=run.reasoning_sha256,
            candidate=candidate,
            text=texts[candidate.key],
            max_new_tokens=run.spec["method"]["max_new_tokens"],
        )

    [wrong] = wrong_verdicts(run)

    assert wrong.explanations == ("About a.", "About b.")


def test_explanation_of_a_whole_reply_is_the_reply():
    run = answer_run(make_run(make_unjudged_dataset(candidates=(2,)), prompt="cot-reply-1"))
    for value, candidate in enumerate(run.dataset.contexts.get().candidates.all()):
        HumanScore.objects.create(candidate=candidate, attribute=run.attribute, value=value)
    run.comparisons.update(thinking="B is short. ", text="Therefore, A is better.")

    [wrong] = wrong_verdicts(run)

    assert wrong.explanations == ("B is short.\n\nTherefore, A is better.",)


def test_share_counts_each_verdict_once_and_excludes_undecided_marks(run):
    ann, bob = make_user("ann", "researcher"), make_user("bob", "researcher")
    mark(run, "A is short.", ann, "named")
    mark(run, "A is short.", bob, "missed")
    mark(run, "C is off topic.", ann, "named")
    mark(run, "A repeats itself.", bob, "unsure")

    report = audit_json(run)

    assert (report["explained"], report["asked"], report["marked"]) == (3, 3, 3)
    assert (report["named"]["value"], report["named"]["n"]) == (0.75, 2)
    assert (report["agreement"]["value"], report["agreement"]["n"]) == (0.0, 1)
    assert [(one["named"], one["missed"], one["unsure"]) for one in report["raters"]] == [(2, 0, 0), (0, 1, 1)]


def test_marks_on_another_run_are_told_of_that_run(client, researcher, run):
    other = compared(run.dataset, EXPLAINED, judge="other")
    mark(other, "A is short.", researcher, "named")

    assert (audit_json(run)["marked"], audit_json(other)["marked"]) == (0, 1)
    lines = b"".join(client.get(reverse("run-explanations-download", args=[run.pk])).streaming_content).decode()
    assert researcher.rater_name not in lines


def test_everybody_is_shown_their_own_mark(client, researcher, run):
    first = wrong_verdicts(run)[0].comparison
    AuditMark.objects.create(comparison_id=first, user=make_user("bob", "researcher"), mark="missed")

    shown = client.get(reverse("run-explanation", args=[run.pk, 1])).context

    assert (shown["mark"], shown["done"]) == (None, 0)


def test_nothing_marked_is_undefined(run):
    assert audit_json(run)["named"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "undefined": "nobody marked an explanation as identifying or missing the flaw",
    }


def test_researcher_marks_one_after_the_other(client, researcher, run):
    sample = wrong_verdicts(run)
    for place in (1, 2):
        address = reverse("run-explanation", args=[run.pk, place])
        assert sample[place - 1].explanations[0] in client.get(address).content.decode()
        answer = client.post(address, {"mark": "named"})
        assert answer.url == reverse("run-explanation", args=[run.pk, place + 1])

    last = client.post(reverse("run-explanation", args=[run.pk, 3]), {"mark": "unsure"})

    assert last.url == reverse("run-explanations", args=[run.pk])
    assert list(AuditMark.objects.values_list("comparison", "mark")) == [
        (sample[0].comparison, "named"),
        (sample[1].comparison, "named"),
        (sample[2].comparison, "unsure"),
    ]


def test_mark_is_changed_not_doubled(client, researcher, run):
    address = reverse("run-explanation", args=[run.pk, 1])

    client.post(address, {"mark": "named"})
    client.post(address, {"mark": "missed"})

    assert AuditMark.objects.get().mark == "missed"
    assert 'value="missed" data-keys="m"' in client.get(address).content.decode()


def test_question_mark_lists_the_keys_of_those_who_use_keys(client, researcher, run):
    address = reverse("run-explanation", args=[run.pk, 1])

    assert '<summary data-keys="?" aria-keyshortcuts="?">Keys</summary>' in client.get(address).content.decode()
    User.objects.filter(pk=researcher.pk).update(single_keys=False)
    assert "<kbd>" not in client.get(address).content.decode()


@pytest.mark.parametrize(("place", "given"), [(4, "named"), (0, "named"), (1, "perhaps")])
def test_mark_that_cannot_be_is_not_found(client, researcher, run, place, given):
    assert client.post(reverse("run-explanation", args=[run.pk, place]), {"mark": given}).status_code == 404
    assert not AuditMark.objects.exists()


def test_run_without_reasoning_has_no_audit_page(client, researcher):
    run = compared(make_dataset())

    assert client.get(reverse("run-explanations", args=[run.pk])).status_code == 404
    assert "Explanations" not in client.get(reverse("run-results", args=[run.pk])).content.decode()


def test_page_and_download_agree(client, researcher, run):
    mark(run, "A is short.", researcher, "named")

    page = client.get(reverse("run-explanations", args=[run.pk])).content.decode()
    lines = b"".join(client.get(reverse("run-explanations-download", args=[run.pk])).streaming_content).decode()

    assert "3 wrong verdicts have an explanation" in page
    marks = {row["explanation"]: row["mark"] for row in csv.DictReader(io.StringIO(lines))}
    assert marks == {"A is short.": "named", "C is off topic.": "", "A repeats itself.": ""}


def test_audit_in_long_form_has_every_figure(run, client, researcher):
    mark(run, "A is short.", make_user("ann", "researcher"), "named")

    text = b"".join(client.get(f"/runs/{run.pk}/explanations/long.csv")).decode()
    rows = {(row["figure"], row["variant"]): row for row in csv.DictReader(io.StringIO(text))}

    assert (rows["named", ""]["value"], rows["named", ""]["n"]) == ("1.0", "1")
    assert rows["explained", ""]["value"] == "3.0"
    [rater] = audit_json(run)["raters"]
    assert rows["raters", f"{rater['rater']}.named"]["value"] == "1.0"


def test_audit_leaves_out_systems_and_contexts(run, client):
    user = make_user("rita", "researcher")
    client.force_login(user)
    mark(run, "A repeats itself.", user, "named")
    mark(run, "A is short.", user, "missed")

    report = audit_report(run, exclusion=Exclusion(contexts=("c0",)))
    page = client.get(reverse("run-explanations", args=[run.pk]), {"without_context": "c0"}).content.decode()

    assert (report.explained, report.asked, report.marked, report.named.value) == (1, 1, 1, 1.0)
    assert "All figures are without context c0" in page
    assert "1 wrong verdict has an explanation" in page
    assert "without" not in audit_json(run)


def test_audit_without_a_system_keeps_the_verdicts_on_the_others(run):
    system = run.dataset.contexts.first().candidates.get(key="c").system

    assert audit_report(run, exclusion=Exclusion(systems=(system,))).explained == 2
