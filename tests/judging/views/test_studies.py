"""Pages of studies: planning, following, extending, collecting, renaming and deleting one."""

import pytest
from django.urls import reverse

from judging.models import Dataset, Judge, Prompt, Run, Study
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.studies.study_changes import add_runs, create_study
from judging.services.studies.study_plan import StudyPlan
from judging.services.studies.study_start import set_plan, start_study
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.judging.views.pages import page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def dataset(researcher):
    make_judge()
    return make_dataset(attributes=("coherence", "fluency"))


def numbers(kind, *names) -> list[int]:
    return [kind.objects.get(name=name).pk for name in names]


def prompt_ids(*names) -> list[int]:
    return [prompt.pk for prompt in Prompt.objects.filter(name__in=names)]


def plan_of_form(**changes) -> dict[str, object]:
    usual = {
        "name": "Table 1",
        "datasets": numbers(Dataset, "Summaries"),
        "attributes": ["coherence"],
        "judges": numbers(Judge, "tiny"),
        "prompts": prompt_ids("comparative-1", "comparative-2"),
        "selections": ["full"],
        "comparisons": "",
        "seeds": "0",
        "contexts": "",
    }
    return usual | changes


def planned_study(user, **names) -> Study:
    study = create_study("Table 1", owner=user)
    defaults = {"datasets": ["Summaries"], "judges": ["tiny"], "prompts": ["comparative-1"]}
    set_plan(study, StudyPlan.by_names(defaults | names, user=user))
    return study


def post(client, name, *args, **fields):
    return client.post(reverse(name, args=args), fields, follow=True)


def test_list_counts_the_runs_of_each_study(client, researcher, dataset):
    create_study("Table 1", owner=researcher, runs=[make_run(dataset, owner=researcher)])
    create_study("Hidden", owner=make_user("otto", "researcher"))

    text = page(client, "study-list")

    assert "Table 1" in text
    assert "1 active" in text
    assert "Hidden" not in text


def test_list_leads_to_the_table_of_a_study_with_runs_and_to_the_plan_of_one_without(client, researcher, dataset):
    full = create_study("Table 1", owner=researcher, runs=[make_run(dataset, owner=researcher)])
    empty = create_study("Table 2", owner=researcher)

    text = page(client, "study-list")

    assert f'href="{reverse("study", args=[full.pk])}"' in text
    assert f'href="{reverse("study-runs", args=[empty.pk])}"' in text


def test_new_study_stores_its_plan_and_starts_nothing(client, dataset):
    response = client.post(
        reverse("study-new"), plan_of_form(create="", seeds="0, 1", selections=["random"], comparisons="2,4")
    )

    study = Study.objects.get()
    assert response.headers["Location"] == reverse("study-runs", args=[study.pk])
    assert study.plan == {
        "datasets": numbers(Dataset, "Summaries"),
        "attributes": ["coherence"],
        "judges": numbers(Judge, "tiny"),
        "prompts": ["comparative-1", "comparative-2"],
        "selections": ["random:2", "random:4"],
        "seeds": [0, 1],
        "contexts": None,
    }
    assert not Run.objects.exists()


def test_new_study_shows_each_problem_at_its_field(client, dataset):
    response = client.post(reverse("study-new"), plan_of_form(create="", selections=["random"], seeds="x"))

    assert response.context["form"].errors["seeds"] == ['"x" is no whole number; write for example 12, 24, 48']

    response = client.post(reverse("study-new"), plan_of_form(create="", selections=["random"]))

    assert response.context["form"].errors["comparisons"] == ["missing — selection random needs a number per context"]
    assert not Study.objects.exists()


def test_combinations_are_counted_while_they_are_chosen(client, researcher, dataset):
    answer_run(make_run(dataset, attribute="coherence", owner=researcher))

    response = client.post(
        reverse("study-cells"),
        plan_of_form(
            prompts=prompt_ids("comparative-1", "comparative-2", "scoring-1"),
            selections=["full", "random"],
            comparisons="2",
        ),
    )

    preview = response.context["preview"]
    assert dict(preview.states) == {"reused": 1, "new": 4, "impossible": 1}
    assert preview.questions == 12 + 6 + 2 * 4
    assert "scores every candidate alone" in response.content.decode()


