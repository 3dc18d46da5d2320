"""Import of a dataset by page, API and command: the same rows, the same refusals."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms import model_to_dict
from rest_framework.test import APIClient

from judging.models import Dataset
from judging.services.datasets.dataset_changes import share_dataset
from tests.commands import printed, printed_json, refused
from tests.doors import arguments, texts
from tests.evenhand.formats.people_tables import pair_of_responses
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db

TEXTS = json.dumps({"context": "c1", "text": "Why?", "candidates": [{"candidate": one, "text": one} for one in "ab"]})
PAIRS = {
    "layout": "pairs",
    "map": ["context_text=prompt", "text_first=response_a", "text_second=response_b", "choice=winner"],
    "choice": ["first=response_a", "second=response_b", "tie=tie"],
}


@pytest.fixture
def rita():
    make_user("rob", "researcher"), make_user("ann", "annotator")
    return make_user("rita", "researcher")


@pytest.fixture
def doors(client, capsys, rita, settings, tmp_path):
    """Each door: options -> its problems, empty if there is a dataset now."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    client.force_login(rita)

    def page(options):
        first = {name: texts(options[name]) for name in ("format", "choice") if name in options}
        answer = client.post("/datasets/upload/", first | {"files": uploaded()}, follow=True)
        if answer.redirect_chain:
            others = {name: texts(value) for name, value in options.items() if name not in first}
            answer = client.post(answer.redirect_chain[-1][0], others)
        errors = answer.context["form"].errors.items() if answer.context else ()
        shown = [text if name == "__all__" else f"{name}: {text}" for name, some in errors for text in some]
        return shown or [str(problem) for problem in (answer.context or {}).get("problems", ())]

    def api(options):
        answer = upload(rita, options)
        return [] if answer.status_code == 201 else answer.json()["problems"]

    def command(options):
        (tmp_path / "texts.jsonl").write_text(TEXTS)
        try:
            printed(capsys, "import_dataset", *arguments(options), "--owner", "rita", tmp_path / "texts.jsonl")
        except SystemExit:
            return capsys.readouterr().err.splitlines()
        return []

    return {"page": page, "API": api, "command": command}


def uploaded(name="texts.jsonl", content=TEXTS):
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def upload(user, options, *file):
    api = APIClient()
    api.force_authenticate(user)
    return api.post("/api/datasets/", {"files": [uploaded(*file)], **options}, format="multipart")


def stored():
    dataset = Dataset.objects.get()
    people = [person.username for person in dataset.shared_with.all()]
    attributes = [one.name for one in dataset.attributes.all()]
    return model_to_dict(dataset, exclude=["id", "shared_with"]) | {"people": people, "attributes": attributes}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"visibility": "private", "attributes": []}),
        ({"visibility": "open", "attribute": ["coherence"]}, {"visibility": "open", "attributes": ["coherence"]}),
        ({"visibility": "shared", "shared_with": ["rob"]}, {"visibility": "shared", "people": ["rob"]}),
        ({"format": "evenhand", "attribute": ["a", "b"]}, {"source_format": "evenhand", "attributes": ["a", "b"]}),
    ],
)
def test_every_door_makes_the_same_dataset(doors, rita, options, expected):
    made = {}
    for name, door in doors.items():
        assert (name, door({"name": "Texts"} | options)) == (name, [])
        made[name] = stored()
        Dataset.objects.all().delete()

    assert made["page"] == made["API"] == made["command"]
    assert made["page"] | {"name": "Texts", "owner": rita.pk} | expected == made["page"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": ""}, "name: needed"),
        ({"name": " "}, 'name: " " — expected a name of one character or more'),
        ({"name": "Taken"}, 'name: "Taken" is not free — choose another name'),
        ({"name": "x" * 201}, "name: 201 characters — write at most 200"),
        ({"name": "two\u200blines"}, "name: 'two\\u200blines' — expected printable characters"),
        ({"format": "xml"}, 'format: "xml" is unknown; choose one of: evenhand, csv, '),
        ({"visibility": "closed"}, 'visibility: "closed" is unknown; choose one of: private, shared, open'),
        ({"visibility": "shared"}, "shared_with: name one person or more, or choose another visibility"),
        (
            {"visibility": "shared", "shared_with": ["robb"]},
            'shared_with: there is no researcher "robb" besides its owner (did you mean "rob"?)',
        ),
        (
            {"visibility": "shared", "shared_with": ["rita"]},
            'shared_with: there is no researcher "rita" besides its owner',
        ),
        ({"attribute": ["a", "a", "b\tc"]}, 'attribute: "b\\tc" — expected printable characters'),
        ({"choice": ["best=Links"]}, 'choice: unknown meaning "best"'),
    ],
)
def test_every_door_refuses_in_the_same_words(doors, options, problem):
    Dataset.objects.create(name="Taken", sha256="0")
    for name, door in doors.items():
        [said] = door({"name": "Texts"} | options)
        assert said.startswith(problem), name
    assert Dataset.objects.count() == 1


