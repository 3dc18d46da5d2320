"""Reports without some systems and contexts equal those of a dataset that was uploaded without them."""

import json
import math
import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from evenhand.formats import ComparisonRecord, ScoreRecord, SourceFile, read_dataset
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Exclusion, Run
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.answer_rows import COMPARISONS, SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments
from rankings.agreement.agreement_report import agreement_report
from rankings.compare.all_runs import compare_all
from rankings.compare.two_runs import compare_runs
from rankings.curves.curve_records import CurveChoice
from rankings.curves.curve_report import curve_report
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.report.report_choice import ReportChoice, SubsetGroup
from rankings.report.report_rows import report_rows
from rankings.scores.score_rows import scores_of
from tests.factories import note_answers
from tests.rankings.studies import compared, make_dataset, scored

pytestmark = pytest.mark.django_db

LEFT_OUT = Exclusion.of(systems=["S1", "S4"], contexts=["c2", "c5"])
CHOICE = ReportChoice(exclusion=LEFT_OUT)
OWN_NAMES = {"run", "one", "other", "dataset"}


def contexts_of(n_contexts=8, n_systems=5):
    """Contexts with scores, ratings and votes. The last one has only two candidates, of S0 and S1."""
    rng = np.random.default_rng(7)
    return [
        {
            "context": f"c{number}",
            "text": f"Article {number}",
            "subset": "even" if number % 2 == 0 else "odd",
            "candidates": [
                {
                    "candidate": f"k{system}",
                    "system": f"S{system}",
                    "text": "word " * int(rng.integers(1, 30)),
                    "scores": {"overall": int(rng.integers(1, 6))},
                    "ratings": {"overall": {f"r{rater}": int(rng.integers(1, 6)) for rater in range(3)}},
                }
                for system in range(2 if number == n_contexts - 1 else n_systems)
            ],
            "votes": [
                {
                    "attribute": "overall",
                    "first": f"k{first}",
                    "second": f"k{second}",
                    "choice": ("first", "second", "tie")[rng.integers(3)],
                    "rater": f"h{rater}",
                }
                for first, second in permutations(range(2 if number == n_contexts - 1 else n_systems), 2)
                for rater in range(3)
            ],
        }
        for number in range(n_contexts)
    ]


def reduced(contexts):
    """Return the contexts without what LEFT_OUT names; the last one keeps one candidate."""
    kept = []
    for context in contexts:
        keys = {one["candidate"] for one in context["candidates"] if one["system"] not in LEFT_OUT.systems}
        if context["context"] not in LEFT_OUT.contexts:
            candidates = [one for one in context["candidates"] if one["candidate"] in keys]
            votes = [vote for vote in context["votes"] if {vote["first"], vote["second"]} <= keys]
            kept.append({**context, "candidates": candidates, "votes": votes})
    return kept


def answers_of(contexts, seed):
    """Write comparisons of all ordered pairs as CSV, some unparsed."""
    lines = ["context,attribute,first,second,p_first,choice"]
    for context in contexts:
        pairs = permutations([one["candidate"] for one in context["candidates"]], 2)
        for first, second in pairs:
            value = np.random.default_rng([seed, int(context["context"][1:]), int(first[1:]), int(second[1:])]).random()
            answer = ",unparsed" if value < 0.05 else f"{value:.4f},"
            lines.append(f"{context['context']},overall,{first},{second},{answer}")
    return "\n".join(lines) + "\n"


def scores_as_csv(contexts):
    lines = ["context,attribute,candidate,score"]
    for context in contexts:
        scores = ((one["candidate"], len(one["text"]) % 17) for one in context["candidates"])
        lines += [f"{context['context']},overall,{candidate},{score}" for candidate, score in scores]
    return "\n".join(lines) + "\n"


def study(contexts, name):
    """Import a dataset with two runs that compare and one that scores."""
    dataset = make_dataset(contexts, name=name)
    runs = [compared(dataset, answers_of(contexts, seed), judge=f"judge-{seed}") for seed in (1, 2)]
    return [*runs, scored(dataset, scores_as_csv(contexts))]


@pytest.fixture(scope="module")
def whole(rows_of_module):
    return study(contexts_of(), "Whole")


@pytest.fixture(scope="module")
def uploaded_without(rows_of_module):
    return study(reduced(contexts_of()), "Reduced")


def figures(report):
    """Return a report as JSON without numbers of runs, names of datasets and the note of what is left out."""
    return masked(json.loads(json.dumps(as_json(report))))


def masked(value):
    if isinstance(value, dict):
        return {
            key: masked(one)
            for key, one in value.items()
            if key != "without" and (key not in OWN_NAMES or isinstance(one, dict | list))
        }
    if isinstance(value, list):
        return [masked(one) for one in value if not isinstance(one, int)]
    return re.sub(r"run \d+", "run", value) if isinstance(value, str) else value


def rows(runs, choice):
    return report_rows(runs[0].dataset, runs=runs, choice=choice)


def agreement(runs, choice):
    dataset = runs[0].dataset
    return agreement_report(dataset, attributes=list(dataset.attributes.all()), runs=runs, choice=choice)


