"""No name tells of a thing that a person cannot see, and two things of one name are never taken for one another."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evenhand.formats import ScoreRecord
from judging.models import NOTHING_LEFT_OUT, Campaign, Dataset, Judge, Run, Study, Visibility
from judging.models.activity_and_looks import Look
from judging.services.datasets.combined_runs import store_combined_run
from judging.services.datasets.recorded.answer_rows import SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.names import name_problems
from judging.services.publishing.published_runs import published_runs
from judging.services.runs.run_lifecycle import find_run
from judging.services.runs.run_request import RunRequest
from judging.services.studies.study_changes import create_study, set_parts
from tests.campaigns import make_campaign
from tests.commands import printed, printed_json, refused
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
NAME, JURY = "Secret", "Secret jury"
METRIC = {"backend": "metric", "model": "rouge-l", "dtype": "float32", "device": "auto"}
CONTEXT = {"context": "c0", "text": "A", "candidates": [{"candidate": key, "text": key} for key in "ab"]}
SCORED = b"context,attribute,candidate,score\nc0,coherence,a,4\n"


def hidden_dataset(name, owner):
    dataset = make_dataset(name, owner=owner)
    Dataset.objects.filter(pk=dataset.pk).update(visibility=Visibility.PRIVATE)
    return dataset


def scored(dataset, judge, **fields):
    """Import one score, and return its run."""
    [run] = import_judgments(
        SCORES, [ScoreRecord("a", 1, "c0", "coherence", "a", 4)], dataset=dataset, judge_name=judge, **fields
    )
    return run


def jury(dataset, name, owner):
    options = {"method": "jury", "rule": "mean", "made_of": {"comparisons": 0}, "exclusion": NOTHING_LEFT_OUT}
    return store_combined_run(dataset.attributes.get(), [], judge_name=name, owner=owner, **options)


@pytest.fixture
def otto():
    """A researcher with a dataset, two judges, a study and a campaign that no other researcher sees."""
    person = make_user("otto", "researcher")
    dataset = hidden_dataset(NAME, person)
    scored(dataset, NAME, owner=person, model="model of otto")
    jury(dataset, JURY, person)
    create_study(NAME, owner=person)
    make_campaign(dataset, name=NAME, created_by=person)
    return person


@pytest.fixture
def texts(researcher):
    """The dataset "Texts" of Rita, who is signed in, and that of Otto, which all researchers see."""
    return hidden_dataset("Texts", researcher), make_dataset("Texts", owner=make_user("otto", "researcher"))


def by_api(client, dataset):
    """Take all names by the HTTP API. dataset: of one's own, for judgments and the campaign."""
    file = SimpleUploadedFile("texts.jsonl", json.dumps(CONTEXT).encode())
    answers = [client.post("/api/datasets/", {"name": NAME, "files": file})]
    judgments = {"judgments": "scores", "judge": NAME}
    for options in ({"dry_run": "true"}, {}):
        sent = judgments | options | {"files": SimpleUploadedFile("judged.csv", SCORED)}
        answers.append(client.post(f"/api/datasets/{dataset.pk}/judgments/", sent))
    bodies = {
        "judges": {"name": JURY, **METRIC},
        "studies": {"name": NAME},
        "campaigns": {"name": NAME, "dataset": dataset.name, "attributes": ["coherence"]},
    }
    return [*answers, *(client.post(f"/api/{path}/", body, "application/json") for path, body in bodies.items())]


def by_page(client, dataset):
    """Take all names by pages. dataset: of one's own, for judgments and the campaign."""
    lines = SimpleUploadedFile("texts.jsonl", json.dumps(CONTEXT).encode())
    address = reverse("judgments-new", args=[dataset.pk])
    form = {"kind": "scores", "judge": NAME, "files": SimpleUploadedFile("judged.csv", SCORED)}
    campaign = {"name": NAME, "attributes": "coherence", "votes_per_pair": 1, "seed": ""}
    return [
        client.post(
            client.post(reverse("dataset-upload"), {"files": lines}).url, {"name": NAME, "visibility": "private"}
        ),
        client.post(client.post(address, form).url, {"save": ""}),
        client.post(reverse("judge-new"), {"name": JURY, **METRIC}),
        client.post(reverse("study-new"), {"name": NAME, "run": make_run(dataset).pk}),
        client.post(f"{reverse('campaign-new')}?dataset={dataset.pk}", campaign),
    ]