def test_an_unknown_option_is_refused_by_page_and_api(doors):
    for name in ("page", "API"):
        [said] = doors[name]({"name": "Texts", "visiblity": "open"})
        assert said.startswith('visiblity: unknown (did you mean "visibility"?)')
    assert not Dataset.objects.exists()


@pytest.fixture
def table_doors(doors, rita, tmp_path, capsys):
    """API and command with a table of unknown columns: options -> what the door answers, or its problems."""
    table = pair_of_responses()
    (tmp_path / table.name).write_bytes(table.content)

    def api(**options):
        answer = upload(rita, options, table.name, table.content)
        return answer.json().get("problems", answer.json())

    def command(**options):
        options = {name: value for name, value in options.items() if name != "dry_run" or value}
        try:
            shown = printed(capsys, "import_dataset", *arguments(options), "--owner", "rita", tmp_path / table.name)
        except SystemExit:
            return capsys.readouterr().err.splitlines()
        return json.loads(shown) if "dry_run" in options else shown

    return api, command


def test_a_mapping_is_given_and_used_again_by_every_door(table_doors):
    for door in table_doors:
        door(name="Pairs", **PAIRS)
        door(name="Again", mapping_of="Pairs")
        door(name="Guessed", layout="pairs")

        mappings = [dataset.mapping for dataset in Dataset.objects.order_by("pk")]
        assert (len(mappings), mappings[0]["layout"]) == (3, "pairs")
        assert mappings[0] == mappings[1] == mappings[2]
        Dataset.objects.all().delete()


def test_a_dry_run_says_the_same_by_every_door_and_stores_nothing(table_doors):
    api, command = (door(dry_run=True, attribute=["clarity"]) for door in table_doors)

    assert api == command
    assert (api["layout"], api["map"]["choice"], api["contexts"], api["attributes"]) == (
        *("pairs", "winner", 4),
        ["overall", "clarity"],
    )
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("options", "problems"),
    [
        ({"layout": "long"}, ['layout: "long" is unknown; choose one of: candidates, wide, pairs, votes']),
        ({"mapping_of": "Nothing"}, ['mapping_of: there is no dataset "Nothing"']),
        ({"mapping_of": "Taken"}, ['mapping_of: dataset "Taken" was not read by a mapping']),
        (
            {"mapping_of": "Taken", "layout": "pairs"},
            ["mapping_of: use the mapping of a dataset, or give layout, map and choice, not both"],
        ),
        (
            {"name": "Taken", "layout": "pairs", "map": ["text=prompt"]},
            [
                'name: "Taken" is not free',
                'map: unknown field "text"',
                "map: text_first or chosen or system_first: missing",
                "map: text_second or rejected or system_second: missing",
            ],
        ),
    ],
)
def test_a_wrong_mapping_is_refused_in_the_same_words(table_doors, rita, options, problems):
    Dataset.objects.create(name="Taken", sha256="0")
    for door in table_doors:
        assert [one.split(" — ")[0] for one in door(**{"name": "Pairs"} | options)] == problems
    assert Dataset.objects.count() == 1


