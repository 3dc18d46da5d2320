"""Starting a run: what will be asked is shown first, and exactly that is started."""

import pytest
from django.urls import reverse

from judging.models import Exclusion, Judge, Run, Vote
from judging.services.datasets.dataset_changes import split_dataset
from judging.services.plans.selection_settings import SELECTION_RULES, SELECTION_TITLES, SelectionSettings
from tests.factories import answer_run, make_dataset, make_judge, make_prompt, make_run, make_user
from tests.judging.views.new_runs import choices, prompts_named, start

pytestmark = pytest.mark.django_db


def test_new_run_previews_its_size_before_it_starts(client, researcher, handed_over):
    dataset = make_dataset(candidates=(3, 4), attributes=("coherence", "fluency"))
    both = [attribute.pk for attribute in dataset.attributes.all()]

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, attributes=both)).content.decode()

    assert "36 comparisons" in page  # (3·2 + 4·3) for each of two attributes
    assert not Run.objects.exists()
    assert handed_over == []


def test_new_run_starts_one_run_for_each_attribute_and_prompt(client, researcher, handed_over):
    dataset = make_dataset(attributes=("coherence", "fluency"))
    both = [attribute.pk for attribute in dataset.attributes.all()]

    start(client, dataset, attributes=both, prompts=prompts_named("comparative-1", "comparative-2"))

    assert list(Run.objects.order_by("pk").values_list("prompt_name", "attribute__name")) == [
        (prompt, attribute) for attribute in ("coherence", "fluency") for prompt in ("comparative-1", "comparative-2")
    ]
    assert handed_over == list(Run.objects.order_by("pk").values_list("pk", flat=True))


def test_new_run_previews_each_prompt(client, researcher):
    dataset = make_dataset(candidates=(3, 4))
    chosen = choices(dataset, prompts=prompts_named("comparative-1", "comparative-2", "scoring-1"))

    preview = client.post(reverse("run-new", args=[dataset.pk]), chosen).context["preview"]

    assert preview.totals == {"comparison": 36, "score": 7}
    assert [one.example.prompt for one in preview.prompts] == ["comparative-1", "comparative-2", "scoring-1"]


def test_new_run_offers_the_latest_version_of_each_prompt(client, researcher):
    make_prompt(owner=researcher)
    latest = make_prompt(version=2, owner=researcher)

    offered = client.get(reverse("run-new", args=[make_dataset().pk])).context["form"].fields["prompts"].queryset

    assert list(offered.filter(name="terse")) == [latest]


@pytest.mark.parametrize(("choice", "is_warned"), [("first", True), ("tie", False)])
def test_new_run_warns_of_ties_that_no_vote_has(client, researcher, choice, is_warned):
    dataset = make_dataset(candidates=(2,))
    first, second = dataset.contexts.get().candidates.all()
    Vote.objects.create(
        attribute=dataset.attributes.get(), context=first.context, first=first, second=second, choice=choice, rater="h"
    )

    page = client.post(
        reverse("run-new", args=[dataset.pk]), choices(dataset, prompts=prompts_named("pairwise-tie-1"))
    ).content.decode()

    assert ("No vote on this attribute is a tie" in page) == is_warned
    assert "“ C” is a tie" in page


def test_new_run_without_a_choice_of_pairs_asks_about_all(client, researcher, handed_over):
    dataset = make_dataset()
    chosen = choices(dataset, prompts=prompts_named("scoring-1"))
    del chosen["selection"]

    preview = client.post(reverse("run-new", args=[dataset.pk]), chosen).context["preview"]

    assert preview.totals == {"score": 6}


