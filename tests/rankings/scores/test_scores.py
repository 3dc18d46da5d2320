"""Scores of candidates: values, errors, ranks, and why there are none."""

from math import log

import pytest
from django.urls import reverse

from evenhand.numerics import RANKINGS
from evenhand.refusals import Refused
from rankings.analyses import views
from rankings.scores import score_rows
from tests.commands import printed, printed_json
from tests.factories import make_dataset as make_unjudged_dataset
from tests.factories import make_run
from tests.rankings.report.report_figures import scores_json
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db

NO_ERROR = {"standard_error": "this ranking has no standard error"}


def test_scores_of_the_worked_example_are_its_win_ratios():
    run = compared(make_dataset())

    rows = scores_json(run, ranking="win-ratio")

    assert [(row["context"], row["candidate"], row["score"], row["rank"], row["human"]) for row in rows] == [
        ("c0", "a", 0.75, 1, 3),
        ("c0", "b", 0.375, 2.5, 2),
        ("c0", "c", 0.375, 2.5, 1),
        ("c1", "a", 0, 2, None),
        ("c1", "b", 1, 1, None),
        ("c1", "c", None, None, None),
    ]
    assert [row["system"] for row in rows] == ["S", "T", "U", "a", "b", "c"]
    assert rows[0]["undefined"] == NO_ERROR
    nothing = "the candidate has no answered comparison"
    assert rows[-1]["undefined"] == {
        "score": nothing,
        "standard_error": nothing,
        "rank": nothing,
        "human": "the candidate has no human score",
    }


def test_scores_of_averaged_orders_rest_on_the_mean_of_each_pair():
    run = compared(make_dataset(one_context(1, 2, 3)), answers("a b 0.75", "b a 0.5", "a c 0.9"))

    first, second, third = scores_json(run, ranking="average-probability", average_orders=True)

    assert (first["score"], second["score"], third["score"]) == (0.625, 0.375, None)
    assert third["undefined"]["score"] == "the candidate has no answered comparison"
    in_one_order = compared(run.dataset, answers("a b 0.75"), judge="one order")
    [first, *_] = scores_json(in_one_order, ranking="win-ratio", average_orders=True)
    assert (first["score"], first["undefined"]["score"]) == (None, "no pair was decided in both orders")


def test_scores_are_not_debiased_and_averaged_at_once():
    run = compared(make_dataset())

    with pytest.raises(Refused, match="choose one of the two"):
        scores_json(run, ranking="win-ratio", debias=True, average_orders=True)


def test_scores_of_poe_bt_have_the_standard_error_of_one_fitted_difference():
    run = compared(make_dataset(one_context(1, 2)), answers("a b 0.8"))

    first, second = scores_json(run, ranking="poe-bt")

    assert first["score"] == pytest.approx(log(4) / 2)
    assert second["score"] == pytest.approx(-log(4) / 2)
    # the information of the difference is 0.8 * 0.2; half the difference has half its standard error
    assert [row["standard_error"] for row in (first, second)] == pytest.approx([(0.8 * 0.2) ** -0.5 / 2] * 2)
    assert first["undefined"] == {}


def test_scores_of_a_context_that_is_not_connected_say_so():
    run = compared(make_dataset(one_context(4, 3, 2, 1)), answers("a b 0.7", "c d 0.8"))

    rows = scores_json(run, ranking="poe-bt")

    assert {row["score"] for row in rows} == {None}
    assert {row["undefined"]["score"] for row in rows} == {
        "the comparisons of this context do not connect all its compared candidates"
    }


def test_scores_of_a_debiased_ranking_that_does_not_exist_say_so():
    run = compared(make_dataset(one_context(2, 1)), answers("a b first"))

    rows = scores_json(run, ranking="win-ratio", debias=True)

    reason = "every p_first is 0, 1/2 or 1, so no threshold can be set"
    assert [row["score"] for row in rows] == [None, None]
    assert rows[0]["undefined"] == dict.fromkeys(("score", "standard_error", "rank"), reason)


def test_scores_of_contexts_that_the_run_did_not_ask_about_are_left_out():
    run = compared(make_dataset(), "context,attribute,first,second,p_first\nc1,overall,a,b,0.4\n")

    assert [row["context"] for row in scores_json(run, ranking="win-ratio")] == ["c1"] * 3