@pytest.mark.parametrize(("take", "statuses"), [(by_api, [201, 200, *[201] * 4]), (by_page, [302] * 5)])
def test_names_of_hidden_things_are_free_and_nothing_says_that_they_exist(
    client, otto, researcher, settings, tmp_path, take, statuses
):
    settings.MEDIA_ROOT = tmp_path

    answers = take(client, make_dataset("Own", owner=researcher))

    assert [answer.status_code for answer in answers] == statuses
    assert not any("otto" in answer.content.decode() for answer in answers)
    for rows in (Dataset.objects, Study.objects, Judge.objects):
        assert [row.owner for row in rows.filter(name=NAME).order_by("pk")] == [otto, researcher]
    assert [one.created_by for one in Campaign.objects.filter(name=NAME).order_by("pk")] == [otto, researcher]
    assert [(run.owner, run.judge.model) for run in Run.objects.filter(judge__name=NAME).order_by("pk")] == [
        (otto, "model of otto"),
        (researcher, ""),
    ]


def test_names_of_visible_things_are_not_free(client, otto, researcher):
    Dataset.objects.update(visibility=Visibility.OPEN)
    own, body = make_dataset("Own", owner=researcher), {"attributes": ["coherence"], "dataset": "Own", "name": NAME}

    lines = SimpleUploadedFile("texts.jsonl", json.dumps(CONTEXT).encode())
    dataset = client.post("/api/datasets/", {"name": NAME, "files": lines})
    campaign = client.post("/api/campaigns/", body, "application/json")
    jury(own, JURY, researcher)

    assert [one.json()["problems"] for one in (dataset, campaign)] == [
        [f'name: "{NAME}" is not free — choose another name']
    ] * 2
    assert Judge.objects.filter(name=JURY).count() == 2  # Otto's runs are hidden, so his judges are


def test_judgments_join_a_judge_that_their_owner_sees_and_no_other(otto, researcher):
    of_command, hidden = scored(make_dataset("Open"), "GPT"), scored(make_dataset("Other"), "Llama", owner=otto)

    joined = scored(make_dataset("Third"), "GPT", owner=researcher)
    own = scored(make_dataset("Fourth"), "Llama", owner=researcher, model="Llama 3")

    assert joined.judge == of_command.judge
    assert (hidden.judge.owner, own.judge.owner) == (otto, researcher)


def test_names_of_people_are_free_for_what_nobody_owns(otto):
    """The demo's sample, for example, and the judge that comes in a package."""
    assert name_problems(Dataset, NAME, None) == name_problems(Judge, NAME, None) == []

    make_dataset(NAME)

    assert name_problems(Dataset, NAME, None) == [f'name: "{NAME}" is not free — choose another name']


def test_the_number_of_a_thing_is_not_free_as_a_name(texts):
    own, others = texts

    assert name_problems(Dataset, f"Texts#{others.pk}", own.owner)
    assert not name_problems(Dataset, f"Texts#{others.pk + 1}", own.owner)


def test_of_two_visible_things_the_own_counts_and_a_number_names_the_other(client, researcher, texts):
    judge, (own, others) = make_judge(), texts
    body = {"attribute": "coherence", "judge": judge.name}

    def started(name):
        return Run.objects.get(pk=client.post("/api/runs/", body | {"dataset": name}, "application/json").json()["id"])

    assert [started(name).dataset for name in ("Texts", f"Texts#{others.pk}", "Texts")] == [own, others, own]
    listed = [
        client.get("/api/runs/", {"dataset": name}).json()["count"] for name in ("Texts", f"Texts#{others.pk}", "No")
    ]
    assert listed == [2, 1, 0]
    agreement = client.get(reverse("dataset-agreement", args=[own.pk])).content.decode()
    assert reverse("dataset-results", args=[own.pk]) in agreement
    client.force_login(make_user("ada", "admin"))
    for answer in (
        client.post("/api/runs/", body | {"dataset": "Texts"}, "application/json"),
        client.get("/api/runs/?dataset=Texts"),
    ):
        assert answer.json()["problems"][:1] == [
            f'dataset: 2 are called "Texts" — write one of: Texts#{own.pk} (of rita), Texts#{others.pk} (of otto)'
        ]


