"""A new campaign by page, API (JSON and form) and command: the same rows, the same refusals."""

from contextlib import suppress

import pytest
from django.core.management import call_command
from django.forms import model_to_dict
from rest_framework.test import APIClient

from judging.models import Campaign, Dataset
from tests.campaigns import make_annotator, make_campaign
from tests.commands import printed, refused
from tests.doors import arguments, texts
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db

OF_PAIRS = {
    "questions": {"fluency": "Which flows = better?"},
    "guidelines": "Mind the *facts*.",
    "votes_per_pair": 2,
    "selection": "random",
    "pairs_per_context": 2,
    "pair_limit": 3,
    "annotators": ["ann", "ben"],
    "state": "draft",
    "deadline": "2999-05-31T18:00",
    "wanted_width": 0.2,
    "most_skips": 0.25,
    "most_cannot_judge": 0.1,
    "allow_ties": False,
    "allow_both_bad": True,
    "allow_cannot_judge": True,
    "strength_levels": 4,
    "confidence_levels": 5,
    "take_comments": True,
    "text_format": "markdown",
    "random_share": 0.5,
    "contexts": 2,
    "allow_repeats": True,
}
OF_RATINGS = {
    "kind": "ratings",
    "pairs_per_context": 1,
    "lowest": {"": 1},
    "highest": {"fluency": 3, "coherence": 4},
    "lowest_label": {"": "poor"},
    "highest_label": {"coherence": "in order"},
}
NAMED = {"name": "Round 1", "attributes": ["fluency", "coherence"], "seed": 7}


@pytest.fixture
def rita():
    return make_user("rita", "researcher")


@pytest.fixture
def dataset(rita):
    make_annotator("ann"), make_annotator("ben")
    make_dataset("Others")
    return make_dataset(candidates=(3, 3, 3), attributes=("coherence", "fluency"), owner=rita)


@pytest.fixture
def doors(client, capsys, dataset, rita):
    """Each door: options -> its problems, empty if there is a campaign now."""
    client.force_login(rita)
    api = APIClient()
    api.force_authenticate(rita)

    def page(options):
        sent = {"allow_ties": "on", "attributes": options["attributes"]}
        for name, value in options.items():
            if value is False:
                sent.pop(name, None)
            elif name == "questions":
                sent |= {f"attributes_question_{one}": text for one, text in value.items()}
            else:
                sent[name] = "on" if value is True else texts(value)
        sent |= {f"attributes_order_{name}": place for place, name in enumerate(options["attributes"], 1)}
        answer = client.post(f"/campaigns/new/?dataset={dataset.pk}", sent)
        errors = answer.context["form"].errors.items() if answer.context else ()
        return [text if name == "__all__" else f"{name}: {text}" for name, texts in errors for text in texts]

    def posted(options, form):
        body = options if form == "json" else {name: texts(value) for name, value in options.items()}
        answer = api.post("/api/campaigns/", {"dataset": "Summaries"} | body, format=form)
        return [] if answer.status_code == 201 else answer.json()["problems"]

    def command(options):
        with suppress(SystemExit):
            named = arguments({name: value for name, value in options.items() if name != "name"})
            call_command("new_campaign", options["name"], "--dataset", "Summaries", "--owner", "rita", *named)
        return capsys.readouterr().err.splitlines()

    return {
        "page": page,
        "JSON": lambda options: posted(options, "json"),
        "form": lambda options: posted(options, "multipart"),
        "command": command,
    }


def stored():
    """Return all that a campaign has."""
    campaign = Campaign.objects.get()
    pairs = campaign.pairs.order_by("position").values_list("one", "other", "attribute", "purpose")
    attributes = campaign.asked_attributes.values_list(
        *("attribute__name", "question", "lowest", "highest", "lowest_label", "highest_label")
    )
    people = [person.username for person in campaign.annotators.order_by("username")]
    return model_to_dict(campaign, exclude=["id", "annotators"]) | {
        "pairs": list(pairs),
        "asked": list(attributes.order_by("position")),
        "people": people,
    }


def made_by(doors, options):
    """Return door -> the campaign that it makes."""
    made = {}
    for name, door in doors.items():
        assert (name, door(options)) == (name, [])
        made[name] = stored()
        Campaign.objects.all().delete()
    return made