@pytest.mark.parametrize(
    ("prompt", "tokens", "sentence"),
    [
        ("comparative-1", 100, "About 3 s, 100 tokens, as in this judge&#x27;s last run of this kind."),
        ("comparative-1", 0, "finished no run of this kind on this dataset"),
        ("prepair-1", 100, "finished no run of this kind on this dataset"),
    ],
)
def test_new_run_takes_as_long_as_the_last_by_the_same_method(client, researcher, prompt, tokens, sentence):
    dataset = make_dataset(candidates=(3,))
    run = answer_run(make_run(dataset, judge=Judge.objects.get(name="demo"), owner=researcher))
    Run.objects.filter(pk=run.pk).update(seconds=3, prompt_tokens=tokens)
    chosen = choices(dataset, prompts=prompts_named(prompt), seed="1")

    page = client.post(reverse("run-new", args=[dataset.pk]), chosen).content.decode()

    assert "6 comparisons of 3 candidates in 1 context." in page
    assert sentence in page


def test_new_run_says_what_is_not_chosen(client, researcher):
    form = client.post(reverse("run-new", args=[make_dataset().pk]), {"seed": "0"}).context["form"]

    assert form.errors == {
        "attributes": ["Choose at least one attribute."],
        "judges": ["Choose at least one judge."],
        "prompts": ["Choose at least one prompt."],
    }


def test_new_run_with_two_prompts_says_once_that_its_time_is_unknown(client, researcher):
    dataset = make_dataset(candidates=(3,))

    page = client.post(
        reverse("run-new", args=[dataset.pk]), choices(dataset, prompts=prompts_named("comparative-1", "comparative-2"))
    ).content.decode()

    assert page.count("Time, tokens and cost unknown") == 1


def test_new_run_takes_as_long_as_by_its_judge_on_its_dataset(client, researcher):
    dataset, demo = make_dataset(candidates=(3,)), Judge.objects.get(name="demo")
    elsewhere = answer_run(make_run(make_dataset("Others", candidates=(3,)), judge=demo, owner=researcher))
    by_another = answer_run(make_run(dataset, judge=make_judge("another"), owner=researcher))
    Run.objects.filter(pk__in=[elsewhere.pk, by_another.pk]).update(seconds=3, prompt_tokens=100)

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset)).content.decode()

    assert "finished no run of this kind on this dataset" in page


def test_started_run_is_stored_and_handed_to_the_workers(client, researcher, handed_over):
    dataset = make_dataset(candidates=(3,))

    answer = start(client, dataset, selection="random", comparisons="4", seed="7")

    run = Run.objects.get()
    assert (run.owner, run.planned, run.seed) == (researcher, 4, 7)
    assert handed_over == [run.pk]
    assert answer.headers["Location"] == run.get_absolute_url()


def test_run_without_systems_and_contexts_is_previewed_started_and_shown(client, researcher, handed_over):
    dataset = make_dataset(candidates=(3, 3, 2))
    chosen = {"without_system": " system-b \r\n\r\n", "without_context": "c1"}

    preview = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, **chosen)).content.decode()
    start(client, dataset, **chosen)

    run = Run.objects.get()
    assert "2 comparisons of 2 candidates in 1 context." in preview
    assert "1 context with fewer than two candidates left is not compared." in preview
    assert (run.exclusion, run.planned) == (Exclusion(("system-b",), ("c1",)), 2)
    assert "full, without system system-b and context c1" in client.get(run.get_absolute_url()).content.decode()


def test_adaptive_run_previews_and_stores_its_hold_out(client, researcher, handed_over):
    dataset = make_dataset(candidates=(6,))
    chosen = {"selection": "bt-optimal", "comparisons": "20", "hold_out": "0.3"}

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, **chosen)).content.decode()
    start(client, dataset, **chosen)

    run = Run.objects.get()
    assert "6 of these are random pairs kept for evaluation" in page
    assert (run.selection, run.planned, run.hold_out) == ("bt-optimal", 20, 0.3)
    assert "a share of 0.3 held out at random" in client.get(run.get_absolute_url()).content.decode()


