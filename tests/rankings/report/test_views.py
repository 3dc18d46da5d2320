"""Results pages: what a reader sees first, what is undefined and why, and the same to take home."""

import csv
import io
import json
import re

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from judging.models import Candidate, Comparison, HumanScore, Judge, Run
from rankings.report.pages.dataset_page import people
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, caption_of, report_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import TableStyle
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.rankings.report.report_figures import report_json

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


def scored_run(owner, name: str = "Articles", candidates: tuple[int, ...] = (3, 3), **fields) -> Run:
    """Contexts (two of three) of candidates whose human scores are 1, 2, 3; the judge always prefers the first."""
    dataset = make_dataset(name, candidates=candidates)
    attribute = dataset.attributes.get()
    for context in dataset.contexts.all():
        for value, candidate in enumerate(context.candidates.all(), start=1):
            HumanScore.objects.create(candidate=candidate, attribute=attribute, value=value)
    return answer_run(make_run(dataset, owner=owner, **fields))


def better_wins(run: Run) -> Run:
    """The judge decides as people do, without a doubt of the order."""
    for comparison in run.comparisons.select_related("first", "second"):
        p_first = 0.9 if comparison.first.position > comparison.second.position else 0.2
        Comparison.objects.filter(pk=comparison.pk).update(p_first=p_first)
    return run


def read(client, name: str, *args: object, **query: str) -> str:
    return client.get(reverse(name, args=args), query).content.decode()


def test_results_begin_with_a_sentence_and_its_interval(client, researcher):
    run = better_wins(scored_run(researcher))

    page = read(client, "run-results", run.pk)

    headline = "Accuracy against human preference: 100.0\u202f% (95\u202f% CI 100.0–100.0, n = 12)"
    assert headline in page


@pytest.mark.parametrize("name", ["run-results", "dataset-results"])
def test_results_of_one_context_say_why_there_is_no_interval(client, researcher, name):
    run = scored_run(researcher, candidates=(3, 1))

    page = read(client, name, run.pk if name == "run-results" else run.dataset.pk)

    assert "; an interval needs at least two contexts)" in page


def test_results_give_correlations_their_intervals_and_ties_their_threshold(client, researcher):
    run = better_wins(scored_run(researcher))

    page = read(client, "run-results", run.pk)

    assert '1.000<br><span class="soft small">1.000 to 1.000</span>' in page
    share = '100.0\u202f%<br><span class="soft small">100.0\u202f% to 100.0\u202f%</span>'
    assert f'{share}<br><span class="soft small">ε = 0.000</span>' in page


def test_results_state_the_position_bias(client, researcher):
    page = read(client, "run-results", scored_run(researcher).pk)

    assert "prefers the text shown first in 100.0\u202f% of its decisions" in page
    assert "Order agreement: 0.0\u202f% of the pairs" in page


def test_figure_that_is_undefined_says_so_and_why(client, researcher):
    row = report_json(answer_run(make_run(make_dataset(), owner=researcher)).dataset)[0]
    why = row["accuracy"]["undefined"]

    page = read(client, "run-results", row["run"])

    assert f'<span class="value">–</span><span class="why">{why}</span>' in page
    assert "undefined</" not in page
    assert "NaN" not in page


def test_unparsed_answers_and_errors_are_counted(client, researcher):
    run = scored_run(researcher)
    first, second = run.comparisons.order_by("pk")[:2]
    Comparison.objects.filter(pk=first.pk).update(outcome="unparsed", p_first=None)
    Comparison.objects.filter(pk=second.pk).update(outcome="error", p_first=None)

    assert "10 comparisons with an answer, 1 unparsed, 1 error." in read(client, "run-results", run.pk)


def test_results_list_the_trust_checks_in_words(client, researcher):
    run = scored_run(researcher)
    Comparison.objects.filter(pk=run.comparisons.order_by("pk").first().pk).update(outcome="unparsed", p_first=None)

    page = read(client, "run-results", run.pk)

    assert "<summary>5 of 7 checks passed; failed: few unparsed answers, both orders" in page
    assert "<strong>Failed:</strong> few unparsed answers" in page
    assert "1 of 12 comparisons could not be parsed; at most 1% is good" in page


def test_side_by_side_names_each_failed_check_and_its_runs(client, researcher):
    run = scored_run(researcher)
    Comparison.objects.filter(pk=run.comparisons.order_by("pk").first().pk).update(outcome="unparsed", p_first=None)

    page = read(client, "dataset-results", run.dataset_id)

    assert "<summary>Few unparsed answers: failed by 1 of 1 run</summary>" in page
    assert f'(run {run.pk}): <span class="soft">1 of 12 comparisons could not be parsed' in page


