"""Pages of prompts."""

import pytest
from django.urls import reverse

from judging.models import Prompt
from tests.factories import make_dataset, make_prompt, make_run, make_user, shipped_prompt

pytestmark = pytest.mark.django_db

TYPED = {
    "name": "terse",
    "version": "1",
    "method": "comparative",
    "system": "",
    "template": "<A>\r\n<B>\r\nWhich {candidate_noun} is more {adjective}? ",
    "answer_prefix": "",
    "label_first": " A",
    "label_second": " B",
    "source": "Ours.",
}


def problems(page):
    return {field: list(errors) for field, errors in page.context["form"].errors.items()}


def test_researcher_adds_a_prompt_as_it_was_typed_with_lines_as_elsewhere(client, researcher):
    answer = client.post(reverse("prompt-new"), TYPED | {"store": ""})

    prompt = Prompt.objects.get(name="terse")
    assert answer.headers["Location"] == prompt.get_absolute_url()
    assert prompt.template == "<A>\n<B>\nWhich {candidate_noun} is more {adjective}? "
    assert (prompt.label_first, prompt.owner) == (" A", researcher)


def test_prompt_is_previewed_on_a_real_pair_before_it_is_stored(client, researcher):
    attribute = make_dataset().attributes.get()

    page = client.post(reverse("prompt-new"), TYPED | {"show": "", "attribute": attribute.pk})

    assert page.context["example"].question.text == (
        "Summary a of article 0.\nSummary b of article 0.\nWhich summary is more coherent? "
    )
    assert "Summary b of article 0." in page.content.decode()
    assert not Prompt.objects.filter(name="terse").exists()


def test_prompt_form_shows_every_problem_at_its_field_and_keeps_the_input(client, researcher):
    typed = TYPED | {"name": "my own", "template": "<A>\r\nand {objective}", "label_second": " A", "store": ""}

    page = client.post(reverse("prompt-new"), typed)

    found = problems(page)
    assert list(found) == ["name", "template", "label_first"]
    assert [fault.split(" is ")[0] for fault in found["template"]] == ["line 2, column 5: {objective}", "<B>"]
    assert "&lt;A&gt;\nand {objective}" in page.content.decode().replace("\r\n", "\n")
    assert not Prompt.objects.filter(template__contains="{objective}").exists()


def test_prompt_that_does_not_fit_the_attribute_is_reported_at_that_field(client, researcher):
    attribute = make_dataset().attributes.get()

    page = client.post(
        reverse("prompt-new"), TYPED | {"template": "<A><B>{definition}", "show": "", "attribute": attribute.pk}
    )

    (reason,) = problems(page)["attribute"]
    assert 'the attribute "coherence" has none' in reason


def test_a_new_prompt_begins_with_the_text_of_another(client, researcher):
    begun = shipped_prompt("prepair-1")

    form = client.get(reverse("prompt-new"), {"from": begun.pk}).context["form"]

    assert {name: form.initial[name] for name in ("method", "template", "reasoning_template")} == {
        "method": "prepair",
        "template": begun.template,
        "reasoning_template": begun.reasoning_template,
    }


def test_owner_adds_a_version(client, researcher):
    first = make_prompt(owner=researcher)
    page = reverse("prompt-version", args=[first.pk])

    shown = client.get(page).context["form"]
    client.post(page, {"version": shown.initial["version"], "template": "<B> or <A>?", "store": ""} | labels())

    second = Prompt.objects.get(name="terse", version=2)
    assert (second.template, second.method) == ("<B> or <A>?", "comparative")
    assert "reasoning_template" not in shown.fields


def test_prompt_version_added_meanwhile_is_reported(client, researcher):
    first = make_prompt(owner=researcher)
    make_prompt(version=2)

    page = client.post(
        reverse("prompt-version", args=[first.pk]), {"version": 2, "template": "<A><B>", "store": ""} | labels()
    )

    assert problems(page) == {
        "__all__": ['name: "terse" is taken up to version 2; choose another name, or add it as version 3']
    }


