"""Reports as the JSON of commands and the HTTP API, and expected figures for comparison with them."""

import pytest

from evenhand.numerics import Figure
from evenhand.numerics.reliability.label_mass import MassFigure
from evenhand.report_json import as_json
from judging.models import Dataset
from rankings.agreement import agreement_report
from rankings.audits import audit_report
from rankings.compare import all_runs, two_runs
from rankings.curves import curve_report
from rankings.diagnostics import diagnostics_report, prediction_powered
from rankings.disputes import dispute_rows, disputed_pairs
from rankings.quality import quality_report
from rankings.report import report_rows
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.figures.simple_judges import PEOPLE, ForComparison
from rankings.report.report_row import Counts, LengthPreference, ReportRow, SelfPreference
from rankings.report.run_names import RunName
from rankings.scores import score_rows

SHARE = Figure(0.5, 0.4, 0.6, 10)

FEW_CONTEXTS = "an interval needs at least three contexts"
FEW_TO_DRAW = "an interval of this figure needs at least ten contexts"
ALL_SKIPPED = "no context has two candidates with both scores whose human scores differ"


def interval(value, low, high, n):
    return {"value": pytest.approx(value), "low": pytest.approx(low), "high": pytest.approx(high), "n": n}


def of_few_contexts(value, n):
    """A figure of one or two contexts, which has no interval."""
    return {"value": pytest.approx(value), "low": None, "high": None, "n": n, "undefined": FEW_CONTEXTS}


def block_of_one_context(per_context, *, skipped, pooled, system):
    """A coefficient of one context, which has no interval."""
    ends = ("per_context_low", "per_context_high", "system_low", "system_high")
    return {
        "per_context": pytest.approx(per_context),
        "contexts": 1,
        "skipped": skipped,
        "pooled": pytest.approx(pooled),
        "system": pytest.approx(system),
        **dict.fromkeys(ends),
        "undefined": dict.fromkeys(ends[:2], FEW_CONTEXTS) | dict.fromkeys(ends[2:], FEW_TO_DRAW),
    }


def no_block(*, skipped, per_context, pooled, system):
    """A coefficient that does not exist, and why."""
    why = {"per_context": per_context, "pooled": pooled, "system": system}
    why |= {f"{level}_{end}": why[level] for level in ("per_context", "system") for end in ("low", "high")}
    return dict.fromkeys(why) | {"contexts": 0, "skipped": skipped, "undefined": why}


def undefined(reason, **fields):
    return {"value": None} | dict.fromkeys(("low", "high")) | fields | {"undefined": reason}


def report_json(dataset, **choice):
    """The rows of a report, as commands and the HTTP API give them."""
    return as_json(report_rows.report_rows(dataset, **choice))


def scores_json(run, **choice):
    """Scores, as commands and the HTTP API give them."""
    return as_json(score_rows.scores_of(run, **choice).scores)


def make_row(*, run=3, judge="flan", attribute="coherence", **fields):
    """A row of a whole run, with these fields; all other figures are 0.5."""
    usual = dict.fromkeys(FIGURES, SHARE) | {
        "subset": "all",
        "counts": Counts(10, 0, 0),
        "spearman": {},
        "kendall": {},
        "pearson": {},
        "kendall_c": {},
        "accuracy_with_ties": {},
        "soft_pairwise_accuracy": {},
        "length_preference": LengthPreference(SHARE, SHARE, SHARE, SHARE, []),
        "self_preference": SelfPreference(SHARE, SHARE, None, judge, []),
        "label_mass": MassFigure(0.5),
        "trust": [],
        "for_comparison": [ForComparison(PEOPLE, fields.get("human", SHARE), SHARE)],
    }
    return ReportRow(name=RunName(run, judge, "comparative", "comparative-1", attribute), **usual | fields)


def curve_json(run, choice):
    """Curves, as commands and the HTTP API give them."""
    return as_json(curve_report.curve_report(run, choice))


def agreement_json(dataset, **choice):
    """Agreement, as commands and the HTTP API give it."""
    return as_json(agreement_report.agreement_report(dataset, **choice))


def differences_json(one, other):
    """Two runs compared, as commands and the HTTP API give it."""
    return as_json(two_runs.compare_runs(one, other))


def groups_json(runs):
    """Several runs compared, as commands and the HTTP API give it."""
    return as_json(all_runs.compare_all(runs))


def diagnostics_json(run, **choice):
    """Diagnostics, as commands and the HTTP API give them."""
    return as_json(diagnostics_report.diagnostics_of(run, **choice))


def powered_json(table, votes, judge):
    """Prediction-powered estimates, as commands and the HTTP API give them."""
    return as_json(prediction_powered.prediction_powered(table, votes, judge))


def audit_json(run):
    """The audit of a run, as commands and the HTTP API give it."""
    return as_json(audit_report.audit_report(run))


def quality_json(dataset):
    """Return the quality of votes on a dataset, for each attribute. dataset: its name."""
    row = Dataset.objects.get(name=dataset)
    runs = list(row.runs.ordinary().order_by("pk"))
    return [as_json(quality_report.quality_report(one, runs)) for one in row.attributes.all()]


def disputes_json(campaign, **choice):
    """Return the disputed pairs of a campaign with the answers of all runs."""
    runs = list(campaign.dataset.runs.ordinary().select_related("judge", "prompt"))
    disputes = disputed_pairs.find_disputes(campaign, disputed_pairs.DisputeChoice(**choice))
    return as_json(dispute_rows.dispute_report(campaign, disputes, dispute_rows.judging_runs(campaign, runs)))