def of_files(options, tmp_path):
    (tmp_path / "guidelines.md").write_text(options["guidelines"])
    return options | {"guidelines": str(tmp_path / "guidelines.md")}


@pytest.mark.parametrize("options", [{}, OF_PAIRS, OF_RATINGS], ids=["defaults", "pairs", "ratings"])
def test_every_door_makes_the_same_campaign(doors, tmp_path, options):
    command = doors["command"]
    if "guidelines" in options:
        doors["command"] = lambda sent: command(of_files(sent, tmp_path))

    made = made_by(doors, NAMED | options)

    assert made["JSON"] == made["page"] == made["form"] == made["command"]


def test_given_options_reach_the_campaign(doors):
    doors["JSON"](NAMED | OF_PAIRS)

    campaign = stored()
    kept = (
        "guidelines",
        "votes_per_pair",
        "wanted_width",
        "most_skips",
        "most_cannot_judge",
        "allow_ties",
        "allow_both_bad",
        "allow_cannot_judge",
    )
    kept = (*kept, "strength_levels", "confidence_levels", "take_comments", "text_format", "allow_repeats")
    assert {name: campaign[name] for name in kept} == {name: OF_PAIRS[name] for name in kept}
    assert campaign["asked"] == [
        ("fluency", "Which flows = better?", None, None, "", ""),
        ("coherence", *["", None, None, "", ""]),
    ]
    assert (campaign["people"], campaign["deadline"].isoformat()) == (["ann", "ben"], "2999-05-31T18:00:00+00:00")
    assert (campaign["chosen_state"], campaign["pair_choice"]["rule"], len(campaign["pairs"])) == ("draft", "random", 6)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": ""}, "name: needed"),
        ({"name": " "}, "name: is empty — give the campaign a name"),
        ({"name": "x" * 201}, "name: 201 characters — write at most 200"),
        ({"name": "Taken"}, 'name: "Taken" is not free — choose another name'),
        ({"votes_per_pair": 0}, "votes_per_pair: 0 — give a whole number from 1 to 1,000"),
        ({"votes_per_pair": 1001}, "votes_per_pair: 1001 — give a whole number from 1 to 1,000"),
        ({"wanted_width": 5}, "wanted_width: 5 — give a number from 0.001 to 0.999"),
        ({"most_skips": 1.5}, "most_skips: 1.5 — give a number from 0 to 1"),
        ({"random_share": 1.5}, "random_share: 1.5 — give a number from 0 to 1"),
        ({"random_share": "nan"}, "random_share: nan — give a number from 0 to 1"),
        ({"pair_limit": 0}, "pair_limit: 0 — give a whole number from 1 to 2,147,483,647"),
        ({"pairs_per_context": 0}, "pairs_per_context: 0 — give a whole number from 1 to 2,147,483,647"),
        ({"contexts": "many"}, 'contexts: "many" — give a whole number from 1 to 2,147,483,647'),
        ({"strength_levels": 11}, "strength_levels: 11 — give a whole number from 2 to 10"),
        ({"seed": -1}, "seed: -1 — give a whole number from 0 to 9,223,372,036,854,775,807"),
        ({"deadline": "soon"}, 'deadline: "soon" is not a date and time — write it as 2027-06-30T18:00'),
        ({"deadline": "2001-05-31T18:00"}, "deadline: 2001-05-31 18:00 UTC has passed"),
        ({"state": "closed"}, 'state: "closed" is unknown; choose one of: open, draft'),
        ({"kind": "stars"}, 'kind: "stars" is unknown; choose one of: pairs, ratings'),
        ({"selection": "unsur"}, 'selection: "unsur" is unknown (did you mean "unsure"?); choose one of: d-optimal'),
        ({"text_format": "html"}, 'text_format: "html" is unknown; choose one of: plain, markdown'),
        (
            {"attributes": ["fluence"]},
            'attributes: there is no attribute "fluence" on Summaries (did you mean "fluency"?)',
        ),
        ({"annotators": ["anne"]}, 'annotators: there is no annotator "anne" (did you mean "ann"?)'),
        ({"annotators": ["rita"]}, 'annotators: there is no annotator "rita"'),
        ({"kind": "ratings", "lowest_label": {"": "x" * 81}}, "lowest_label: 81 characters — write at most 80"),
        (
            {"kind": "ratings", "lowest": {"": 3}, "highest": {"": 2}},
            "lowest, highest: 3 to 2 — give two whole numbers",
        ),
        ({"lowest": {"": 1}}, "lowest, highest: only a campaign of ratings has a scale; leave it out"),
        ({"kind": "ratings", "allow_both_bad": True}, "allow both bad: is about answers on pairs; leave it out"),
        ({"selection": "all", "pairs_per_context": 2}, "pairs per context: 2 — the selection all takes every pair"),
        ({"selection": "adaptive"}, "pairs per context: missing — the selection adaptive needs a number"),
    ],
)
def test_every_door_refuses_in_the_same_words(doors, dataset, options, problem):
    make_campaign(dataset, name="Taken")
    if "attributes" in options:
        del doors["page"]  # it offers the attributes, and sends no other
    for name, door in doors.items():
        [said] = door(NAMED | options)
        assert spaced(said).startswith(of_field(spaced(problem), name)), name
    assert Campaign.objects.count() == 1