def test_scores_of_a_metric_are_those_it_gave():
    run = scored(make_dataset(one_context(1, None)), "context,attribute,candidate,score\nc0,overall,a,5\n")

    first, second = scores_json(run, ranking="score")

    assert (first["score"], first["rank"], first["human"], first["undefined"]) == (5, 1, 1, NO_ERROR)
    assert second["score"] is None
    assert second["undefined"]["score"] == "the candidate has no score"


@pytest.mark.parametrize(("scores", "human"), [((None, None), 1.5), ((3, 1), 3)])
def test_human_score_is_the_mean_of_the_ratings_where_there_is_no_score(scores, human):
    contexts = one_context(*scores)
    contexts[0]["candidates"][0]["ratings"] = {"overall": {"r1": 1, "r2": 2}}
    run = compared(make_dataset(contexts), answers("a b 0.5"))

    rows = scores_json(run, ranking="win-ratio")

    assert [(row["human"], row["system"]) for row in rows] == [(human, None), (scores[1], None)]


def test_scores_of_an_unknown_ranking_are_refused_with_the_known_ones():
    run = compared(make_dataset(one_context(2, 1)), answers("a b first"))

    with pytest.raises(Refused) as refused:
        scores_json(run, ranking="no-such")

    assert str(refused.value) == (f'ranking: run {run.pk} has no ranking "no-such"; there are: {", ".join(RANKINGS)}')


def test_scores_of_a_metric_cannot_be_debiased():
    run = scored(make_dataset(one_context(1, 2)), "context,attribute,candidate,score\nc0,overall,a,5\n")

    with pytest.raises(Refused, match="scores candidates one by one, so there is no position bias to remove"):
        scores_json(run, ranking="score", debias=True)


@pytest.fixture(scope="module")
def worked(rows_of_module):
    """The run of the worked example."""
    return compared(make_dataset(name="Worked"))


@pytest.mark.parametrize(
    ("query", "ending"), [({}, ""), ({"debias": "on"}, "-debiased"), ({"average_orders": "on"}, "-averaged")]
)
def test_downloaded_scores_say_in_their_name_what_was_done_about_the_order(worked, client, researcher, query, ending):
    answer = client.get(reverse("run-scores-download", args=[worked.pk]), {"ranking": "win-ratio"} | query)

    assert f'filename="run-{worked.pk}-win-ratio{ending}.csv"' in answer.headers["Content-Disposition"]


def blocks(client, run, **query):
    """Return the blocks of the page."""
    return client.get(reverse("run-scores", args=[run.pk]), {"ranking": "win-ratio"} | query).context["blocks"]


def table_of(shown, title):
    return next(one.table for one in shown if one.table and one.block.label.startswith(title))


def shown(client, run, **query):
    """Return the context and the candidate of each row of the page."""
    table = table_of(blocks(client, run, **query), "Scores")
    return [(section.title, [row.name for row in section.rows]) for section in table.sections]


def test_page_shows_the_best_candidate_of_each_context_first_however_the_systems_are_sorted(worked, client, researcher):
    assert shown(client, worked) == [("Context c0", ["a", "b", "c"]), ("Context c1", ["b", "a", "c"])]
    assert shown(client, worked, sort="-win_rate")[0] == ("Context c0", ["a", "b", "c"])


def test_page_begins_with_the_system_that_the_judge_prefers(worked, client, researcher):
    sentence, systems, _ = blocks(client, worked)

    rates = {row.name: row.cells[0].number for row in systems.table.sections[0].rows}
    assert sentence.block.text.startswith("The judge prefers b in 100.0\u202f% of its comparisons with other")
    assert rates == {"b": "100.0", "S": "75.0", "T": "37.5", "U": "37.5", "a": "0.0", "c": "–"}


def test_page_names_every_system_that_shares_the_highest_win_rate(client, researcher):
    [context] = one_context(1, 2)
    for candidate, system in zip(context["candidates"], "ST", strict=True):
        candidate["system"] = system
    run = compared(make_dataset([context]), answers("a b 0.75", "b a 0.75"))

    sentence, *_ = blocks(client, run)

    assert sentence.block.text == (
        "The judge prefers S and T most, each in 50.0\u202f% of its comparisons with other systems."
    )