def test_results_tell_the_preference_for_length_beside_that_of_people(client, researcher):
    run = better_wins(scored_run(researcher))
    run.dataset.contexts.first().candidates.filter(position=2).update(text="The longest, and the best of all texts")

    page = read(client, "run-results", run.pk)

    assert "It prefers the longer text in 100.0\u202f% of its decisions, people in 100.0\u202f%." in page
    assert "Right where the shorter is better" in page


def test_results_show_which_family_was_guessed(client, researcher):
    run = scored_run(researcher, judge=make_judge("gpt-4"))
    Candidate.objects.filter(context__dataset=run.dataset, position=0).update(system="gpt-3.5-turbo")

    page = read(client, "run-results", run.pk)

    assert "Guessed from names: “gpt-4” is of the family gpt, and so is gpt-3.5-turbo." in page


def test_results_say_why_there_is_no_preference_for_a_family(client, researcher):
    page = read(client, "run-results", scored_run(researcher, judge=make_judge("bleu")).pk)

    assert "Not applicable: the name &quot;bleu&quot; shows no known family of models, or several." in page


def test_results_of_an_unfinished_run_are_called_partial(client, researcher):
    run = scored_run(researcher)
    Run.objects.filter(pk=run.pk).update(status="cancelled")

    assert "<strong>Partial.</strong>" in read(client, "run-results", run.pk)
    assert "cancelled, figures so far" in read(client, "dataset-results", run.dataset_id)


def test_results_of_the_demo_judge_carry_a_warning(client, researcher):
    run = scored_run(researcher)
    type(run.judge).objects.filter(pk=run.judge_id).update(model="builtin:demo")

    assert "Do not report these figures" in read(client, "run-results", run.pk)


def test_side_by_side_with_the_demo_judge_carries_a_warning(client, researcher):
    real, shown = scored_run(researcher, name="Real"), scored_run(researcher, judge=Judge.objects.get(name="demo"))

    assert "is trained for the sample data only" not in read(client, "dataset-results", real.dataset.pk)
    assert "is trained for the sample data only" in read(client, "dataset-results", shown.dataset.pk)


def test_subsets_have_their_own_rows(client, researcher):
    run = scored_run(researcher)
    for key in ("c0", "c1"):
        run.dataset.contexts.filter(key=key).update(subset=f"subset-{key}")

    page = read(client, "run-results", run.pk)

    assert ">subset-c0</th>" in page
    assert "Accuracy, mean of subsets" in page


def test_side_by_side_shows_each_run_and_why_nothing_is_said_of_people(client, researcher):
    run = scored_run(researcher)
    other = answer_run(make_run(run.dataset, judge=make_judge("other"), owner=researcher))

    page = read(client, "dataset-results", run.dataset_id)

    assert reverse("run-results", args=[run.pk]) in page
    assert reverse("run-results", args=[other.pk]) in page
    assert ">People</th>" not in page
    assert f"No row for people on {run.attribute.name}: the attribute has no votes." in page


def test_side_by_side_leaves_out_runs_of_somebody_else(client, researcher):
    run = scored_run(researcher)
    hidden = answer_run(make_run(run.dataset, judge=make_judge("unseen"), owner=make_user("olaf", "researcher")))

    for name, arguments in (("dataset-results", []), ("dataset-report", ["csv"]), ("dataset-report", ["json"])):
        answer = client.get(reverse(name, args=[run.dataset_id, *arguments]))
        assert hidden.judge.name not in (answer.getvalue() if answer.streaming else answer.content).decode()


def test_side_by_side_shows_the_attribute_that_is_chosen(client, researcher):
    dataset = make_dataset(attributes=("coherence", "fluency"))
    coherence = answer_run(make_run(dataset, attribute="coherence", owner=researcher))
    fluency = answer_run(make_run(dataset, attribute="fluency", owner=researcher))

    page = read(client, "dataset-results", dataset.pk, attribute="fluency")

    assert reverse("run-results", args=[fluency.pk]) in page
    assert reverse("run-results", args=[coherence.pk]) not in page


