"""Juries made by the command, the page and the API."""

import pytest
from django.urls import reverse

from evenhand.engine import DEMO_MODEL
from judging.models import HumanScore, Judge, Run, Vote
from judging.services.datasets.context_parts import split_dataset
from rankings.juries.jury_page import jury_sections
from rankings.juries.stored_juries import make_jury
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset as make_unanswered_dataset
from tests.factories import make_run
from tests.rankings.agreement.panels import JUDGES, judged, voted_dataset
from tests.rankings.pages import hide
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def two_judges(first, second):
    """Two runs on one context of three candidates. first, second: rows of answers."""
    dataset = make_dataset(one_context(3, 2, 1))
    return [compared(dataset, answers(*first), judge="one"), compared(dataset, answers(*second), judge="two")]


def p_first_of(run):
    """Probability or choice of each pair, by the keys of its candidates."""
    rows = run.comparisons.values_list("first__key", "second__key", "p_first", "choice")
    return {first + second: choice or p_first for first, second, p_first, choice in rows}


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("majority", {"ab": "first", "ba": "tie"}),
        ("mean", {"ab": pytest.approx(0.7), "ba": 0.5}),
        ("product", {"ab": pytest.approx(1 / (1 + (0.1 / 0.9) ** 0.5)), "ba": 0.5}),
    ],
)
def test_jury_combines_the_answers_on_common_pairs(by, expected):
    runs = two_judges(["a b 0.9", "b a 0.2", "a c 0.6"], ["a b 0.5", "b a 0.8", "b c 0.6"])

    jury = make_jury("panel", runs, by=by)

    assert p_first_of(jury.run) == expected
    assert (jury.comparisons, jury.partly_answered) == (2, 2)


def test_unparsed_answers_of_a_member_leave_the_pair_out():
    runs = two_judges(["a b 0.9", "b a unparsed"], ["a b 0.5", "b a 0.8"])

    jury = make_jury("panel", runs, by="mean")

    assert (list(p_first_of(jury.run)), jury.partly_answered) == (["ab"], 1)


def test_a_jury_is_a_run_like_any_other(capsys):
    dataset = voted_dataset()
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]

    made = printed_json(capsys, "jury", "panel", "--dataset", "Panel", "--run", runs[0].pk, runs[1].pk, "--by", "mean")

    rows = printed_json(capsys, "report", "--dataset", "Panel")["rows"]
    [row] = [row for row in rows if row["run"] == made["run"]]
    assert (row["judge"], row["method"], row["prompt"]) == ("panel", "jury", "mean")
    assert (row["comparisons"], row["accuracy"]["n"]) == (120, 120)
    compared_with = printed_json(capsys, "compare", made["run"], runs[0].pk)
    assert compared_with["comparisons"] == 120


def test_weights_are_learned_and_named(capsys):
    dataset = voted_dataset(contexts=40)
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    numbers = [run.pk for run in runs]

    made = printed_json(capsys, "jury", "panel", "--dataset", "Panel", "--run", *numbers, "--by", "weighted")

    careful, hasty = made["members"]
    assert careful["weight"] > hasty["weight"]
    assert careful["low"] < careful["weight"] < careful["high"]
    folds = Run.objects.get(pk=made["run"]).spec["jury"]["weights_by_fold"]
    assert len(folds) == 5
    assert len({tuple(weights) for weights in folds}) == 5


def test_weights_by_agreement_need_no_people(capsys):
    dataset = voted_dataset(contexts=40)
    numbers = [judged(dataset, name).pk for name in JUDGES]
    Vote.objects.all().delete()
    HumanScore.objects.all().delete()

    made = printed_json(capsys, "jury", "panel", "--dataset", "Panel", "--run", *numbers, "--by", "bt-sigma")

    weights = {member["judge"]: member["weight"] for member in made["members"]}
    assert weights["careful"] > weights["hasty"]
    for member in made["members"]:
        assert member["low"] < member["weight"] < member["high"]
        assert member["bias_low"] < member["bias"] < member["bias_high"]
    assert None not in p_first_of(Run.objects.get(pk=made["run"])).values()