def test_combinations_say_what_is_missing(client, dataset):
    text = client.post(reverse("study-cells"), plan_of_form(judges=[])).content.decode()

    assert "Still to choose: judges." in text


def test_address_chooses_the_dataset_and_every_comparing_method(client, dataset):
    response = client.get(reverse("study-new"), {"dataset": dataset.pk, "methods": "comparing"})

    form = response.context["form"]
    methods = set(Prompt.objects.filter(pk__in=form["prompts"].value()).values_list("method", flat=True))
    assert form["datasets"].value() == numbers(Dataset, "Summaries")
    assert {"comparative", "pairwise", "prepair"} <= methods
    assert "scoring" not in methods


def test_page_of_a_dataset_with_pairs_links_to_the_study_of_all_methods(client, researcher):
    pairs, single = make_dataset("Pairs", candidates=(2, 2)), make_dataset("Single", candidates=(1, 1))

    assert "methods=comparing" in page(client, "dataset", pairs.pk)
    assert "methods=comparing" not in page(client, "dataset", single.pk)


def test_start_queues_the_new_runs_and_adds_the_existing_ones(client, researcher, dataset, handed_over):
    existing = answer_run(make_run(dataset, attribute="coherence", owner=researcher))
    study = planned_study(researcher)

    text = post(client, "study-start", study.pk).content.decode()

    assert handed_over == [Run.objects.exclude(pk=existing.pk).get().pk]
    assert set(study.runs.values_list("pk", flat=True)) == {existing.pk, *handed_over}
    assert "1 run queued, 1 reused." in text


def test_study_page_shows_each_run_with_its_state(client, researcher, dataset):
    done, failed = answer_run(make_run(dataset)), make_run(dataset, prompt="comparative-2")
    Run.objects.filter(pk=failed.pk).update(status="failed", error="out of memory")
    study = create_study("Table 1", owner=researcher, runs=[done, failed])

    text = page(client, "study-runs", study.pk)

    assert "P(first) 100.0\N{NARROW NO-BREAK SPACE}%" in text
    assert "out of memory" in text
    assert "1 stopped" in text
    assert "partial" not in text
    assert "hx-trigger" not in text.split('id="study-progress"')[1]


def test_progress_of_an_active_study_is_polled_and_marks_partial_figures(client, researcher, dataset):
    run = answer_run(make_run(dataset))
    run.comparisons.filter(pk__in=run.comparisons.values("pk")[:6]).delete()
    Run.objects.filter(pk=run.pk).update(status="running")
    study = create_study("Table 1", owner=researcher, runs=[run])

    text = page(client, "study-progress", study.pk)

    assert "every 3s" in text
    assert "running 50 %" in text
    assert "partial" in text


def test_study_shows_what_its_new_runs_take(client, researcher, dataset):
    pilot = make_run(dataset, selection=SelectionSettings(contexts=1))
    Run.objects.filter(pk=pilot.pk).update(status="done", seconds=3, prompt_tokens=60)
    study = planned_study(researcher)

    text = page(client, "study-runs", study.pk)

    assert "<strong>tiny:</strong> 2 runs, 24 questions." in text
    assert "About 12 s, 240 tokens, as in this judge&#x27;s last run of this kind." in text


def test_cancel_and_resume_act_on_all_runs(client, researcher, dataset, handed_over):
    study = planned_study(researcher)
    start_study(study, user=researcher)
    make_run(dataset, owner=researcher)

    post(client, "study-cancel", study.pk)
    cancelled = set(study.runs.values_list("status", flat=True))
    post(client, "study-resume", study.pk)

    assert cancelled == {"cancelled"}
    assert sorted(handed_over) == sorted(study.runs.values_list("pk", flat=True))
    assert Run.objects.filter(status="pending").count() == 3