def test_unknown_columns_are_refused_with_the_options_that_read_them(table_doors):
    for door in table_doors:
        [problem] = door(name="Pairs")
        assert "or map its columns: --layout pairs --map context_text=prompt" in problem


def test_a_mapping_of_a_dataset_that_one_may_not_see_is_not_used(table_doors, rita):
    api, command = table_doors
    command(name="Pairs", **PAIRS)
    Dataset.objects.update(owner=make_user("otto", "researcher"))

    assert api(name="Again", mapping_of="Pairs") == ['mapping_of: there is no dataset "Pairs"']


def test_a_column_whose_name_has_two_lines_is_mapped_by_every_door(rita, tmp_path, capsys):
    table, options = b'"your\nprompt",A,B\nWhy?,So.,No.\n', ["context_text=your\nprompt", "text:A=A", "text:B=B"]
    (tmp_path / "wide.csv").write_bytes(table)

    shown = printed_json(
        capsys, "import_dataset", tmp_path / "wide.csv", "--name", "W", *arguments({"layout": "wide", "map": options})
    )
    answer = upload(rita, {"name": "V", "layout": "wide", "map": options}, "wide.csv", table)

    assert (shown["contexts"], answer.json()["contexts"]) == (1, 1)


def test_without_an_owner_a_dataset_is_open_and_never_private(tmp_path, capsys):
    (tmp_path / "texts.jsonl").write_text(TEXTS)
    command = ("import_dataset", tmp_path / "texts.jsonl", "--name", "Texts")

    problems = refused(capsys, *command, "--visibility", "private")
    printed(capsys, *command)

    assert problems == ["visibility: private needs an owner — give --owner NAME, or --visibility open"]
    assert (Dataset.objects.get().owner, Dataset.objects.get().visibility) == (None, "open")


def private_dataset(owner):
    dataset = make_dataset(owner=owner)
    share_dataset(dataset, visibility="private")
    return dataset


@pytest.mark.parametrize(
    ("options", "problems"),
    [
        ({"visibility": "shared", "shared_with": ["rob"]}, []),
        ({"visibility": "open"}, []),
        ({}, ["visibility: needed"]),
        ({"visibility": "shared"}, ["shared_with: name one person or more, or choose another visibility"]),
        (
            {"visibility": "shared", "shared_with": ["rita", "ann"]},
            [f'shared_with: there is no researcher "{name}" besides its owner' for name in ("rita", "ann")],
        ),
    ],
)
def test_a_dataset_is_shared_alike_by_page_and_api(client, rita, options, problems):
    dataset = private_dataset(rita)
    client.force_login(rita)
    api = APIClient()
    api.force_authenticate(rita)

    def now():
        dataset.refresh_from_db()
        return dataset.visibility, [person.username for person in dataset.shared_with.all()]

    page = client.post(f"/datasets/{dataset.pk}/sharing/", options)
    by_page = now()
    share_dataset(dataset, visibility="private")
    answer = api.patch(f"/api/datasets/{dataset.pk}/", options, format="json")

    errors = page.context["form"].errors.items() if page.context else ()
    assert [f"{name}: {text}" for name, some in errors for text in some] == problems
    assert answer.json().get("problems", []) == problems
    expected = ("private", []) if problems else (options["visibility"], options.get("shared_with", []))
    assert (by_page, now()) == (expected, expected)


def test_people_ticked_for_another_visibility_count_for_the_page_alone(client, rita):
    dataset = private_dataset(rita)
    client.force_login(rita)
    api = APIClient()
    api.force_authenticate(rita)
    options = {"visibility": "open", "shared_with": ["rob"]}

    answer = api.patch(f"/api/datasets/{dataset.pk}/", options, format="json")
    client.post(f"/datasets/{dataset.pk}/sharing/", options)

    assert answer.json()["problems"] == ["shared_with: only a shared dataset names people; this one is open"]
    assert (Dataset.objects.get().visibility, Dataset.objects.get().shared_with.count()) == ("open", 0)