def test_weights_chosen_on_development_do_not_depend_on_the_test_part(capsys):
    dataset = split_dataset(voted_dataset(contexts=40), seed=7)
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    numbers = [run.pk for run in runs]

    words = ("--dataset", "Panel", "--run", *numbers, "--by", "weighted", "--choose-on", "development")
    made = printed_json(capsys, "jury", "before", *words)
    tested = dataset.contexts.filter(fields__part="test")
    HumanScore.objects.filter(candidate__context__in=tested).update(value=0)
    after = printed_json(capsys, "jury", "after", *words)

    assert made["chosen_on"] == "development"
    assert made["members"] == after["members"]
    assert made["comparisons"] == 240
    assert p_first_of(Run.objects.get(pk=made["run"])) == p_first_of(Run.objects.get(pk=after["run"]))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["weighted", "--choose-on", "development"], "is not split; split it first"),
        (["weighted", "--choose-on", "test"], "choose on development, and report on test"),
        (["mean", "--choose-on", "development"], "only the rule"),
    ],
)
def test_choices_on_a_part_that_cannot_be_are_refused(capsys, words, reason):
    dataset = voted_dataset()
    numbers = [judged(dataset, name).pk for name in ("careful", "hasty")]

    problems = refused(capsys, "jury", "panel", "--dataset", "Panel", "--run", *numbers, "--by", *words)

    assert reason in "\n".join(problems)


@pytest.mark.usefixtures("researcher")
def test_page_learns_weights_on_development_and_warns(client):
    dataset = split_dataset(voted_dataset(contexts=40), seed=7)
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    address = reverse("dataset-juries", args=[dataset.pk])
    numbers = [run.pk for run in runs]

    answer = client.post(address, {"run": numbers, "by": "weighted", "name": "panel", "choose_on": "development"})

    jury = Run.objects.get(judge__name="panel")
    assert jury.chosen_on == "development"
    for page in (address, answer.url):
        assert "learned on the development part" in client.get(page).content.decode()


def test_accuracies_beside_a_jury_are_those_of_the_report(capsys):
    dataset = voted_dataset()
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    jury = make_jury("panel", runs, by="mean").run

    [section] = jury_sections([*runs, jury])

    rows = printed_json(capsys, "report", "--dataset", "Panel")["rows"]
    reported = {row["run"]: row["accuracy"] for row in rows}
    shown = {row.member.run: row.accuracy for row in section.members} | {jury.pk: section.accuracy}
    assert {run: (one.value, one.low, one.high, one.n) for run, one in shown.items()} == {
        run: (one["value"], one["low"], one["high"], one["n"]) for run, one in reported.items()
    }


def test_two_members_are_too_few_for_weights_by_agreement(capsys):
    runs = two_judges(["a b 0.9", "b a 0.2"], ["a b 0.5", "b a 0.8"])
    numbers = [run.pk for run in runs]

    problems = refused(capsys, "jury", "panel", "--dataset", "Study", "--run", *numbers, "--by", "bt-sigma")

    assert "cannot show which of them errs; choose majority, mean or product" in problems[0]


@pytest.mark.usefixtures("researcher")
def test_a_jury_with_the_demo_judge_warns_wherever_its_figures_stand(client):
    runs = two_judges(["a b 0.9", "b a 0.2"], ["a b 0.5", "b a 0.8"])
    Judge.objects.filter(name="two").update(model=DEMO_MODEL)
    inner = make_jury("panel", [Run.objects.get(pk=run.pk) for run in runs], by="mean").run
    outer = make_jury("panel of panels", [inner, runs[0]], by="product").run

    page = client.get(reverse("dataset-juries", args=[inner.dataset_id])).content.decode()

    assert page.count("The demo judge is a member.") == 2
    assert "The demo judge is trained" in client.get(reverse("run-results", args=[outer.pk])).content.decode()


def test_command_lists_members_and_answers_left_out(capsys):
    runs = two_judges(["a b 0.9", "b a 0.2", "a c 0.6"], ["a b 0.5", "b a 0.8"])

    shown = printed(capsys, "jury", "panel", "--dataset", "Study", "--run", *[run.pk for run in runs], "--by", "mean")

    assert "panel, mean of 2 members: 2 comparisons" in shown
    assert f"run {runs[0].pk}: one, recorded: 3 answers (100.0\u202f% of the pairs)" in shown
    assert f"run {runs[1].pk}: two, recorded: 2 answers (66.7\u202f% of the pairs)" in shown


def members_that_share_no_pair():
    return two_judges(["a b 0.9"], ["b c 0.9"])


def one_member_twice():
    return [two_judges(["a b 0.9"], ["a b 0.9"])[0]] * 2


def members_on_two_attributes():
    dataset = make_unanswered_dataset(attributes=("coherence", "fluency"))
    runs = [make_run(dataset, attribute=name) for name in ("coherence", "fluency")]
    Run.objects.update(status=Run.Status.DONE)
    return list(Run.objects.filter(pk__in=[run.pk for run in runs]).order_by("pk"))


def a_member_that_is_not_finished():
    dataset = make_unanswered_dataset()
    return [make_run(dataset), make_run(dataset, prompt="comparative-2")]


