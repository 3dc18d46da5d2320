"""Repeatability by command, page and API, and the noise floor beside differences."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from judging.demo import SAMPLE_DATASET
from judging.models import Attribute, Candidate, HumanScore
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset, make_run, make_user
from tests.rankings.pages import hide, read
from tests.rankings.repeats.repeated_judging import repeat, store_samples
from tests.rankings.report.report_figures import differences_json
from tests.rankings.studies import answers, compared, one_context
from tests.rankings.studies import make_dataset as make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
DOCUMENT = Path(__file__).parents[3] / "docs/reference/repeatability.md"


def scored_dataset(*, owner=None, contexts=2):
    """Contexts of three candidates; people score a above b above c. 6 ordered pairs each."""
    dataset = make_dataset(candidates=(3,) * contexts, owner=owner)
    attribute = Attribute.objects.get(dataset=dataset)
    HumanScore.objects.bulk_create(
        HumanScore(candidate=candidate, attribute=attribute, value=-ord(candidate.key))
        for candidate in Candidate.objects.filter(context__dataset=dataset)
    )
    return dataset


def rows_of(capsys, dataset, *options):
    return printed_json(capsys, "repeatability", "--dataset", dataset.name, *options)["rows"]


def test_flips_and_noise_of_runs_that_differ_only_in_their_seed_are_as_worked_by_hand(capsys):
    """One error in the first context, two in the second."""
    dataset = scored_dataset()
    runs = [repeat(dataset, seed=1), repeat(dataset, seed=2, firsts=(0, 7, 8))]
    repeat(dataset, seed=3, prompt="comparative-2")

    [row] = rows_of(capsys, dataset)

    assert (row["runs"], row["repeats"], row["between"]) == ([run.pk for run in runs], 2, "runs")
    assert (row["comparisons"], row["partly_answered"]) == (12, 0)
    assert (row["flip_rate"]["value"], row["flip_rate"]["n"]) == (0.25, 12)
    assert row["flip_rate"]["undefined"] == "an interval needs at least three contexts"
    assert row["kappa"]["value"] == pytest.approx(0.496503, abs=1e-6)  # (0.75 - pe) / (1 - pe), pe = (11² + 13²) / 24²
    accuracy = row["figures"][0]
    assert (accuracy["values"], accuracy["mean"]) == ([1.0, 0.75], 0.875)
    text = printed(capsys, "repeatability", "--dataset", dataset.name)
    assert "Asked again, tiny (comparative-1) changes 25.0" in text
    assert "Differences of its accuracy below" in text
    assert accuracy["standard_deviation"]["value"] == pytest.approx(((1 / 2 + 4 / 2) / 12**2) ** 0.5)


def test_pairs_that_only_some_repeats_answered_are_left_out_and_counted(capsys):
    dataset = scored_dataset()
    repeat(dataset, seed=1)
    repeat(dataset, seed=2, firsts=(0,)).comparisons.last().delete()

    [row] = rows_of(capsys, dataset)

    assert (row["comparisons"], row["partly_answered"]) == (11, 1)
    assert row["flip_rate"]["value"] == pytest.approx(1 / 11)


def test_samples_of_one_run_are_repeats_too(capsys):
    dataset = make_dataset(candidates=(2, 2))
    run = make_run(dataset, generation=GenerationSettings(samples=3, temperature=0.7))
    pairs = [tuple(pair) for chunk in run.chunks.all() for pair in chunk.pairs]
    reads = [
        ["first", "first", "first"],
        ["first", "second", "first"],
        ["tie", "first", "second"],
        ["first", None, "first"],
    ]
    store_samples(run, pairs, reads)

    [row] = rows_of(capsys, dataset)

    assert (row["runs"], row["repeats"], row["between"]) == ([run.pk], 3, "samples")
    assert (row["comparisons"], row["partly_answered"]) == (3, 1)
    assert row["flip_rate"]["value"] == pytest.approx((0 + 2 + 3) / 9)
    assert row["figures"][0]["noise_floor"]["undefined"].startswith("people prefer no candidate of a compared pair")


def test_named_runs_of_recorded_answers_may_have_different_judges(capsys):
    dataset = make_study(one_context(3, 2, 1))
    runs = [
        compared(dataset, answers("a b 0.9", "b a 0.2"), judge="first time"),
        compared(dataset, answers("a b 0.8", "b a 0.7"), judge="second time"),
    ]

    assert rows_of(capsys, dataset) == []
    [row] = rows_of(capsys, dataset, "--run", runs[0].pk, "--run", runs[1].pk)

    assert row["flip_rate"]["value"] == 0.5


def test_runs_that_do_not_repeat_each_other_are_refused_with_the_reason(capsys):
    dataset = scored_dataset()
    one, other = repeat(dataset, seed=1), repeat(dataset, seed=1, prompt="comparative-2")
    warmer = repeat(dataset, seed=1, generation=GenerationSettings(samples=1, temperature=0.5))
    command = ("repeatability", "--dataset", dataset.name)

    assert refused(capsys, *command, "--run", one.pk) == [
        "run: repeats are two or more runs; name two different ones, or none for all repeats"
    ]
    assert refused(capsys, *command, "--run", one.pk, "--run", other.pk) == [
        f'run: {other.pk} has the prompt "comparative-2", {one.pk} "comparative-1"; repeats ask the same questions'
    ]
    assert refused(capsys, *command, "--run", one.pk, "--run", warmer.pk) == [
        f"run: {warmer.pk} asks with other settings than {one.pk}; repeats differ only in seed and pairs"
    ]


def test_repeats_without_a_common_answer_are_listed_as_left_out(capsys):
    dataset = scored_dataset()
    runs = [
        repeat(dataset, seed=1),
        make_run(dataset, generation=GenerationSettings(1, 1.0), selection=SelectionSettings(seed=2)),
    ]

    report = printed_json(capsys, "repeatability", "--dataset", dataset.name)

    assert report["rows"] == []
    [left_out] = report["left_out"]
    assert left_out["runs"] == [run.pk for run in runs]
    assert left_out["why"].startswith("no comparison was answered by all")


def test_noise_floor_stands_beside_the_difference_of_two_repeated_judges(capsys):
    dataset = scored_dataset(contexts=4)
    ones = [repeat(dataset, seed=1), repeat(dataset, seed=2, firsts=(0, 7, 8))]
    others = [
        repeat(dataset, seed=seed, firsts=firsts, prompt="comparative-2") for seed, firsts in ((1, (3,)), (2, ()))
    ]

    own = differences_json(*ones)["differences"][0]["noise_floor"]
    both = differences_json(ones[0], others[0])["differences"][0]["noise_floor"]

    [row, _] = rows_of(capsys, dataset)
    assert own == row["figures"][0]["noise_floor"]
    assert 0 < both["value"] < own["value"]
    assert "Noise floor" in printed(capsys, "compare", ones[0].pk, others[0].pk)


def test_difference_has_no_noise_floor_while_one_judge_was_not_asked_again():
    dataset = scored_dataset()
    one, alone = repeat(dataset, seed=1), repeat(dataset, seed=1, prompt="comparative-2")
    repeat(dataset, seed=2)

    floor = differences_json(one, alone)["differences"][0]["noise_floor"]

    assert floor == {"value": None, "undefined": f"run {alone.pk} has no repeat; judge again with another seed"}


@pytest.mark.usefixtures("researcher")
def test_page_compares_the_runs_of_its_form_and_refuses_those_that_are_no_repeats(client):
    dataset = scored_dataset()
    one, _, third = (repeat(dataset, seed=seed) for seed in range(3))
    unlike = repeat(dataset, seed=3, prompt="comparative-2")
    address = reverse("dataset-repeatability", args=[dataset.pk])

    chosen = client.get(address, {"run": [one.pk, third.pk]})
    refused = client.get(address, {"run": [one.pk, unlike.pk]})

    assert [row.runs for row in chosen.context["report"].rows] == [[one.pk, third.pk]]
    assert refused.context["form"].errors["run"]
    assert "report" not in refused.context


@pytest.mark.usefixtures("researcher")
def test_page_without_repeats_says_how_to_get_some(client):
    dataset = make_dataset()
    repeat(dataset, seed=1)

    assert "No run repeats another. Start the same run again" in read(client, "dataset-repeatability", dataset)


@pytest.mark.usefixtures("researcher")
def test_runs_of_somebody_else_do_not_count(client):
    dataset = scored_dataset()
    run = repeat(dataset, seed=1)
    repeat(dataset, seed=2, firsts=(0,), owner=make_user("olga", "researcher"))

    assert client.get(f"/api/datasets/{dataset.pk}/repeatability/").json()["rows"] == []
    [difference, *_] = differences_json(run, repeat(dataset, seed=1, prompt="comparative-2"))["differences"]
    assert difference["noise_floor"]["value"] is None
    hide(run)
    assert client.get(f"/api/datasets/{dataset.pk}/repeatability/").json()["rows"] == []


@pytest.mark.slow
def test_documented_numbers_are_those_of_the_demo_judge_at_temperature_1(capsys):
    printed(capsys, "import_dataset", SAMPLE_DATASET, "--name", "Sample")
    for seed in (1, 2, 3):
        options = ("--attribute", "coherence", "--contexts", 12, "--samples", 1, "--temperature", 1, "--seed", seed)
        printed(capsys, "judge", "--dataset", "Sample", "--judge", "demo", *options)

    [row] = printed_json(capsys, "repeatability", "--dataset", "Sample")["rows"]

    written = DOCUMENT.read_text()
    flips, kappa = (float(re.search(rf"\| {name} \| (\d\.\d+)", written)[1]) for name in ("flip rate", "Fleiss' kappa"))
    floors = [float(value) for value in re.findall(r"\| noise floor of .* \| (\d\.\d+)", written)]
    # Samples may differ on another processor, by a few answers.
    assert row["flip_rate"]["value"] == pytest.approx(flips, abs=0.01)
    assert row["kappa"]["value"] == pytest.approx(kappa, abs=0.02)
    assert [one["noise_floor"]["value"] for one in row["figures"]] == pytest.approx(floors, abs=0.01)