def test_names_are_shown_as_text(client, researcher):
    run = scored_run(researcher, name="<script>alert(1)</script>", judge=make_judge("<img src=x onerror=alert(1)>"))

    for name in ("run-results", "run-scores", "run-curve"):
        assert "<img src=x" not in read(client, name, run.pk)
    page = read(client, "dataset-results", run.dataset_id)
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize("page", ["run-results", "run-scores", "run-curve", "dataset-results"])
def test_pages_call_rankings_by_one_name(client, researcher, page):
    run = better_wins(scored_run(researcher))
    about = run.dataset_id if page == "dataset-results" else run.pk

    texts = re.sub(r"<script.*?</script>|<[^>]+>", "|", read(client, page, about, ranking="poe-bt"), flags=re.DOTALL)

    assert "PoE, Bradley-Terry" in texts
    assert not re.findall(r"poe-\w+|win-ratio|average-probability|bradley-terry", texts)


def test_scores_rank_the_candidates(client, researcher):
    run = better_wins(scored_run(researcher))

    scores = client.get(reverse("run-scores", args=[run.pk]), {"ranking": "win-ratio"}).context["page_obj"]

    assert [(row.candidate, row.rank) for row in scores[:3]] == [("c", 1.0), ("b", 2.0), ("a", 3.0)]


def test_scores_fall_back_to_a_ranking_there_is(client, researcher):
    run = scored_run(researcher)

    assert client.get(reverse("run-scores", args=[run.pk]), {"ranking": "none"}).context["ranking"] == "bradley-terry"


def test_curve_is_a_page_and_a_part_of_one(client, researcher):
    run = better_wins(scored_run(researcher))

    whole, part = read(client, "run-curve", run.pk), read(client, "run-curve", run.pk, part="")

    assert "<!doctype html>" in whole
    assert "<!doctype html>" not in part
    assert 'id="chart-data"' in part


def test_curve_that_does_not_exist_says_why(client, researcher):
    run = answer_run(make_run(make_dataset(), owner=researcher))

    page = read(client, "run-curve", run.pk)

    assert "No curve:" in page
    assert 'id="chart-data"' not in page


@pytest.mark.parametrize(("name", "place"), [("run-report", "pk"), ("dataset-report", "dataset_id")])
def test_downloads_hold_the_rows_of_the_report(client, researcher, name, place):
    run = better_wins(scored_run(researcher))
    rows = report_json(run.dataset)

    def downloaded(ending: str) -> str:
        return client.get(reverse(name, args=[getattr(run, place), ending])).getvalue().decode()

    assert json.loads(downloaded("json")) == {"rows": rows}
    assert float(next(csv.DictReader(downloaded("csv").splitlines()))["accuracy.value"]) == rows[0]["accuracy"]["value"]
    assert "\\toprule" in downloaded("tex")


CHOICE = {"column": ["judge", "accuracy"], "subset": ["all"], "sort": "accuracy", "digits": "0", "interval": "none"}


@pytest.mark.parametrize("ending", ["csv", "tex", "md", "html"])
def test_download_has_the_columns_and_rows_of_the_page(client, researcher, ending):
    run = better_wins(scored_run(researcher))

    address = reverse("dataset-report", args=[run.dataset_id, ending])
    text = client.get(address, CHOICE).getvalue().decode()
    page = client.get(reverse("dataset-results", args=[run.dataset_id]), CHOICE).content.decode()

    rows = report_rows(run.dataset)
    choice = TableChoice(("judge", "accuracy"), subsets=("all",), sort="accuracy")
    table = report_table(rows, choice, people=people(rows), runs=[run])
    assert text == TABLE_FORMATS[ending].write(table, TableStyle(0, "none", caption_of(run.dataset), "tab:agreement"))
    assert "Accuracy (%)</a>" in page
    assert "Spearman</" not in page


def test_xlsx_download_is_a_workbook(client, researcher):
    run = better_wins(scored_run(researcher))

    response = client.get(reverse("run-report", args=[run.pk, "xlsx"]))

    assert load_workbook(io.BytesIO(response.getvalue())).sheetnames == ["Table", "Notes"]
    assert response["Content-Disposition"] == f'attachment; filename="run-{run.pk}.xlsx"'


@pytest.mark.parametrize(("name", "place"), [("run-table", "pk"), ("dataset-table", "dataset_id")])
def test_table_page_shows_the_text_of_the_download(client, researcher, name, place):
    run = better_wins(scored_run(researcher))
    key = getattr(run, place)

    page = client.get(reverse(name, args=[key]), CHOICE | {"format": "md"})

    download = client.get(reverse(name.replace("table", "report"), args=[key, "md"]), CHOICE)
    assert page.context["text"] == download.getvalue().decode()
    assert '<input type="hidden" name="column" value="accuracy">' in page.content.decode()