def a_member_that_gives_scores():
    runs = two_judges(["a b 0.9"], ["a b 0.9"])
    csv = "context,attribute,candidate,score\nc0,overall,a,3\n"
    return [runs[0], scored(runs[0].dataset, csv)]


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        (members_that_share_no_pair, "answered no comparison that run"),
        (one_member_twice, "at least two members"),
        (members_on_two_attributes, "name runs of one attribute"),
        (a_member_that_is_not_finished, "is not finished; wait for it"),
        (a_member_that_gives_scores, "gives scores"),
    ],
)
def test_runs_that_cannot_be_one_jury_are_refused(capsys, runs, reason):
    members = runs()
    numbers = [run.pk for run in members]
    count = Run.objects.count()

    problems = refused(capsys, "jury", "panel", "--dataset", members[0].dataset.name, "--run", *numbers, "--by", "mean")

    assert reason in "\n".join(problems)
    assert Run.objects.count() == count


def test_weights_without_preferences_of_people_are_refused(capsys):
    dataset = make_dataset(one_context(None, None, 3))
    numbers = [compared(dataset, answers("a b 0.9"), judge=name).pk for name in ("one", "two")]

    problems = refused(capsys, "jury", "panel", "--dataset", "Study", "--run", *numbers, "--by", "weighted")

    assert "learns from people" in problems[0]
    assert "choose majority, mean or product" in problems[0]


def test_weighted_jury_is_no_member_of_a_weighted_jury(capsys):
    dataset = voted_dataset()
    careful, hasty = judged(dataset, "careful"), judged(dataset, "hasty")
    tuned = make_jury("tuned", [careful, hasty], by="weighted").run

    problems = refused(capsys, "jury", "more", "--dataset", "Panel", "--run", tuned.pk, hasty.pk, "--by", "weighted")

    assert "were learned on" in problems[0]


def test_same_jury_is_not_stored_twice(capsys):
    runs = two_judges(["a b 0.9"], ["a b 0.5"])
    stored = make_jury("panel", runs, by="mean").run
    numbers = [run.pk for run in runs]

    problems = refused(capsys, "jury", "panel", "--dataset", "Study", "--run", *numbers, "--by", "mean")

    assert f"run: {stored.pk} is the same" in problems[0]


def test_jury_has_a_name_of_its_own(capsys):
    runs = two_judges(["a b 0.9"], ["a b 0.5"])
    numbers = [run.pk for run in runs]

    problems = refused(capsys, "jury", "one", "--dataset", "Study", "--run", *numbers, "--by", "mean")

    assert 'name: "one" is a judge of another kind' in problems[0]


@pytest.mark.usefixtures("researcher")
def test_jury_is_made_by_page_and_listed_there(client):
    dataset = voted_dataset()
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    address = reverse("dataset-juries", args=[dataset.pk])

    answer = client.post(address, {"run": [run.pk for run in runs], "by": "weighted", "name": "panel"})

    jury = Run.objects.get(judge__name="panel")
    assert answer.url == reverse("run-results", args=[jury.pk])
    page = client.get(address).content.decode()
    assert "Learned weights of 2 members" in page
    assert "Its best member alone, careful with recorded:" in page
    assert f"{jury.spec['jury']['members'][0]['weight']:.3f}" in page
    assert Judge.objects.get(name="panel").is_jury
    assert "careful, recorded" in client.get(jury.get_absolute_url()).content.decode()


@pytest.mark.usefixtures("researcher")
def test_page_says_why_runs_cannot_be_one_jury(client):
    runs = members_that_share_no_pair()
    address = reverse("dataset-juries", args=[runs[0].dataset_id])

    page = client.post(address, {"run": [run.pk for run in runs], "by": "mean", "name": "panel"})

    assert "answered no comparison that run" in page.content.decode()
    assert not Judge.objects.filter(name="panel").exists()


@pytest.mark.usefixtures("researcher")
def test_api_makes_and_lists_juries_as_the_command_prints_them(client, capsys):
    dataset = voted_dataset()
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    address = f"/api/datasets/{dataset.pk}/juries/"
    numbers = [run.pk for run in runs]

    made = client.post(address, {"name": "panel", "runs": numbers, "by": "mean"}, content_type="application/json")

    assert made.status_code == 201
    assert client.get(address).json() == [made.json()]
    by_command = printed_json(capsys, "jury", "other", "--dataset", "Panel", "--run", *numbers, "--by", "mean")
    assert made.json() | {"run": 0, "judge": ""} == by_command | {"run": 0, "judge": ""}


@pytest.mark.usefixtures("researcher")
def test_runs_of_somebody_else_are_no_members(client):
    runs = two_judges(["a b 0.9"], ["a b 0.5"])
    hide(runs[1])
    address = f"/api/datasets/{runs[0].dataset_id}/juries/"
    body = {"name": "panel", "runs": [run.pk for run in runs], "by": "mean"}

    assert client.post(address, body, content_type="application/json").status_code == 404
