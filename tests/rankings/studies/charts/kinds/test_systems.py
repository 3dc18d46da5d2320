"""The systems of a study, ranked by people and by each run."""

import pytest

from evenhand.numerics import Figure
from evenhand.numerics.reliability.system_ranks import SystemRank
from judging.models import Attribute, Dataset, Run
from judging.services.studies.study_changes import create_study
from rankings.studies.charts.chosen_runs import AnswersChoice
from rankings.studies.charts.kinds.systems import (
    RankedSystems,
    best_systems_sentence,
    ranked_systems,
    system_charts,
)
from rankings.studies.charts.run_panels import panels_of_runs, run_labels
from rankings.studies.dimensions import names_of_runs
from rankings.studies.pivots.pivot_choice import PivotChoice
from tests.commands import printed_json
from tests.rankings.charts.plotly import valid
from tests.rankings.pages import read
from tests.rankings.studies import make_dataset, scored
from tests.rankings.studies.charts.studies_with_charts import cells_by_row, contexts_with_systems, judged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]

METRIC = "context,attribute,candidate,score\n" + "".join(f"c0,overall,{key},{n}\n" for n, key in enumerate("abcd"))


@pytest.fixture(scope="module")
def study(rows_of_module):
    """A judge that follows the human scores, one that turns some pairs round, and a metric that reverses them."""
    dataset = make_dataset(contexts_with_systems(), name="Systems")
    runs = [judged(dataset, "GPT"), judged(dataset, "Llama", 1), scored(dataset, METRIC)]
    return create_study("Systems", runs=runs)


def test_table_ranks_systems_by_people_and_by_each_run(client, study):
    rows = cells_by_row(read(client, "study-systems", study))

    assert list(rows) == ["system a", "system b", "system c", "system d"]
    assert [cells["People.rank"] for cells in rows.values()] == [1, 2, 3, 4]
    assert [cells["GPT · comparative.rank"] for cells in rows.values()] == [1, 2, 3, 4]
    assert [cells["metric · scoring.rank"] for cells in rows.values()] == [4, 3, 2, 1]


@pytest.mark.parametrize("debias", ["", "yes"])
def test_ranks_are_those_of_the_mean_scores_of_the_command(client, study, capsys, debias):
    run = study.runs.get(judge__name="Llama")
    options = ["--debias"] if debias else []
    scores = printed_json(capsys, "scores", str(run.pk), "--ranking", "poe-gaussian", *options)["scores"]

    rows = cells_by_row(read(client, "study-systems", study, ranking="poe-gaussian", debias=debias))

    best_first = [row["system"] for row in sorted(scores, key=lambda row: -row["score"])]
    drawn = {name: cells["Llama · comparative.rank"] for name, cells in rows.items()}
    assert sorted(drawn, key=drawn.__getitem__) == best_first


def test_one_context_has_ranks_without_tiers_and_says_why(client, study):
    page = read(client, "study-systems", study)

    assert all("GPT · comparative.tier" not in cells for cells in cells_by_row(page).values())
    assert "an interval of this figure needs at least ten contexts" in page


def test_charts_are_valid_and_have_a_dot_for_each_system_by_people_and_by_each_run(study):
    runs = list(study.runs.order_by("pk"))
    choice = AnswersChoice(PivotChoice(("judge",), ("attribute",)).answers, None, debiased=False)
    names = names_of_runs(runs)
    ranked = ranked_systems(runs, run_labels(runs, names), choice, ranking="win-ratio")

    [chart] = system_charts(ranked, panels_of_runs(runs, names, {}))

    assert [(trace["name"], len(trace["x"])) for trace in valid(chart)["data"]] == [
        (name, 4) for name in ("People", "GPT · comparative", "Llama · comparative", "metric · scoring")
    ]


def test_table_and_chart_can_be_downloaded(client, study):
    table, latex, chart = (
        read(client, "study-systems", study, **query)
        for query in ({"table": "csv"}, {"table": "tex"}, {"picture": "systems.csv"})
    )

    assert table.splitlines()[0].split(",")[:2] == ["system", "People.rank.value"]
    assert "\\begin{tabular}" in latex
    assert {name for name in ("People", "GPT", "Llama") if name in chart} == {"People", "GPT", "Llama"}


def test_dataset_without_systems_says_why_nothing_is_ranked(client):
    dataset = make_dataset(contexts_with_systems(named=False))
    study = create_study("Anonymous", runs=[judged(dataset, "GPT")])

    assert "The texts of these datasets name no systems, or only one." in read(client, "study-systems", study)


def ranks(*tiers):
    """Return the ranks of systems a, b … by their tiers."""
    return {
        name: SystemRank(Figure(0.5), Figure(float(place)), tier)
        for place, (name, tier) in enumerate(zip("abcd", tiers, strict=False), start=1)
    }


@pytest.mark.parametrize(
    ("of_runs", "sentence"),
    [
        ([(1, 1, 3), (1, 1, 3), (1, 1, 1)], "2 of 3 runs have the same top tier: run 0 and run 1."),
        ([(1, 1, 1), (1, 2, 3)], "None of 2 runs has the same top tier."),
        ([(1, 1, 3), (1, 2, 3)], "1 of 2 runs has the same top tier: run 0."),
        ([(1, 2, 3)], "By run 0, a forms the top tier."),
    ],
)
def test_sentence_counts_the_runs_whose_top_tier_is_that_of_people(of_runs, sentence):
    run = Run(dataset=Dataset(name="Systems"), attribute=Attribute(name="overall"))
    ranked = [RankedSystems(run, f"run {n}", ranks(*tiers), ranks(1, 1, 3)) for n, tiers in enumerate(of_runs)]

    assert best_systems_sentence(ranked) == f"By human scores, a and b form the top tier. {sentence}"