REPORTS = {
    "report": rows,
    "report of the given order": lambda runs, choice: rows(runs, replace(choice, order="given", unparsed="wrong")),
    "agreement": agreement,
    "scores": lambda runs, choice: scores_of(runs[0], choice, ranking="bradley-terry").scores,
    "scores as given": lambda runs, choice: scores_of(runs[2], choice, ranking="score").scores,
    "curve": lambda runs, choice: curve_report(runs[0], CurveChoice(draws=3, exclusion=choice.exclusion)),
    "curve of people": lambda runs, choice: curve_report(
        runs[0], CurveChoice(rankings=("win-ratio",), draws=3, people=True, exclusion=choice.exclusion)
    ),
    "diagnostics": lambda runs, choice: diagnostics_of(runs[0], runs=runs, exclusion=choice.exclusion),
    "two runs": lambda runs, choice: compare_runs(runs[0], runs[1], choice=choice),
    "all runs": lambda runs, choice: compare_all(runs, choice=choice),
}


@pytest.mark.parametrize("kind", REPORTS)
def test_figures_equal_those_of_a_dataset_uploaded_without(whole, uploaded_without, kind):
    report = REPORTS[kind]

    chosen, expected = figures(report(whole, CHOICE)), figures(report(uploaded_without, ReportChoice()))

    assert chosen == expected
    assert chosen != figures(report(whole, ReportChoice()))


def test_rows_say_what_is_left_out_and_how_many_contexts_became_too_small(whole):
    row = rows(whole, CHOICE)[0]

    assert as_json(row)["without"] == {"systems": ["S1", "S4"], "contexts": ["c2", "c5"], "small_contexts": 1}
    assert "without" not in as_json(rows(whole, ReportChoice())[0])


def test_group_of_a_subset_that_is_left_out_is_refused(whole):
    odd = Exclusion.of(contexts=[f"c{number}" for number in range(1, 8, 2)])
    choice = ReportChoice(groups=(SubsetGroup("Both", ("even", "odd")),), exclusion=odd)

    with pytest.raises(Refused, match='there is no subset "odd" for "Both"; there are: even'):
        rows(whole, choice)


def test_unknown_names_are_refused(whole):
    choice = ReportChoice(exclusion=Exclusion.of(systems=["S9"]))

    for report in REPORTS.values():
        with pytest.raises(Refused, match='without-system: "Whole" has no system "S9"'):
            report(whole, choice)


def leave_out(run, exclusion):
    """Make a run one that was judged without some systems and contexts."""
    Run.objects.filter(pk=run.pk).update(spec=run.spec | exclusion.spec())
    run.comparisons.filter(exclusion.matches(prefix="first__")).delete()
    run.comparisons.filter(exclusion.matches(prefix="second__")).delete()
    note_answers(run)
    run.refresh_from_db()


@pytest.mark.parametrize("kind", ["report", "scores", "curve", "diagnostics", "two runs"])
def test_figures_of_a_run_judged_without_equal_those_of_a_dataset_uploaded_without(whole, uploaded_without, kind):
    report, mine, others = REPORTS[kind], [Run.objects.get(pk=run.pk) for run in whole[:2]], uploaded_without[:2]
    for run in mine:
        leave_out(run, LEFT_OUT)

    chosen, expected = (figures(report(runs, ReportChoice())) for runs in (mine, others))

    assert chosen == expected


def topical_chat_rows(shared_data):
    return json.loads((shared_data / "data" / "topicalchat" / "topical_chat.json").read_text())


def recorded_runs(shared_data, rows, name):
    """Import TopicalChat from some of its rows, and UniEval's recorded scores, also as comparisons of each pair."""
    content = json.dumps(rows).encode()
    dataset = import_dataset(read_dataset([SourceFile("rows.json", content)]), name=name, sha256="0" * 64)
    [path] = (shared_data / "data" / "topicalchat" / "recorded").iterdir()
    key_of, kept = (
        dict(dataset.contexts.values_list("text", "key")),
        {(row["source"], row["system_id"]) for row in rows},
    )
    scores = {
        (key_of[row["source"]], row["system_id"]): row["predict_scores"]["coherence"]
        for row in json.loads(path.read_text())
        if (row["source"], row["system_id"]) in kept
    }
    alone = [ScoreRecord("", 0, context, "coherence", system, score) for (context, system), score in scores.items()]
    pairs = [
        ComparisonRecord(
            "", 0, one[0], "coherence", one[1], other[1], p_first=1 / (1 + math.exp(scores[other] - score))
        )
        for one, score in scores.items()
        for other in scores
        if one[0] == other[0] and one != other
    ]
    return [
        *import_judgments(COMPARISONS, pairs, dataset=dataset, judge_name="UniEval pairs"),
        *import_judgments(SCORES, alone, dataset=dataset, judge_name="UniEval"),
    ]


@pytest.mark.realdata
def test_figures_of_topical_chat_equal_those_of_its_upload_without_some(shared_data):
    rows_of_file = topical_chat_rows(shared_data)
    left_out_texts = list(dict.fromkeys(row["source"] for row in rows_of_file))[3:9]
    system = sorted({row["system_id"] for row in rows_of_file})[1]
    kept = [row for row in rows_of_file if row["source"] not in left_out_texts and row["system_id"] != system]
    whole = recorded_runs(shared_data, rows_of_file, "Whole file")
    keys = whole[0].dataset.contexts.filter(text__in=left_out_texts).values_list("key", flat=True)
    choice = ReportChoice(exclusion=Exclusion.of(systems=[system], contexts=keys))

    without = recorded_runs(shared_data, kept, "Reduced file")

    for kind in ("report", "agreement", "two runs"):
        chosen, expected = figures(REPORTS[kind](whole, choice)), figures(REPORTS[kind](without, ReportChoice()))
        assert chosen == expected, kind
        assert chosen != figures(REPORTS[kind](whole, ReportChoice())), kind
