"""The names of all analyses. Records are named as text, so that a command imports no analysis but its own."""

from __future__ import annotations

from collections.abc import Mapping

ANALYSES_OF_RUNS: Mapping[str, str] = {
    "abstaining": "rankings.abstaining.abstaining_page:ABSTAINING",
    "anchors": "rankings.anchors.anchor_page:ANCHORS",
    "cascade": "rankings.cascades.cascade_page:CASCADE",
    "curve": "rankings.curves.curve_page:CURVE",
    "diagnostics": "rankings.diagnostics.diagnostics_page:DIAGNOSTICS",
    "gate": "rankings.gates.gate_page:GATE",
    "kinds": "rankings.compare.kinds_page:KINDS_OF_TEXT",
    "scores": "rankings.scores.scores_page:CANDIDATE_SCORES",
    "shift": "rankings.steering.shift_page:SHIFT",
    "stopping": "rankings.stopping.stopping_page:STOPPING",
    "style": "rankings.style.style_page:STYLE",
}
"""name of an analysis of a run -> its record, for pkgutil.resolve_name."""
ANALYSES_OF_DATASETS: Mapping[str, str] = {
    "agreement": "rankings.agreement.agreement_page:AGREEMENT",
    "groups": "rankings.compare.all_runs_page:GROUPS",
    "looks": "rankings.looks.looks_page:LOOKS_AT_TEST",
    "planner": "rankings.planner.planner_page:PLANNER",
    "ready": "rankings.readiness.ready_page:READY",
    "repeatability": "rankings.repeats.repeatability_page:REPEATABILITY",
    "separation": "rankings.separation.separation_page:SEPARATION",
    "steering": "rankings.steering.steering_page:STEERING",
}
"""The same of the analyses of a dataset."""
ANALYSES_OF_TWO_RUNS: Mapping[str, str] = {
    "compare": "rankings.compare.two_runs_page:TWO_RUNS",
    "replaced": "rankings.compare.judge_replaced_page:REPLACED",
}
"""The same of the analyses of two runs on a dataset."""
ANALYSES = {**ANALYSES_OF_RUNS, **ANALYSES_OF_DATASETS, **ANALYSES_OF_TWO_RUNS}
WITH_FILES = ("abstaining", "compare", "groups")
"""Analyses whose command has a file: `abstain` makes campaigns too, and `compare` takes two runs or more."""
COMMANDS_OF_ANALYSES: Mapping[str, str] = {
    {"planner": "plan_votes"}.get(name, name): name for name in ANALYSES if name not in WITH_FILES
}
"""command -> the name of its analysis."""