def test_too_many_systems_and_contexts_have_no_win_rates_but_the_reason(
    client, researcher, monkeypatch, forget_reports
):
    monkeypatch.setattr(score_rows, "MOST_COMBINATIONS", 11)  # six systems in two contexts
    run = compared(make_dataset())

    systems, _ = blocks(client, run)

    assert "combinations of contexts and systems" in systems.table.notes[0]


def test_candidates_without_systems_have_no_win_rates(client, researcher):
    run = compared(make_dataset(one_context(1, 2)), answers("a b 0.8"))

    [scores] = blocks(client, run)

    assert scores.block.label == "Scores by win ratio"


def test_page_leads_from_a_candidate_to_its_context(worked, client, researcher):
    page = client.get(reverse("run-scores", args=[worked.pk])).content.decode()

    context = worked.dataset.contexts.get(key="c1")
    assert f'<a href="{reverse("context", args=[context.pk])}">b</a>' in page


def test_page_of_many_candidates_is_sorted_by_the_server_alone(worked, client, researcher, monkeypatch):
    monkeypatch.setattr(views, "ROWS_OF_A_PAGE", 4)

    first, second = (blocks(client, worked, sort="-rank", page=page)[-1].table for page in (1, 2))

    assert [(one.title, len(one.rows)) for one in first.sections] == [("Context c0", 3), ("Context c1", 1)]
    assert [row.name for row in second.sections[0].rows] == ["b", "c"]
    assert (first.is_part, second.is_part) == (True, True)
    assert "page=" not in second.headings[0].sort.href


def test_page_of_a_run_without_answers_says_so(client, researcher):
    run = make_run(make_unjudged_dataset(), owner=researcher)

    assert "The run has no answer yet." in client.get(reverse("run-scores", args=[run.pk])).content.decode()


def test_table_says_once_why_figures_are_missing(worked, client, researcher):
    table = table_of(blocks(client, worked), "Scores")

    assert table.reasons == ("the candidate has no human score", "the candidate has no answered comparison")
    [note] = table.notes
    assert note.startswith("Not available: Standard error (this ranking has no standard error;")


def test_win_rates_of_systems_are_in_json_long_form_and_text(worked, capsys):
    options = (worked.pk, "--ranking", "win-ratio")

    systems = printed_json(capsys, "scores", *options)["systems"]
    lines = [row for row in printed_json(capsys, "scores", *options, "--long")["rows"] if row["figure"] == "win_rate"]
    text = printed(capsys, "scores", *options)

    assert {one["system"]: one["win_rate"]["value"] for one in systems} == {
        **{"S": 0.75, "T": 0.375, "U": 0.375},
        **{"b": 1.0, "a": 0.0, "c": None},
    }
    assert {line["system"]: (line["value"], line["low"], line["n"], line["undefined"]) for line in lines} == {
        one["system"]: tuple(one["win_rate"].get(name) for name in ("value", "low", "n", "undefined"))
        for one in systems
    }
    assert {(line["variant"], line["candidate"]) for line in lines} == {("raw", None)}
    assert "System  Win rate (%)" in text


def test_scores_without_a_choice_are_those_of_bradley_terry_or_as_given(client, researcher):
    compares = compared(make_dataset(one_context(2, 1)), answers("a b 0.8", "b a 0.3"))
    scores = scored(compares.dataset, "context,attribute,candidate,score\nc0,overall,a,5\n")

    for run, ranking in ((compares, "bradley-terry"), (scores, "score")):
        usual = client.get(f"/api/runs/{run.pk}/scores/").json()["scores"]
        assert usual == scores_json(run, ranking=ranking)


def test_page_offers_only_the_rankings_of_the_run(client, researcher):
    compares = compared(make_dataset(one_context(2, 1)), answers("a b 0.8"))
    scores = scored(compares.dataset, "context,attribute,candidate,score\nc0,overall,a,5\n")

    fields = [client.get(reverse("run-scores", args=[run.pk])).context["form"].fields for run in (compares, scores)]

    assert {name for name, _ in fields[0]["ranking"].choices} == set(RANKINGS)
    assert list(fields[1]) == ["without_system", "without_context"]