def test_resume_asks_errors_again(client, researcher, dataset, handed_over):
    run = answer_run(make_run(dataset, owner=researcher))
    run.comparisons.filter(pk=run.comparisons.first().pk).update(outcome="error", p_first=None)
    study = create_study("Table 1", owner=researcher, runs=[run])

    text = post(client, "study-resume", study.pk, errors="").content.decode()

    assert handed_over == [run.pk]
    assert "1 run resumed, errors are asked again." in text


def test_extend_adds_values_to_the_plan(client, researcher, dataset):
    make_judge("large")
    study = planned_study(researcher)
    fields = {"judges": numbers(Judge, "large"), "seeds": "", "comparisons": ""}

    counted = client.post(reverse("study-extend-cells", args=[study.pk]), fields).context["preview"]
    client.post(reverse("study-extend", args=[study.pk]), fields | {"create": ""})

    study.refresh_from_db()
    assert dict(counted.states) == {"new": 4}
    assert study.plan["judges"] == numbers(Judge, "tiny", "large")
    assert (study.plan["prompts"], study.plan["seeds"]) == (["comparative-1"], [0])


def test_collect_lists_runs_that_the_study_lacks_and_adds_the_chosen_ones(client, researcher, dataset):
    first, second, third = (make_run(dataset, owner=researcher) for _ in range(3))
    hidden = make_run(dataset, owner=make_user("otto", "researcher"))
    study = create_study("Table 1", owner=researcher, runs=[first])

    response = client.get(reverse("study-collect", args=[study.pk]), {"judge": second.judge_id})
    client.post(reverse("study-collect", args=[study.pk]), {"run": [third.pk, hidden.pk, "x"]})

    assert list(response.context["runs"]) == [third, second]
    assert list(study.runs.order_by("pk")) == [first, third]


def test_one_box_collects_all_runs_that_are_listed_and_no_other(client, researcher, dataset):
    mine = make_judge("mine")
    listed = [make_run(dataset, judge=mine, owner=researcher) for _ in range(2)]
    other, hidden = make_run(dataset, owner=researcher), make_run(dataset, owner=make_user("otto", "researcher"))
    study = create_study("Table 1", owner=researcher)

    address = f"{reverse('study-collect', args=[study.pk])}?judge={listed[0].judge_id}"
    assert "All 2 listed runs" in client.get(address).content.decode()
    client.post(address, {"all": "1"})

    assert list(study.runs.order_by("pk")) == listed
    assert other not in listed
    assert hidden not in listed


def test_page_of_a_new_study_names_recorded_judges_and_where_their_runs_are_collected(client, researcher):
    page = client.get(reverse("study-new")).content.decode()
    Judge.objects.create(name="GPT-4 of a paper", backend="recorded", owner=researcher)
    Judge.objects.create(name="of somebody else", backend="recorded", owner=make_user("otto", "researcher"))

    named = client.get(reverse("study-new")).content.decode()

    assert "Recorded judges" not in page
    assert "Recorded judges have their runs already: GPT-4 of a paper." in named
    assert f'href="{reverse("study-list")}#collected-name"' in named
    assert "of somebody else" not in named


def test_study_of_collected_runs_begins_with_its_name(client, researcher):
    response = client.post(reverse("study-create-collected"), {"name": "Collected"})

    study = Study.objects.get(name="Collected", owner=researcher)
    assert response.headers["Location"] == reverse("study-collect", args=[study.pk])
    again = client.post(reverse("study-create-collected"), {"name": "Collected"}, follow=True)
    assert "is not free" in again.content.decode()


def test_edit_renames_a_study_and_sets_its_groups(client, researcher):
    study = create_study("Old", owner=researcher)
    address = reverse("study-edit", args=[study.pk])

    refused = client.post(address, {"name": "New", "description": "", "groups": "Hard"})
    client.post(address, {"name": "New", "description": "of the paper", "groups": "Hard=a,b\nEasy=c"})

    study.refresh_from_db()
    assert "write NAME=SUBSET,SUBSET" in refused.context["form"].errors["groups"][0]
    assert (study.name, study.description, study.groups) == ("New", "of the paper", ["Hard=a,b", "Easy=c"])