def test_page_marks_the_best_figure(client, researcher):
    run = better_wins(scored_run(researcher))
    answer_run(make_run(run.dataset, judge=make_judge("other"), owner=researcher))

    page = client.get(
        reverse("dataset-results", args=[run.dataset_id]), {"column": ["judge", "accuracy"]}
    ).content.decode()

    assert page.count('<span class="best">') == 1
    assert page.count('<span class="second">') == 1


@pytest.mark.parametrize("name", ["dataset-results", "dataset-table"])
def test_unknown_choices_in_an_address_are_named_and_the_usual_ones_hold(client, researcher, name):
    run = better_wins(scored_run(researcher))
    strange = {"column": "precision", "sort": "recall", "ranking": "elo", "run": "0"}

    page = client.get(reverse(name, args=[run.dataset_id]), strange)

    usual = client.get(reverse(name, args=[run.dataset_id]))
    assert set(page.context["form"].errors) == set(strange)
    assert "elo is not one of the available choices" in page.content.decode()
    assert page.context["form"].table_choice.columns == usual.context["form"].table_choice.columns


def test_unknown_looks_of_a_table_are_marked_and_the_usual_ones_hold(client, researcher):
    run = better_wins(scored_run(researcher))
    strange = {"digits": "many", "interval": "wide"}

    page = client.get(reverse("dataset-table", args=[run.dataset_id]), strange)

    usual = client.get(reverse("dataset-table", args=[run.dataset_id]))
    assert set(page.context["style_form"].errors) == set(strange)
    assert page.context["text"] == usual.context["text"]


def test_report_of_an_unknown_kind_does_not_exist(client, researcher):
    assert client.get(reverse("run-report", args=[scored_run(researcher).pk, "xls"])).status_code == 404


def test_scores_download_keeps_texts_from_being_formulas(client, researcher):
    run = scored_run(researcher)
    run.dataset.contexts.filter(key="c0").update(key="=1+1")

    lines = client.get(reverse("run-scores-download", args=[run.pk])).getvalue().decode().splitlines()

    assert {row["context"] for row in csv.DictReader(lines)} == {"'=1+1", "c1"}


@pytest.mark.parametrize("n", [1, 3])
def test_side_by_side_needs_the_same_queries_for_any_number_of_runs(
    client, researcher, django_assert_max_num_queries, n
):
    run = scored_run(researcher)
    for number in range(n - 1):
        answer_run(make_run(run.dataset, judge=make_judge(f"judge-{number}"), owner=researcher))
    client.get(reverse("dataset-results", args=[run.dataset_id]))  # the report is kept from now on

    with django_assert_max_num_queries(14):
        client.get(reverse("dataset-results", args=[run.dataset_id]))


def test_headline_of_a_run_that_goes_on_is_partial_and_asks_again(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(3,)), owner=researcher))
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING, planned=12)

    part = client.get(reverse("run-headline", args=[run.pk])).content.decode()

    assert "partial" in part
    assert "6 of 12 answered; figures so far" in part
    assert 'hx-trigger="every 5s, run-ended from:body"' in part
    assert "P(first)" in part


def test_headline_of_a_finished_run_does_not_ask_again(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(3,)), owner=researcher))
    answer_run(make_run(run.dataset, owner=researcher, prompt="pairwise-1"), p_first=0.1)

    part = client.get(reverse("run-headline", args=[run.pk])).content.decode()

    assert "partial" not in part
    assert "hx-trigger" not in part
    assert "100.0" in part


def test_headline_of_a_run_without_answers_is_empty(client, researcher):
    run = make_run(make_dataset(), owner=researcher)

    assert "<dl" not in client.get(reverse("run-headline", args=[run.pk])).content.decode()


def test_results_of_a_run_without_an_answer_say_so_and_not_that_people_are_missing(client, researcher):
    waiting = make_run(scored_run(researcher).dataset, owner=researcher)

    page = read(client, "run-results", waiting.pk)

    assert "The run has no answer yet." in page
    assert "these pairs have no human preference" not in page


def test_only_who_may_change_the_dataset_is_led_to_add_judgments(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(2,)), owner=researcher))

    page = read(client, "run-results", run.pk)

    assert "No accuracy yet: these pairs have no human preference." in page
    assert reverse("judgments-new", args=[run.dataset_id]) not in page