@pytest.mark.parametrize(
    ("noun", "kind", "command"),
    [
        ("dataset", Dataset, ("agreement", "--dataset")),
        ("study", Study, ("study",)),
        ("campaign", Campaign, ("change_campaign",)),
    ],
)
def test_commands_refuse_a_name_of_several_and_take_the_number(capsys, otto, researcher, noun, kind, command):
    own = hidden_dataset(NAME, researcher)
    scored(own, NAME, owner=researcher)
    create_study(NAME, owner=researcher)
    make_campaign(own, name=NAME, created_by=researcher)
    first, second = kind.objects.filter(name=NAME).order_by("pk")

    assert refused(capsys, *command, NAME) == [
        f'{noun}: 2 are called "{NAME}" — write one of: {NAME}#{first.pk} (of otto), {NAME}#{second.pk} (of rita)'
    ]
    printed(capsys, *command, f"{NAME}#{second.pk}")
    kind.objects.filter(pk=second.pk).update(**{kind.OWNER: None})
    printed(capsys, *command, NAME)

    if kind is Study:
        run = make_run(own)
        printed(capsys, "study", NAME, "--add-run", run.pk)
        assert list(run.studies.all()) == [second]


def test_a_run_on_another_dataset_of_the_same_name_and_file_is_not_used_again(researcher, texts):
    own, others = texts
    run = make_run(others, judge=make_judge(), owner=researcher)
    same = RunRequest(own, own.attributes.get(), run.judge, run.prompt)

    assert find_run(same, owner=researcher) is None


def test_figures_of_two_judges_of_one_name_stay_apart(client, otto, researcher):
    dataset, admin = make_dataset("Open"), make_user("ada", "admin")
    judges = [make_judge("GPT", owner=owner) for owner in (otto, researcher)]
    runs = [answer_run(make_run(dataset, judge=judge), p_first=p) for judge, p in zip(judges, (0.9, 0.2), strict=True)]
    study = create_study("Table", runs=runs, owner=admin)
    client.force_login(admin)
    labels = [f"GPT#{judge.pk}" for judge in judges]

    table = client.get(
        f"/api/studies/{study.pk}/table/", {"rows": "judge", "columns": "attribute", "figure": "p_first"}
    ).json()
    filters = client.get(reverse("study-collect", args=[study.pk])).content.decode()

    assert table["rows"] == labels
    assert [[cell["value"] for cell in line] for line in table["cells"]] == [[1.0], [0.0]]
    assert [one.judge for one in published_runs(dataset.runs.all())] == labels
    assert all(label in filters for label in labels)
    assert all(label in client.get(reverse("study-runs", args=[study.pk])).content.decode() for label in labels)


def test_a_study_of_the_command_line_tells_a_person_who_renames_it_of_no_other(client, otto, researcher):
    create_study("Hidden", runs=[Run.objects.filter(judge__name=NAME).get()])
    study = create_study("Shown")

    refusals = [
        client.patch(f"/api/studies/{study.pk}/", {"name": name}, "application/json").json()["problems"]
        for name in ("Hidden", "Nobody has it")
    ]

    assert refusals == [["name: only an admin renames a study of the command line"]] * 2


def test_a_study_and_looks_name_no_hidden_study_and_judge(client, capsys, otto, researcher):
    hidden, study = Study.objects.get(name=NAME), create_study("Shown", owner=researcher)
    dataset = make_dataset("Open", owner=researcher)
    set_parts(study, part="test", chosen_in=hidden)
    theirs, own = scored(dataset, NAME, owner=otto), scored(dataset, "Own judge", owner=researcher)
    for run in (theirs, own):
        Look.objects.create(
            dataset=dataset, door="page", run=run.pk, judge=f"{run.judge.name}, recorded", figures="report"
        )

    page = client.get(reverse("study", args=[study.pk])).content.decode()
    looks = client.get(f"/api/datasets/{dataset.pk}/looks/").json()["shown"]

    assert (f"study {hidden.pk}</a>" in page, NAME in page) == (True, False)
    assert [one["judge"] for one in looks] == ["Own judge, recorded", ""]
    assert len([one for one in printed_json(capsys, "looks", "--dataset", "Open")["shown"] if one["judge"]]) == 2