def test_start_of_settings_without_preview_shows_the_preview(client, researcher, handed_over):
    dataset = make_dataset(candidates=(6, 6))
    address = reverse("run-new", args=[dataset.pk])
    chosen = choices(dataset, selection="bt-optimal", comparisons="20", hold_out="0.3")
    shown = client.post(address, chosen).context["shown"]
    changes = {"contexts": "1", "comparisons": "18", "hold_out": "0.5", "seed": "1"}
    changes["prompts"] = prompts_named("comparative-2")

    for name, value in changes.items():
        page = client.post(address, chosen | {name: value, "shown": shown, "start": ""})

        assert not Run.objects.exists(), name
        assert page.context["preview"].totals["comparison"] > 0, name
        assert page.context["shown"] != shown, name


def test_questions_with_an_answer_are_not_counted_and_make_no_second_run(client, researcher, handed_over):
    dataset = make_dataset(candidates=(3, 4))
    address, chosen = reverse("run-new", args=[dataset.pk]), choices(dataset)
    start(client, dataset)
    run = answer_run(Run.objects.get())

    preview = client.post(address, chosen).context["preview"]
    another = client.post(address, chosen | {"seed": "1"}).context["preview"]
    start(client, dataset)

    assert (preview.totals, preview.begun, preview.estimates[0].questions) == ({"comparison": 0}, [run], 0)
    assert (another.totals, another.begun) == ({"comparison": 18}, [])
    assert Run.objects.get() == run


def test_a_preview_that_is_sent_twice_starts_its_runs_once(client, researcher, handed_over):
    dataset = make_dataset()
    address, chosen = reverse("run-new", args=[dataset.pk]), choices(dataset)
    previews = [client.post(address, chosen).context for _ in range(2)]
    sent = [chosen | {"shown": preview["shown"], "start": ""} for preview in previews]

    places = [client.post(address, one).headers["Location"] for one in (sent[0], sent[0], sent[1])]

    run = Run.objects.get()
    assert places == [run.get_absolute_url()] * 3
    assert handed_over == [run.pk] * 3  # a worker takes a run once, however often it is handed over


def test_several_runs_lead_to_the_list_that_shows_their_progress(client, researcher, handed_over):
    dataset = make_dataset()
    other = make_judge("other")
    chosen = choices(dataset)
    chosen |= {"judges": [*chosen["judges"], other.pk]}
    shown = client.post(reverse("run-new", args=[dataset.pk]), chosen).context["shown"]

    page = client.post(reverse("run-new", args=[dataset.pk]), chosen | {"shown": shown, "start": ""}, follow=True)

    assert page.redirect_chain == [(f"{reverse('run-list')}?dataset={dataset.pk}", 302)]
    assert [run.dataset for run in page.context["page_obj"]] == [dataset, dataset]
    assert page.content.decode().count("0 of ") == 2


def test_run_starts_whether_an_empty_field_was_sent_or_taken_away(client, researcher, handed_over):
    dataset = make_dataset()
    address, chosen = reverse("run-new", args=[dataset.pk]), choices(dataset)
    taken_away = {name: value for name, value in chosen.items() if name not in {"comparisons", "hold_out"}}
    shown = client.post(address, taken_away | {"comparisons": "", "hold_out": ""}).context["shown"]

    client.post(address, taken_away | {"shown": shown, "start": ""})

    assert Run.objects.count() == 1


def test_new_run_offers_no_recorded_judge(client, researcher):
    Judge.objects.create(name="recorded elsewhere", backend="recorded")

    assert "recorded elsewhere" not in client.get(reverse("run-new", args=[make_dataset().pk])).content.decode()


def test_new_run_refuses_an_attribute_of_another_dataset(client, researcher):
    dataset, other = make_dataset(), make_dataset("Other")
    strange = choices(dataset, attributes=[other.attributes.get().pk])

    answer = client.post(reverse("run-new", args=[dataset.pk]), strange)

    assert "attributes" in answer.context["form"].errors


def test_every_selection_is_offered():
    assert set(SELECTION_TITLES) == set(SELECTION_RULES)


def test_new_run_offers_a_language_model_first(client, researcher):
    make_judge("a metric", backend="metric", model="length")

    form = client.get(reverse("run-new", args=[make_dataset().pk])).context["form"]

    assert form["judges"].initial == [Judge.objects.get(name="demo").pk]