def test_remove_run_and_delete_keep_the_runs(client, researcher, dataset):
    runs = [make_run(dataset, owner=researcher) for _ in range(2)]
    study = create_study("Table 1", owner=researcher, runs=runs)

    post(client, "study-remove-run", study.pk, runs[0].pk)
    left = list(study.runs.all())
    post(client, "study-delete", study.pk)

    assert left == [runs[1]]
    assert not Study.objects.exists()
    assert Run.objects.count() == 2


def test_study_of_another_person_can_be_followed_without_buttons(client, researcher, dataset):
    study = create_study("Shared", owner=make_user("otto", "researcher"), runs=[make_run(dataset)])

    assert "Cancel all" not in page(client, "study-runs", study.pk)


@pytest.mark.parametrize("number", [1, 4])
def test_page_of_a_study_needs_the_same_queries_for_any_number_of_runs(
    client, researcher, dataset, number, django_assert_max_num_queries
):
    study = create_study("Table 1", owner=researcher)
    add_runs(study, [answer_run(make_run(dataset, owner=researcher)) for _ in range(number)])

    with django_assert_max_num_queries(16):
        client.get(reverse("study-runs", args=[study.pk]))


def test_new_study_stores_the_settings_of_all_runs(client, dataset):
    settings = {"samples": "3", "temperature": "0.5", "thinking": "on", "thinking_tokens": "64"}
    left_out = {"without_system": "system-b\n", "without_context": "c1"}

    client.post(reverse("study-new"), plan_of_form(create="", metrics="metrics-1", **settings, **left_out))

    plan = Study.objects.get().plan
    assert {name: plan[name] for name in (*settings, "metrics", *left_out)} == {
        "samples": 3,
        "temperature": 0.5,
        "thinking": "on",
        "thinking_tokens": 64,
        "metrics": "metrics-1",
        "without_system": ["system-b"],
        "without_context": ["c1"],
    }


def test_new_study_leaves_out_the_settings_of_hidden_fields(client, dataset):
    client.post(reverse("study-new"), plan_of_form(create="", thinking="off", thinking_tokens="64"))

    assert "thinking_tokens" not in Study.objects.get().plan


def test_new_study_shows_a_system_that_no_dataset_has_at_its_field(client, dataset):
    response = client.post(reverse("study-new"), plan_of_form(create="", without_system="system_b"))

    assert response.context["form"].errors["without_system"] == [
        'no dataset of the plan has a system "system_b" (did you mean "system-b"?)'
    ]
    assert response.context["form"].opens_setting_fields
    assert not Study.objects.exists()


def test_extension_shows_the_settings_of_the_plan_and_keeps_them(client, researcher, dataset):
    make_judge("large")
    study = planned_study(researcher, temperature=0.5, samples=3, without_context=["c1"])

    text = page(client, "study-extend", study.pk)
    client.post(reverse("study-extend", args=[study.pk]), {"judges": numbers(Judge, "large"), "create": ""})

    study.refresh_from_db()
    assert "<dt>Samples</dt><dd>3</dd>" in text
    assert "<dt>Contexts left out</dt><dd>c1</dd>" in text
    assert (study.plan["judges"], study.plan["samples"]) == (numbers(Judge, "tiny", "large"), 3)


def test_extension_by_nothing_new_is_refused(client, researcher, dataset):
    study = planned_study(researcher)
    before = study.plan

    response = client.post(reverse("study-extend", args=[study.pk]), {"judges": numbers(Judge, "tiny"), "create": ""})

    study.refresh_from_db()
    assert response.context["form"].non_field_errors() == [
        "Nothing new is chosen: add a dataset, attribute, judge, method, prompt, selection or seed."
    ]
    assert study.plan == before