def spaced(problem):
    field, colon, reason = problem.partition(": ")
    return f"{field.replace('_', ' ')}{colon}{reason}"


def of_field(problem, door):
    """Return the problem as a door says it. A page shows it at the first of its fields."""
    field, colon, reason = problem.partition(": ")
    return f"{field.partition(',')[0]}{colon}{reason}" if door == "page" else problem


def test_runs_are_found_for_the_person_who_asks(doors, dataset, rita):
    fluency = dataset.attributes.get(name="fluency")
    run = answer_run(make_run(dataset, owner=rita, attribute=fluency), p_first=0.5)
    hidden = answer_run(make_run(dataset, owner=make_user("otto", "researcher"), attribute=fluency), p_first=0.5)
    options = NAMED | {"selection": "unsure", "pair_limit": 2}

    made = made_by(doors, options | {"runs": [run.pk]})
    foreign = {name: door(options | {"runs": [hidden.pk]}) for name, door in doors.items() if name != "command"}

    assert made["JSON"] == made["page"] == made["form"] == made["command"]
    assert made["JSON"]["pair_choice"]["runs"] == [run.pk]
    assert list(foreign.values()) == [[f"runs: there is no run {hidden.pk} on Summaries that you may see"]] * 3


def test_an_unknown_option_is_refused_by_every_door(doors):
    said = {name: door(NAMED | {"vote_per_pair": 2}) for name, door in doors.items() if name != "command"}

    for problems in said.values():
        assert [one.partition(";")[0] for one in problems] == [
            'vote_per_pair: unknown (did you mean "votes_per_pair"?)'
        ]
    assert not Campaign.objects.exists()


def test_a_body_without_names_is_refused(client, rita, dataset):
    api = APIClient()
    api.force_authenticate(rita)

    for body in ([], "x", [{"name": "R"}]):
        assert api.post("/api/campaigns/", body, format="json").status_code == 400
    nested = api.post(
        "/api/campaigns/", {"dataset": "Summaries", "name": ["R", "S"], "attributes": [["fluency"]]}, format="json"
    )
    assert nested.json()["problems"] == ["name: 2 values; give one", "attributes: 1 values; give one"]
    assert not Campaign.objects.exists()


def test_a_scale_and_a_question_about_an_unknown_attribute_are_refused(doors):
    del doors["page"]  # it has fields for the attributes of the dataset alone
    for name in ("lowest", "questions"):
        for door in doors.values():
            [problem] = door(NAMED | {"kind": "ratings", "attributes": ["fluency"], name: {"fluence": "1"}})
            assert "fluence" in problem
    assert not Campaign.objects.exists()


def test_a_campaign_of_the_command_line_belongs_to_its_owner_who_may_see_the_dataset(capsys, dataset, rita):
    command = ("new_campaign", "Mine", "--dataset", dataset.name, "--attributes", "fluency", "--owner")
    make_user("olga", "researcher")
    Dataset.objects.filter(pk=dataset.pk).update(visibility="private")

    assert refused(capsys, *command, "olga") == [f"owner: olga may not see {dataset.name}; share the dataset first"]
    printed(capsys, *command, "rita")

    assert list(Campaign.objects.editable_by(rita)) == [Campaign.objects.get(name="Mine")]