def test_new_run_like_another_begins_with_its_settings(client, researcher):
    dataset = make_dataset(candidates=(3, 3, 3), attributes=("coherence", "fluency"))
    judge = make_judge("other")
    left_out = Exclusion.of(systems=["system-b"], contexts=["c2", "c1"])
    choice = SelectionSettings(rule="random", comparisons=2, contexts=1, seed=7, exclusion=left_out)
    run = make_run(dataset, judge=judge, prompt="prepair-1", attribute="fluency", selection=choice, owner=researcher)

    form = client.get(reverse("run-new", args=[dataset.pk]), {"like": run.pk}).context["form"]

    assert {name: form[name].value() for name in form.fields} == {
        "attributes": [run.attribute_id],
        "judges": [judge.pk],
        "prompts": [run.prompt_id],
        "selection": "random",
        "comparisons": 2,
        "bound": None,
        "anchor": "",
        "hold_out": None,
        "contexts": 1,
        "only": None,
        "without_system": "system-b",
        "without_context": "c1\nc2",
        "seed": 7,
        "samples": None,
        "temperature": None,
        "thinking": "off",
        "thinking_tokens": "",
        "reasoning_effort": "",
        "cut_thinking": "",
        "metrics": "",
        "batch": False,
    }


@pytest.mark.parametrize("like", ["nothing", "9" * 30])
def test_new_run_like_none_begins_as_usual(client, researcher, like):
    form = client.get(reverse("run-new", args=[make_dataset().pk]), {"like": like}).context["form"]

    assert form["selection"].value() == "full"


def test_new_run_ignores_the_settings_of_another_users_run(client, researcher):
    dataset = make_dataset()
    hidden = make_run(dataset, selection=SelectionSettings(seed=7), owner=make_user("olaf", "researcher"))

    form = client.get(reverse("run-new", args=[dataset.pk]), {"like": hidden.pk}).context["form"]

    assert form["seed"].value() == "0"


def test_run_in_batches_is_started_at_an_endpoint(client, researcher, handed_over):
    judge = make_judge("gpt", backend="openai", base_url="http://127.0.0.1:1/v1")

    answer = start(client, make_dataset(candidates=(3,)), judges=[judge.pk], batch="on")

    assert Run.objects.get().in_batches
    assert handed_over == [Run.objects.get().pk]
    assert answer.status_code == 302


def test_new_run_warns_of_prompts_that_are_too_long_before_it_starts(client, researcher, judge):
    dataset = make_dataset(candidates=(3, 2))
    dataset.contexts.filter(key="c1").update(text="The cat sat. " * 400)

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, judges=[judge.pk])).content.decode()

    warning = "About 2 of 8 prompts are longer than the 1,024 tokens that &quot;tiny&quot; takes."
    assert page.index(warning) < page.index("Start the run")
    assert not Run.objects.exists()


def test_new_run_of_which_every_prompt_is_too_long_is_not_offered(client, researcher, judge):
    dataset = make_dataset(candidates=(3,))
    dataset.contexts.update(text="The cat sat. " * 400)

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, judges=[judge.pk])).content.decode()

    assert "judge: all 6 prompts are longer than the 1,024 tokens" in page
    assert '<button class="button" name="start" disabled>' in page


def test_a_run_asks_the_development_part_alone(client, researcher, handed_over):
    dataset = make_dataset(candidates=(2,) * 20)
    split_dataset(dataset, test_share=0.3, seed=7)
    asked = {"only": "part=development"}

    page = client.get(reverse("run-new", args=[dataset.pk]), asked).content.decode()
    start(client, dataset, **asked)
    run = dataset.runs.get()

    assert '<option value="part=development" selected>part development</option>' in page
    assert run.planned == 2 * 14
    assert run.exclusion.contexts == tuple(
        sorted(dataset.contexts.filter(fields__part="test").values_list("key", flat=True))
    )
