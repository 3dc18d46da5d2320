"""Tabs with nothing to draw are muted, stay links, and say why."""

import re

import pytest

from judging.models import Run
from judging.services.studies.study_changes import create_study
from rankings.studies.charts.muted_tabs import (
    CHOICES_ALONE,
    NEITHER,
    NO_NAMED_SYSTEMS,
    OR_NAME_A_CONTEXT,
    SCORES_ALONE,
    UNSCORED_TEXTS,
    muted_tabs,
)
from tests.rankings.pages import read
from tests.rankings.studies import WORKED_CONTEXTS, answers, compared, make_dataset, one_context, scored
from tests.rankings.studies.charts.studies_with_charts import contexts_with_systems, judged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]

CHOICES = answers("a b first", "b a second")
SCORES = "context,attribute,candidate,score\nc0,overall,a,1\nc0,overall,b,2\n"
MUTED = re.compile(
    r'<a href="[^"]*"[^>]* class="muted" title="([^"]*)">([^<]*)<span class="visually-hidden">: ([^<]*)<'
)


def test_run_with_probabilities_scores_and_systems_mutes_nothing():
    assert muted_tabs([judged(make_dataset(contexts_with_systems()), "GPT")]) == {}


def test_choices_mute_coverage_and_calibration_unless_another_run_has_probabilities():
    dataset = make_dataset(contexts_with_systems())
    hard, metric = compared(dataset, CHOICES, judge="hard"), scored(dataset, SCORES)

    assert muted_tabs([hard]) == {"coverage": CHOICES_ALONE, "calibration": CHOICES_ALONE}
    assert muted_tabs([hard, metric]) == {"coverage": NEITHER, "calibration": NEITHER}
    assert muted_tabs([metric]) == dict.fromkeys(("coverage", "calibration", "matrix"), SCORES_ALONE)
    assert muted_tabs([hard, judged(dataset, "GPT")]) == {}


def test_unfinished_run_may_still_get_probabilities():
    run = compared(make_dataset(contexts_with_systems()), CHOICES, judge="hard")
    run.status = Run.Status.RUNNING

    assert muted_tabs([run]) == {}


def test_texts_without_systems_and_scores_mute_their_tabs():
    voted = [{**WORKED_CONTEXTS[1], "candidates": [{"candidate": key, "text": key} for key in "abc"]}]
    run = compared(make_dataset(voted), answers("a b 0.9").replace("c0", "c1"))

    assert muted_tabs([run]) == {
        "score-gap": UNSCORED_TEXTS,
        "systems": NO_NAMED_SYSTEMS,
        "matrix": f"{NO_NAMED_SYSTEMS} {OR_NAME_A_CONTEXT}",
    }


@pytest.mark.parametrize("page", ["study", "study-curves", "study-runs", "study-reports"])
def test_every_page_of_a_study_mutes_a_tab_without_content(client, page):
    study = create_study("Plain", runs=[compared(make_dataset(one_context(2, 1)), CHOICES, judge="hard")])

    assert MUTED.findall(read(client, page, study)) == [(NO_NAMED_SYSTEMS, "Systems", NO_NAMED_SYSTEMS)]


def test_tab_leads_to_its_first_section_with_content_and_mutes_the_others(client):
    study = create_study("Hard", runs=[compared(make_dataset(contexts_with_systems()), CHOICES, judge="hard")])

    muted = MUTED.findall(read(client, "study-agreement", study))

    empty = ("Are probabilities right?", "Is the judge right where it is sure?")
    assert muted == [(CHOICES_ALONE, section, CHOICES_ALONE) for section in empty]


def test_form_of_a_frozen_report_offers_no_chart_without_content(client):
    study = create_study("Hard", runs=[compared(make_dataset(one_context(2, 1)), CHOICES, judge="hard")])

    page = read(client, "study-reports", study)

    offered = re.findall(r'name="charts" value="([a-z-]+)', page)
    assert offered == ["curves", "bias", "order", "agreement", "length", "score-gap"]
    assert "No Coverage and Calibration: These runs recorded choices, not probabilities." in page
