"""Results pages: what a reader sees first, and what is undefined and why."""

import re

import pytest
from django.urls import reverse

from judging.models import Candidate, Comparison, Run
from tests.factories import answer_run, make_dataset, make_judge, make_run
from tests.rankings.report.report_figures import report_json
from tests.rankings.report.views.scored_runs import better_wins, read, scored_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


@pytest.fixture(scope="module")
def of_module(rows_of_module):
    return scored_run(None, name="Shared")


@pytest.fixture
def run(of_module):
    return Run.objects.get(pk=of_module.pk)


def test_results_begin_with_a_sentence_and_give_each_figure_its_interval(client, researcher):
    run = better_wins(scored_run(researcher, candidates=(3,) * 12))

    page = read(client, "run-results", run.pk)

    assert "Accuracy against human preference: 100.0\u202f% (95\u202f% CI 71.2–100.0, n = 72)" in page
    assert '1.000<br><span class="soft small">0.865 to 1.000</span>' in page
    share = '100.0\u202f%<br><span class="soft small">95.5 to 100.0\u202f%</span>'
    assert f'{share}<br><span class="soft small">ε = 0.000</span>' in page


def test_results_of_few_contexts_say_why_there_is_no_interval_and_no_best_run(client, researcher):
    run = scored_run(researcher, candidates=(3, 1))

    assert "; an interval needs at least three contexts)" in read(client, "run-results", run.pk)
    page = read(client, "dataset-results", run.dataset.pk)
    assert "None is called the best: runs on fewer than ten contexts are not compared." in page
    assert "rests on 1 context" in page


def test_results_state_the_position_bias_and_why_there_is_no_preference_for_a_family(client, researcher):
    page = read(client, "run-results", scored_run(researcher, judge=make_judge("bleu")).pk)

    assert "prefers the text shown first in 100.0\u202f% of its decisions" in page
    assert "Order agreement: 0.0\u202f% of the pairs" in page
    assert "Not applicable: the name &quot;bleu&quot; shows no known family of models, or several." in page


def test_figure_that_is_undefined_says_so_and_why(client, researcher):
    row = report_json(answer_run(make_run(make_dataset(), owner=researcher)).dataset)[0]
    why = row["accuracy"]["undefined"]

    page = read(client, "run-results", row["run"])

    assert f'<span class="value">–</span><span class="why">{why}</span>' in page
    assert "undefined</" not in page
    assert not re.search(r"\bNaN\b", page)


def test_unparsed_answers_and_errors_are_counted(client, run):
    first, second = run.comparisons.order_by("pk")[:2]
    Comparison.objects.filter(pk=first.pk).update(outcome="unparsed", p_first=None)
    Comparison.objects.filter(pk=second.pk).update(outcome="error", p_first=None)

    assert "10 comparisons with an answer, 1 unparsed, 1 error." in read(client, "run-results", run.pk)


def test_results_list_the_trust_checks_in_words(client, run):
    Comparison.objects.filter(pk=run.comparisons.order_by("pk").first().pk).update(outcome="unparsed", p_first=None)

    page = read(client, "run-results", run.pk)

    assert (
        "<summary>4 of 10 checks passed, 1 note, 3 cannot tell; failed: enough contexts, few unparsed answers" in page
    )
    assert "<strong>Failed:</strong> few unparsed answers" in page
    assert "1 of 12 comparisons could not be parsed; at most 1% is good" in page


def test_results_tell_the_preference_for_length_beside_that_of_people(client, run):
    better_wins(run).dataset.contexts.first().candidates.filter(position=2).update(
        text="The longest, and the best of all texts"
    )

    page = read(client, "run-results", run.pk)

    assert "It prefers the longer text in 100.0\u202f% of its decisions, people in 100.0\u202f%." in page
    assert "Right where the shorter is better" in page


def test_results_show_which_family_was_guessed(client, researcher):
    run = scored_run(researcher, judge=make_judge("gpt-4"))
    Candidate.objects.filter(context__dataset=run.dataset, position=0).update(system="gpt-3.5-turbo")

    page = read(client, "run-results", run.pk)

    assert "Guessed from names: “gpt-4” is of the family gpt, and so is gpt-3.5-turbo." in page


def test_results_of_an_unfinished_run_are_called_partial_and_those_of_the_demo_judge_warn(client, run):
    Run.objects.filter(pk=run.pk).update(status="cancelled")
    type(run.judge).objects.filter(pk=run.judge_id).update(model="builtin:demo")

    page = read(client, "run-results", run.pk)

    assert "<strong>Partial.</strong>" in page
    assert "Do not report these figures" in page
    assert "cancelled, figures so far" in read(client, "dataset-results", run.dataset_id)


def test_subsets_have_their_own_rows(client, run):
    for key in ("c0", "c1"):
        run.dataset.contexts.filter(key=key).update(subset=f"subset-{key}")

    page = read(client, "run-results", run.pk)

    assert ">subset-c0</th>" in page
    assert "Accuracy, mean of subsets" in page


def test_names_are_shown_as_text(client, researcher):
    run = scored_run(researcher, name="<script>alert(1)</script>", judge=make_judge("<img src=x onerror=alert(1)>"))

    for name in ("run-results", "run-scores", "run-curve"):
        assert "<img src=x" not in read(client, name, run.pk)
    page = read(client, "dataset-results", run.dataset_id)
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


def test_pages_call_rankings_by_one_name(client, run):
    better_wins(run)

    for page in ("run-results", "run-scores", "run-curve", "dataset-results"):
        text = read(client, page, run.dataset_id if page == "dataset-results" else run.pk, ranking="poe-bt")
        names = re.sub(r"<script.*?</script>|<[^>]+>", "|", text, flags=re.DOTALL)
        assert "PoE, Bradley-Terry" in names, page
        assert not re.findall(r"poe-\w+|win-ratio|average-probability|bradley-terry", names), page


def test_page_of_a_run_loads_the_curve_of_its_ranking(client, run):
    better_wins(run)

    results = read(client, "run-results", run.pk, ranking="win-ratio")

    address = f"{reverse('run-curve', args=[run.pk])}?ranking=win-ratio"
    assert f'hx-get="{address}"' in results
    assert 'class="drawing"' in client.get(address).content.decode()


def test_curve_that_does_not_exist_says_why(client, researcher):
    run = answer_run(make_run(make_dataset(), owner=researcher))

    page = read(client, "run-curve", run.pk)

    assert "No curve:" in page
    assert 'id="chart-curve"' not in page


def test_page_marks_the_best_figure(client, researcher):
    run = better_wins(scored_run(researcher, candidates=(3,) * 10))
    other = better_wins(answer_run(make_run(run.dataset, judge=make_judge("other"), owner=researcher)))
    other.comparisons.filter(pk=other.comparisons.first().pk).update(p_first=0.6)

    page = client.get(
        reverse("dataset-results", args=[run.dataset_id]), {"column": ["judge", "accuracy"]}
    ).content.decode()

    assert page.count('<span class="best">') == 1


def test_only_who_may_change_the_dataset_is_led_to_add_judgments(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(2,)), owner=researcher))

    page = read(client, "run-results", run.pk)

    assert "No accuracy yet: these pairs have no human preference." in page
    assert reverse("judgments-new", args=[run.dataset_id]) not in page


def test_figure_of_a_run_in_a_list_has_its_n_and_says_why_to_doubt_it(client, run):
    page = read(client, "run-headline-link", run.pk)

    assert "Accuracy 50.0\u202f%</a>" in page
    assert re.search(r">n = \d+</span> <span class=\"warn\">rests on \d contexts?</span>", page)
