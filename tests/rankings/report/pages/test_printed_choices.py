"""The choices of a form in words, as printed pages name them."""

from django import forms

from rankings.report.pages.printed_choices import printed_choices


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


def test_many_names_are_counted():
    form = ExampleForm({"run": [str(number) for number in range(7)]})

    assert "Run: 7 chosen" in printed_choices([form])


def test_form_of_a_study_names_the_fields_that_its_page_shows():
    class StudyForm(ExampleForm):
        main_fields = property(lambda form: [form["figure"]])
        more_fields = property(lambda form: [form["order"]])

    assert printed_choices([StudyForm({"order": "given"})]) == ["Figure: Accuracy", "Order: as in the dataset"]
