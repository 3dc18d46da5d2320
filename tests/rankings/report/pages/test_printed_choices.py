"""The choices of a form in words, as printed pages name them."""

import pytest
from django import forms
from django.http import QueryDict

from judging.models import Run
from rankings.analyses.forms import AnalysisForm
from rankings.repeats.repeatability_page import ANALYSIS
from rankings.report.forms import run_label
from rankings.templatetags.paper import printed_choices
from tests.factories import make_dataset, make_run


class ExampleForm(forms.Form):
    figure = forms.ChoiceField(choices=[("Agreement", [("accuracy", "Accuracy")]), ("Bias", [("p_first", "P(first)")])])
    order = forms.ChoiceField(choices=[("both", "both orders"), ("given", "as in the dataset")])
    judge = forms.ChoiceField(required=False, choices=[("", "all 3"), ("GPT", "GPT")])
    run = forms.MultipleChoiceField(choices=[(number, f"run {number}") for number in range(9)])
    left_out = forms.CharField(label="Systems left out", widget=forms.Textarea)
    expert = forms.CharField(required=False)
    over_prompts = forms.BooleanField(label="Mean over prompts")
    sort = forms.CharField(widget=forms.HiddenInput)


def test_each_choice_is_named_by_its_label_and_an_empty_text_is_left_out():
    form = ExampleForm(
        {"figure": "p_first", "run": ["1", "4"], "left_out": "M1\nM2", "over_prompts": "on", "sort": "run"}
    )

    assert printed_choices([form]) == [
        *("Figure: P(first)", "Order: both orders", "Judge: all 3", "Run: run 1, run 4"),
        *("Systems left out: M1, M2", "Mean over prompts: yes"),
    ]


def test_a_value_that_is_not_offered_is_not_printed():
    form = ExampleForm({"figure": "x", "run": ["99", "4"]})

    assert {"Figure: Accuracy", "Run: run 4"} <= set(printed_choices([form]))


@pytest.mark.django_db
def test_chosen_runs_are_named_and_none_if_none_is_chosen():
    runs = [make_run(dataset) for dataset in [make_dataset()] for _ in range(3)]
    one, _, other = (run.pk for run in runs)

    chosen, unchosen = (
        printed_choices([AnalysisForm(ANALYSIS, QueryDict(query), row=runs[0].dataset, runs=Run.objects.all())])
        for query in (f"run={one}&run={other}", "")
    )

    assert chosen == [f"Runs: {run_label(runs[0])}, {run_label(runs[2])}"]
    assert unchosen == []


def test_many_names_are_counted():
    form = ExampleForm({"run": [str(number) for number in range(7)]})

    assert "Run: 7 chosen" in printed_choices([form])


def test_form_of_a_study_names_the_fields_that_its_page_shows():
    class StudyForm(ExampleForm):
        main_fields = property(lambda form: [form["figure"]])
        more_fields = property(lambda form: [form["order"]])

    assert printed_choices([StudyForm({"order": "given"})]) == ["Figure: Accuracy", "Order: as in the dataset"]
