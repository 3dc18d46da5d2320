"""Juries: their answers and weights, and how page and command show them."""

import pytest
from django.urls import reverse

from evenhand.engine import DEMO_MODEL
from evenhand.refusals import Refused
from judging.models import HumanScore, Judge, Run
from judging.services.datasets.dataset_changes import split_dataset
from rankings.juries.stored_juries import make_jury
from rankings.juries.views import jury_sections
from tests.commands import printed, printed_json, refused
from tests.factories import make_user
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import answers, compared, make_dataset, one_context

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

    jury = make_jury(name="panel", run=runs, by=by)

    assert p_first_of(jury.run) == expected
    assert (jury.comparisons, jury.run.asked_in_all, jury.partly_answered) == (2, 2, 2)


def test_unparsed_answers_of_a_member_leave_the_pair_out():
    runs = two_judges(["a b 0.9", "b a unparsed"], ["a b 0.5", "b a 0.8"])

    jury = make_jury(name="panel", run=runs, by="mean")

    assert (list(p_first_of(jury.run)), jury.partly_answered) == (["ab"], 1)


def test_a_jury_is_a_run_like_any_other(capsys):
    dataset = voted_dataset()
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]

    made = printed_json(capsys, "jury", "panel", "--dataset", "Panel", "--run", runs[0].pk, runs[1].pk, "--by", "mean")

    rows = printed_json(capsys, "report", "--dataset", "Panel")["rows"]
    [row] = [row for row in rows if row["run"] == made["run"]]
    assert (row["judge"], row["method"], row["prompt"]) == ("panel", "jury", "mean")
    assert (row["comparisons"], row["accuracy"]["n"]) == (120, 120)
    assert printed_json(capsys, "compare", made["run"], runs[0].pk)["comparisons"] == 120


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


def test_one_member_is_calibrated_and_diagnostics_show_it_before_and_after(client, researcher, capsys):
    dataset = voted_dataset(contexts=40)
    run = judged(dataset, "hasty")

    made = printed_json(capsys, "jury", "calibrated", "--dataset", "Panel", "--run", run.pk, "--by", "weighted")

    [member] = made["members"]
    assert (member["run"], member["answers"], made["comparisons"]) == (run.pk, 240, 240)
    assert 0 < member["low"] < member["weight"] < member["high"] < 1
    before, after = (printed_json(capsys, "diagnostics", number) for number in (run.pk, made["run"]))
    assert "calibration_before" not in before
    assert after["calibration_before"] == before["calibration"]
    assert after["calibration"]["brier_score"]["value"] < before["calibration"]["brier_score"]["value"]
    client.force_login(researcher)
    page = client.get(reverse("run-diagnostics", args=[made["run"]])).content.decode()
    assert "<td>before calibration" in page or ">before calibration<" in page
    assert "Dotted: before calibration." in page


def test_judge_that_cannot_be_calibrated_is_refused_with_what_would_help(capsys):
    choosing = two_judges(["a b first", "b a second"], ["a b 0.9", "b a 0.2"])
    words = ("--dataset", "Study", "--by", "weighted", "--run")

    assert refused(capsys, "jury", "calibrated", *words, choosing[0].pk) == [
        f"run: {choosing[0].pk} gave choices, and only probabilities can be calibrated; judge with a model that has "
        "them, or name two runs or more"
    ]
    assert refused(capsys, "jury", "calibrated", *words, choosing[1].pk) == [
        'by: "weighted" learns from people, but people prefer a candidate in fewer than two of the contexts that all '
        "judges answered; ask people to vote on these pairs"
    ]
    assert refused(capsys, "jury", "one", *words[:2], "--by", "mean", "--run", choosing[1].pk) == [
        "run: a jury has at least two members; name two runs or more, or calibrate one with learned weights"
    ]


def test_weights_chosen_on_development_do_not_depend_on_the_test_part_and_pages_warn(client, researcher, capsys):
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
    for address in (reverse("dataset-juries", args=[dataset.pk]), reverse("run-results", args=[made["run"]])):
        assert "learned on the development part" in client.get(address).content.decode()


def test_accuracies_beside_a_jury_are_those_of_the_report(capsys):
    dataset = voted_dataset()
    runs = [judged(dataset, "careful"), judged(dataset, "hasty")]
    jury = make_jury(name="panel", run=runs, by="mean").run

    [section] = jury_sections([*runs, jury])

    rows = printed_json(capsys, "report", "--dataset", "Panel")["rows"]
    reported = {row["run"]: row["accuracy"] for row in rows}
    shown = {row.member.run: row.accuracy for row in section.members} | {jury.pk: section.accuracy}
    assert {run: (one.value, one.low, one.high, one.n) for run, one in shown.items()} == {
        run: (one["value"], one["low"], one["high"], one["n"]) for run, one in reported.items()
    }


@pytest.mark.usefixtures("researcher")
def test_a_jury_with_the_demo_judge_warns_wherever_its_figures_stand(client):
    runs = two_judges(["a b 0.9", "b a 0.2"], ["a b 0.5", "b a 0.8"])
    Judge.objects.filter(name="two").update(model=DEMO_MODEL)
    inner = make_jury(name="panel", run=[Run.objects.get(pk=run.pk) for run in runs], by="mean").run
    outer = make_jury(name="panel of panels", run=[inner, runs[0]], by="product").run

    page = client.get(reverse("dataset-juries", args=[inner.dataset_id])).content.decode()

    assert page.count("The demo judge is a member.") == 2
    assert "The demo judge is trained" in client.get(reverse("run-results", args=[outer.pk])).content.decode()


def test_command_lists_members_and_answers_left_out(capsys):
    runs = two_judges(["a b 0.9", "b a 0.2", "a c 0.6"], ["a b 0.5", "b a 0.8"])

    shown = printed(capsys, "jury", "panel", "--dataset", "Study", "--run", *[run.pk for run in runs], "--by", "mean")

    assert "panel, mean of 2 members: 2 comparisons" in shown
    assert f"run {runs[0].pk}: one, recorded: 3 answers (100.0\u202f% of the pairs)" in shown
    assert f"run {runs[1].pk}: two, recorded: 2 answers (66.7\u202f% of the pairs)" in shown


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


def test_the_same_jury_of_somebody_else_is_neither_named_nor_in_the_way():
    runs = two_judges(["a b 0.9", "b a 0.2"], ["a b 0.5", "b a 0.8"])
    people = [make_user(name, "researcher") for name in ("rita", "olaf")]

    made = [make_jury(person, name="panel", run=runs, by="mean").run for person in people]

    assert [run.owner for run in made] == people
    with pytest.raises(Refused, match=f"run: {made[0].pk} is the same"):
        make_jury(people[0], name="panel", run=runs, by="mean")
