"""A new jury by page, API (JSON and form) and command: the same answers, the same refusals."""

import pytest

from evenhand.report_json import as_json
from judging.models import Comparison, Judge, Run
from judging.services.datasets.dataset_changes import split_dataset
from rankings.juries.stored_juries import JuryRow, juries_of, make_jury
from tests.commands import printed
from tests.doors import arguments, texts
from tests.factories import make_dataset as make_unanswered_dataset
from tests.factories import make_run
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import hide
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


@pytest.fixture
def doors(client, capsys):
    """Each door: a dataset and options -> its problems, empty if there is a jury now."""

    def page(dataset, options):
        answer = client.post(f"/datasets/{dataset.pk}/juries/", {name: texts(value) for name, value in options.items()})
        errors = answer.context["form"].errors.items() if answer.context else ()
        return [text if name == "__all__" else f"{name}: {text}" for name, some in errors for text in some]

    def api(dataset, body, **kind):
        answer = client.post(f"/api/datasets/{dataset.pk}/juries/", body, **kind)
        return [] if answer.status_code == 201 else answer.json()["problems"]

    def command(dataset, options):
        others = {name: value for name, value in options.items() if name != "name"}
        words = ["jury", options.get("name", ""), "--dataset", dataset.name, *arguments(others), "--json"]
        try:
            capsys.readouterr(), printed(capsys, *words)
        except SystemExit:
            return capsys.readouterr().err.splitlines()
        return []

    return {
        "page": page,
        "JSON": lambda dataset, options: api(dataset, options, content_type="application/json"),
        "form": lambda dataset, options: api(dataset, {name: texts(value) for name, value in options.items()}),
        "command": command,
    }


def made():
    """Return a jury as JSON, and its answers; remove it."""
    [jury] = juries_of(list(Run.objects.all()))
    rows = Comparison.objects.filter(run=jury.run).order_by("pk")
    shown = as_json(JuryRow.of(jury)) | {"run": None}, list(rows.values_list("first", "second", "p_first", "choice"))
    jury.run.delete(), Judge.objects.filter(name="panel").delete()
    return shown


def two_judges(first, second):
    dataset = make_dataset(one_context(3, 2, 1))
    return [compared(dataset, answers(*first), judge="one"), compared(dataset, answers(*second), judge="two")]


def weighted_on_development():
    dataset = split_dataset(voted_dataset(contexts=40), seed=7)
    return [judged(dataset, "careful"), judged(dataset, "hasty")], {"by": "weighted", "choose_on": "development"}


def by_majority_of_one_attribute():
    return two_judges(["a b 0.9", "b a 0.2"], ["a b 0.5"]), {"by": "majority", "attribute": "overall"}


@pytest.mark.parametrize("case", [weighted_on_development, by_majority_of_one_attribute])
def test_every_door_makes_the_same_jury(doors, case):
    runs, options = case()
    juries = {}
    for name, door in doors.items():
        assert (name, door(runs[0].dataset, {"name": "panel", "run": [run.pk for run in runs]} | options)) == (name, [])
        juries[name] = made()

    assert juries["page"] == juries["JSON"] == juries["form"] == juries["command"]
    shown, rows = juries["page"]
    assert (shown["by"], shown["chosen_on"], shown["comparisons"]) == (
        *(options["by"], options.get("choose_on")),
        len(rows),
    )


def test_the_api_lists_the_juries_of_a_dataset(client):
    runs = two_judges(["a b 0.9"], ["a b 0.5"])
    jury = make_jury(name="panel", run=runs, by="mean")

    assert client.get(f"/api/datasets/{runs[0].dataset_id}/juries/").json() == [as_json(JuryRow.of(jury))]


def two(**options):
    return two_judges(["a b 0.9", "b a 0.2"], ["a b 0.5", "b a 0.8"]), options


def no_common_pair():
    return two_judges(["a b 0.9"], ["b c 0.9"]), {}


def one_member():
    return two_judges(["a b 0.9"], ["a b 0.9"])[:1], {}


def two_attributes():
    dataset = make_unanswered_dataset(attributes=("coherence", "fluency"))
    runs = [make_run(dataset, attribute=name) for name in ("coherence", "fluency")]
    Run.objects.update(status=Run.Status.DONE)
    return runs, {}