def labels():
    return {"label_first": " A", "label_second": " B"}


def test_prompt_shows_its_text_its_versions_and_visible_runs(client, researcher):
    dataset, first = make_dataset(), make_prompt(owner=researcher)
    second = make_prompt(version=2, owner=researcher)
    mine = make_run(dataset, prompt=first, owner=researcher)
    other = make_run(dataset, prompt=first, owner=make_user("rob", "researcher"))
    by_another = make_run(dataset, owner=researcher)

    page = client.get(first.get_absolute_url()).content.decode()
    rows = dict(client.get(reverse("prompt-list")).context["rows"])

    assert "&lt;A&gt; or &lt;B&gt;?" in page
    assert [address in page for address in (second.get_absolute_url(), mine.get_absolute_url())] == [True, True]
    assert [run.get_absolute_url() in page for run in (other, by_another)] == [False, False]
    assert (rows[first], rows[second], rows[by_another.prompt]) == (1, 0, 1)


def test_prompt_is_read_on_a_chosen_dataset(client, researcher):
    attribute = make_dataset().attributes.get()

    page = client.get(make_prompt().get_absolute_url(), {"attribute": attribute.pk})

    assert page.context["example"].question.text == "Summary a of article 0. or Summary b of article 0.?"


@pytest.mark.parametrize("n_prompts", [1, 3])
def test_prompt_list_needs_the_same_queries_for_any_number(client, researcher, n_prompts, django_assert_num_queries):
    for number in range(n_prompts):
        make_prompt(f"mine-{number}", owner=researcher)
    client.get(reverse("prompt-list"))

    with django_assert_num_queries(5):
        client.get(reverse("prompt-list"))


WHOLE_REPLY = TYPED | {
    "method": "cot",
    "label_first": "A",
    "label_second": "B",
    "label_tie": "C",
    "verdict": "[[<verdict>]]\r\nVerdict: <verdict>",
    "verdict_place": "end",
    "reply_tokens": "300",
}


def test_prompt_with_a_verdict_is_added_and_its_page_shows_how_it_is_read(client, researcher):
    client.post(reverse("prompt-new"), WHOLE_REPLY | {"store": ""})

    prompt = Prompt.objects.get(name="terse")
    assert (prompt.verdict, prompt.verdict_place) == ("[[<verdict>]]\nVerdict: <verdict>", "end")
    assert prompt.reply_tokens == 300
    page = client.get(prompt.get_absolute_url()).content.decode()
    assert "[[&lt;verdict&gt;]]<br>Verdict: &lt;verdict&gt;" in page
    assert "the last one" in page


def test_preview_shows_what_the_judge_may_write_and_what_it_means(client, researcher):
    attribute = make_dataset().attributes.get()

    page = client.post(reverse("prompt-new"), WHOLE_REPLY | {"show": "", "attribute": attribute.pk})

    assert page.context["example"].verdicts == [("first", "[[A]]"), ("second", "[[B]]"), ("tie", "[[C]]")]
    assert "<code>[[C]]</code> is a tie" in page.content.decode()


def test_invalid_pattern_is_shown_at_its_field(client, researcher):
    page = client.post(reverse("prompt-new"), WHOLE_REPLY | {"verdict": "[[A]]", "store": ""})

    assert problems(page) == {"verdict": ['"[[A]]" — give <verdict> or <score A> and <score B>, once']}


def test_settings_of_a_reply_may_be_left_out(client, researcher):
    typed = {name: value for name, value in WHOLE_REPLY.items() if name not in ("verdict_place", "reply_tokens")}

    client.post(reverse("prompt-new"), typed | {"store": ""})

    prompt = Prompt.objects.get(name="terse")
    assert (prompt.verdict_place, prompt.reply_tokens) == ("anywhere", 512)
