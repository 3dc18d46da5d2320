"""The comparison matrix of each run of a study, in the order of a ranking."""

import csv
import io

import pytest
from django.urls import reverse

from judging.services.studies.study_changes import create_study
from tests.commands import printed_json
from tests.rankings.pages import read
from tests.rankings.studies import compared, make_dataset, scored
from tests.rankings.studies.charts.studies_with_charts import (
    cells_by_row,
    contexts_with_systems,
    judged,
    make_study,
    p_first,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]

METRIC = "context,attribute,candidate,score\n" + "".join(f"c0,overall,{key},{n}\n" for n, key in enumerate("abcd"))


@pytest.fixture(scope="module")
def study(rows_of_module):
    """A judge that follows the human scores, one that turns some pairs round, and a run outside of the study."""
    dataset = make_dataset(contexts_with_systems(), name="Systems")
    judged(dataset, "outsider", 2)
    return create_study("Systems", runs=[judged(dataset, "GPT"), judged(dataset, "Llama", 1)])


def table_of(client, study, **choices):
    """Return (run, system) -> column -> value, from the CSV file."""
    response = client.get(reverse("study-matrix", args=[study.pk]), {"table": "csv", **choices})
    rows = csv.DictReader(io.StringIO(response.getvalue().decode()))
    return {(row.get("run", ""), row.get("system") or row.get("candidate")): row for row in rows}


def test_cell_is_p_first_with_the_row_shown_before_the_column(client, study):
    rows = table_of(client, study)

    for judge, noise in (("GPT", 0), ("Llama", 1)):
        for row, column in ("ab", "ba", "ad", "dc"):
            cell = rows[judge, f"system {row}"][f"before.system {column}.value"]
            assert float(cell) == pytest.approx(p_first(row, column, noise))
    assert rows["GPT", "system a"]["before.system a.value"] == ""
    assert {run for run, _ in rows} == {"GPT", "Llama"}


@pytest.mark.parametrize("debias", ["", "yes"])
def test_rows_are_in_the_order_of_the_scores_of_the_command(client, study, capsys, debias):
    run = study.runs.get(judge__name="Llama")
    options = ["--debias"] if debias else []
    scores = printed_json(capsys, "scores", str(run.pk), "--ranking", "poe-gaussian", *options)["scores"]

    rows = table_of(client, study, ranking="poe-gaussian", debias=debias)

    best_first = [row["system"] for row in sorted(scores, key=lambda row: -row["score"])]
    assert [system for judge, system in rows if judge == "Llama"] == best_first


def test_rows_may_be_in_the_order_of_people(client):
    dataset = make_dataset(contexts_with_systems())
    rows = "".join(
        f"c0,overall,{one},{other},{float(one > other)}\n" for one in "abcd" for other in "abcd" if one != other
    )
    study = create_study("Reversed", runs=[compared(dataset, f"context,attribute,first,second,p_first\n{rows}")])

    by_run, by_people = (list(table_of(client, study, by=by)) for by in ("", "people"))

    assert by_people == by_run[::-1]
    assert "prefers the lower-ranked system in 6 of 6 pairs" in read(client, "study-matrix", study, by="people")
    assert "prefers the lower-ranked system in 0 of 6 pairs" in read(client, "study-matrix", study)


def test_sentence_names_the_runs_with_the_fewest_and_the_most_reversed_pairs(client):
    dataset = make_dataset(contexts_with_systems())
    straight = [(one, other) for one in "abcd" for other in "abcd" if one < other]
    cyclic = [(other, one) if (one, other) == ("a", "d") else (one, other) for one, other in straight]
    runs = [
        compared(
            dataset,
            "context,attribute,first,second,p_first\n"
            + "".join(f"c0,overall,{one},{other},0.9\nc0,overall,{other},{one},0.1\n" for one, other in answers),
            judge=judge,
        )
        for judge, answers in (("Even", straight), ("Odd", cyclic))
    ]

    both, alone = (
        read(client, "study-matrix", create_study(name, runs=some))
        for name, some in (("Both", runs), ("One", runs[:1]))
    )

    assert (
        "Even prefers the lower-ranked system in 0 of 6 pairs, the fewest of 2 runs; Odd has the most, 1 of 6." in both
    )
    assert "Even prefers the lower-ranked system in 0 of 6 pairs." in alone


def test_matrices_of_several_runs_are_charts_on_one_scale(client, study):
    page = read(client, "study-matrix", study)

    assert page.count("data-chart=") == 2
    assert page.count('"cmin": 0.1') == page.count('"cmax": 0.9') == 2
    assert page.count('[0.5, "var(--surface)"]') == 2


def test_picture_has_the_names_of_both_systems(client, study):
    response = client.get(reverse("study-matrix", args=[study.pk]), {"picture": "matrix-1.csv"})

    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert (rows[1]["series"], rows[1]["x"], float(rows[1]["y"])) == ("system a", "system b", p_first("a", "b", 0))


def test_candidates_of_few_contexts_need_no_systems(client):
    study = make_study("GPT")

    assert "Name a context to compare its candidates." in read(client, "study-matrix", study)
    assert list(cells_by_row(read(client, "study-matrix", study, context="c0"))) == ["a", "b", "c", "d"]


def test_unknown_context_is_named(client, study):
    assert "the dataset has no context &quot;c9&quot;" in read(client, "study-matrix", study, context="c9")


def test_run_of_scores_has_no_matrix_and_says_why(client):
    dataset = make_dataset(contexts_with_systems())
    study = create_study("Metric", runs=[judged(dataset, "GPT"), scored(dataset, METRIC)])

    page = read(client, "study-matrix", study)

    assert "No matrix for 1 of 2 runs: a run that scores candidates one by one gives no probability" in page
    assert page.count("data-chart=") == 1