def two_attributes_of_which_one_is_used():
    return two_attributes()[0], {"attribute": "fluency"}


def an_unfinished_member():
    dataset = make_unanswered_dataset()
    return [make_run(dataset), make_run(dataset, prompt="comparative-2")], {}


def a_member_with_scores():
    runs = two_judges(["a b 0.9"], ["a b 0.9"])
    return [runs[0], scored(runs[0].dataset, "context,attribute,candidate,score\nc0,overall,a,3\n")], {}


def tuned_on_the_same_contexts():
    dataset = voted_dataset()
    careful, hasty = judged(dataset, "careful"), judged(dataset, "hasty")
    return [make_jury(name="tuned", run=[careful, hasty], by="weighted").run, hasty], {"by": "weighted"}


def weights_without_people():
    dataset = make_dataset(one_context(None, None, 3))
    return [compared(dataset, answers("a b 0.9"), judge=name) for name in ("one", "two")], {"by": "weighted"}


def the_same_jury_again():
    runs = two()[0]
    make_jury(name="panel", run=runs, by="mean")
    return runs, {}


def on_the_test_part():
    runs, options = weighted_on_development()
    return runs, options | {"choose_on": "test"}


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (no_common_pair, "answered no comparison that run"),
        (one_member, "run: a jury has at least two members"),
        (two_attributes, "name runs of one attribute"),
        (two_attributes_of_which_one_is_used, "run: a jury has at least two members"),
        (an_unfinished_member, "is not finished; wait for it"),
        (a_member_with_scores, "gives scores"),
        (tuned_on_the_same_contexts, "were learned on"),
        (weights_without_people, 'by: "weighted" learns from people'),
        (the_same_jury_again, "is the same"),
        (on_the_test_part, "choose on development, and report on test"),
        (lambda: two(by="weighted", choose_on="development"), "is not split; split it first"),
        (lambda: two(choose_on="development"), "is not split; split it first"),
        (lambda: two(by=""), "by: needed"),
        (lambda: two(by="meen"), 'by: "meen" is unknown (did you mean "mean"?); choose one of: majority, mean,'),
        (lambda: two(name=""), "name: needed"),
        (lambda: two(name="x" * 201), "name: 201 characters — write at most 200"),
        (lambda: two(name="one"), 'name: "one" is a judge of another kind'),
        (lambda: two(run=[]), "run: needed"),
        (lambda: two(run=["first"]), 'run: "first" — give a whole number'),
        (lambda: two(run=[0]), "run: there is no run 0 on Study"),
        (
            lambda: two(attribute="overal"),
            'attribute: there is no attribute "overal" on Study (did you mean "overall"?)',
        ),
    ],
)
def test_every_door_refuses_in_the_same_words(doors, case, reason):
    runs, options = case()
    count = Run.objects.count()
    said = {
        name: door(runs[0].dataset, {"name": "panel", "run": [run.pk for run in runs], "by": "mean"} | options)
        for name, door in doors.items()
    }

    assert said["page"] == said["JSON"] == said["form"] == said["command"]
    assert reason in said["page"][0]
    assert Run.objects.count() == count


def test_an_unknown_option_is_refused_by_page_and_api(doors):
    runs, _ = two()
    del doors["command"]

    for door in doors.values():
        [problem] = door(runs[0].dataset, {"name": "panel", "runs": [run.pk for run in runs], "run": [1], "by": "mean"})
        assert problem.startswith('runs: unknown (did you mean "run"?)')


def test_runs_of_somebody_else_or_of_another_dataset_are_no_members(doors):
    runs, _ = two()
    hide(runs[1])
    elsewhere = compared(make_dataset(one_context(1, 2), name="Other"), answers("a b 0.9"))
    options = {"name": "panel", "by": "mean"}

    for name, door in doors.items():
        assert "on Study" in door(runs[0].dataset, options | {"run": [runs[0].pk, elsewhere.pk]})[0]
        if name != "command":
            [problem] = door(runs[0].dataset, options | {"run": [run.pk for run in runs]})
            assert problem == f"run: there is no run {runs[1].pk} on Study that you may see"
    assert not Judge.objects.filter(name="panel").exists()
