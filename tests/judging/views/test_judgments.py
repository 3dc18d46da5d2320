"""A researcher adds recorded judgments: first a preview with every problem, then a confirmation that stores them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.models import Candidate, Dataset, Run, Vote
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db

COMPARISONS = "context,attribute,first,second,choice\nc0,coherence,a,b,first\nc0,coherence,b,a,tie\n"
VOTES = "item,quality,left,right,preferred,who,mood\nc0,coherence,a,b,A wins,h1,good\nc1,coherence,b,a,tie,h2,bad\n"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


@pytest.fixture
def dataset(client):
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    make_dataset("Others", owner=rita)
    return make_dataset(owner=rita)


def upload(client, dataset, text, *, kind="comparisons", judge="GPT-4", name="judged.csv"):
    """Return the preview of a file."""
    fields = {"kind": kind, "judge": judge, "files": SimpleUploadedFile(name, text.encode())}
    return client.post(reverse("judgments-new", args=[dataset.pk]), fields, follow=True)


def confirm(client, preview, **fields):
    return client.post(preview.redirect_chain[-1][0], {"save": "1", **fields}, follow=True)


def test_preview_shows_the_rows_as_they_will_be_read_and_stores_nothing(client, dataset):
    preview = upload(client, dataset, COMPARISONS)

    assert (preview.context["count"], preview.context["problems"]) == (2, [])
    assert preview.context["headers"] == ["context", "attribute", "first", "second", "choice", "prompt", "method"]
    assert preview.context["rows"][1][:5] == ["c0", "coherence", "b", "a", "tie"]
    assert preview.context["command"] == "evenhand import_comparisons judged.csv --dataset Summaries --judge GPT-4"
    assert not Run.objects.exists()


def test_confirmed_comparisons_become_a_run_of_the_researcher(client, dataset, folder):
    page = confirm(client, upload(client, dataset, COMPARISONS))

    run = Run.objects.get()
    assert page.redirect_chain == [(reverse("dataset-results", args=[dataset.pk]), 302)]
    assert (run.dataset, run.judge.name, run.owner.username, run.comparisons.count()) == (dataset, "GPT-4", "rita", 2)
    assert list(folder.iterdir()) == []


def test_scores_are_saved_too(client, dataset):
    text = "context,attribute,candidate,score\nc0,coherence,a,4\n"

    confirm(client, upload(client, dataset, text, kind="scores", judge="BARTScore"))

    assert Run.objects.get().scores.get().value == 4


def test_columns_with_other_names_are_guessed_and_can_be_changed(client, dataset):
    preview = upload(client, dataset, VOTES, kind="votes", judge="")

    rows = preview.context["mapping_form"].column_rows()
    assert {row["name"]: row["field"].initial for row in rows} == {
        **{"item": "context", "quality": "attribute", "left": "first", "right": "second", "preferred": "choice"},
        **{"who": "", "mood": ""},
    }
    meant = {"item": "context", "quality": "attribute", "left": "first", "right": "second", "preferred": "choice"}
    posted = {row["field"].html_name: (meant | {"who": "rater"}).get(row["name"], "") for row in rows}
    address = preview.redirect_chain[-1][0]
    second = client.post(address, {**posted, "choice-columns": "", "update": "1"})
    values = {row["field"].html_name: row["field"].initial for row in second.context["mapping_form"].value_rows()}
    confirm(client, preview, **posted, **values, **{"choice-columns": "preferred"})

    assert second.context["problems"] == []
    assert second.context["notes"] == ["judged.csv: ignored columns: mood"]
    assert list(Vote.objects.values_list("context__key", "first__key", "choice", "rater")) == [
        ("c0", "a", "first", "h1"),
        ("c1", "b", "tie", "h2"),
    ]


def test_columns_of_earlier_judgments_are_offered_and_shown_before_saving(client, dataset):
    dataset.judgment_mappings["votes"] = {
        "layout": "recorded-votes",
        "map": ["context=item", "attribute=quality", "first=right", "second=left", "choice=preferred", "rater=who"],
        "choice": ["second=A wins"],
    }
    dataset.save()
    Dataset.objects.filter(name="Others").update(
        judgment_mappings={"votes": {"layout": "recorded-votes", "map": ["context=elsewhere"], "choice": []}}
    )

    preview = upload(client, dataset, VOTES, kind="votes", judge="")
    chosen = confirm(client, preview, saved=str(dataset.pk))

    assert preview.context["saved"] == [dataset]
    assert chosen.context["rows"][0] == ["c0", "coherence", "b", "a", "second", "h1"]
    assert "--map first=right" in chosen.context["command"]
    assert not Vote.objects.exists()


def test_a_mapping_is_saved_with_the_judgments(client, dataset):
    text = "item,quality,left,right,preferred\nc0,coherence,a,b,A\n"

    confirm(client, upload(client, dataset, text))

    assert Run.objects.exists()
    dataset.refresh_from_db()
    assert dataset.judgment_mappings == {
        "comparisons": {
            "layout": "recorded-comparisons",
            "map": ["context=item", "attribute=quality", "first=left", "second=right", "choice=preferred"],
            "choice": ["first=A"],
        }
    }


def test_preview_lists_every_problem_and_saves_nothing(client, dataset):
    text = COMPARISONS + "c0,coherence,a,z,first\nc9,coherence,a,b,maybe\n"

    preview = upload(client, dataset, text)
    answer = client.post(preview.redirect_chain[-1][0], {"save": "1"})

    assert [line.split(" — ")[0] for line in preview.context["problems"]] == [
        'judged.csv:4: second: "z"',
        'judged.csv:5: choice: "maybe"',
        'judged.csv:5: context: "c9"',
    ]
    assert "Save these comparisons" not in preview.content.decode()
    assert answer.status_code == 422
    assert not Run.objects.exists()


def test_comparisons_need_the_name_of_a_judge(client, dataset, folder):
    answer = upload(client, dataset, COMPARISONS, judge="")

    assert answer.context["form"].errors == {"judge": ["Give the judge a name. The files have no column judge."]}
    assert not folder.exists()


SEVERAL_JUDGES = (
    "context,attribute,first,second,choice,judge\nc0,coherence,a,b,first,GPT-4\nc0,coherence,a,b,tie,Llama\n"
)


def test_file_that_names_its_judges_gives_runs_of_each(client, dataset):
    preview = upload(client, dataset, SEVERAL_JUDGES, judge="")
    page = confirm(client, preview)

    assert preview.context["becomes"] == "2 runs of 2 judges"
    assert "GPT-4 (1 run), Llama (1 run)" in preview.content.decode()
    assert "<dd>2 runs of 2 judges</dd>" in preview.content.decode()
    assert "2 runs of 2 judges saved." in page.content.decode()
    assert set(Run.objects.values_list("judge__name", "comparisons__choice")) == {("GPT-4", "first"), ("Llama", "tie")}


def test_only_the_named_judge_of_a_file_is_read(client, dataset):
    preview = upload(client, dataset, SEVERAL_JUDGES, judge="Llama")
    confirm(client, preview)

    assert preview.context["notes"] == ['not used, comparisons of other judges: 1 ("GPT-4")']
    assert [run.judge.name for run in Run.objects.all()] == ["Llama"]


def test_column_of_the_judge_may_have_any_name(client, dataset):
    preview = upload(client, dataset, SEVERAL_JUDGES.replace("judge", "rated by"), judge="")
    assert "judge: no name" in preview.context["problems"][0]

    rows = preview.context["mapping_form"].column_rows()
    posted = {row["field"].html_name: "judge" if row["name"] == "rated by" else row["name"] for row in rows}
    confirm(client, preview, **posted, **{"choice-columns": "choice"})

    assert set(Run.objects.values_list("judge__name", flat=True)) == {"GPT-4", "Llama"}


def test_cancelled_upload_is_deleted(client, dataset, folder):
    preview = upload(client, dataset, COMPARISONS)

    client.post(preview.redirect_chain[-1][0], {"cancel": "1"})

    assert list(folder.iterdir()) == []
    assert not Run.objects.exists()


def test_upload_of_another_person_or_dataset_does_not_exist(client, dataset):
    address = upload(client, dataset, COMPARISONS).redirect_chain[-1][0]
    name = address.rstrip("/").rpartition("/")[2]
    other = make_dataset("Third", owner=dataset.owner)

    assert client.get(reverse("judgments-review", args=[other.pk, name])).status_code == 404
    client.force_login(make_user("ada", "admin"))
    assert client.get(address).status_code == 404


def test_another_researcher_adds_judgments_of_judges_as_own_runs_but_none_of_people(client, dataset):
    upload(client, dataset, COMPARISONS)
    client.force_login(olaf := make_user("olaf", "researcher"))
    page = client.get(dataset.get_absolute_url()).content.decode()

    review = upload(client, dataset, COMPARISONS)
    client.post(review.request["PATH_INFO"], {"save": "save"})
    refused = upload(client, dataset, VOTES, kind="votes")

    assert "Add recorded judgments</a>: comparisons or scores of a judge that" in page
    assert [run.owner for run in Run.objects.all()] == [olaf]
    assert "Select a valid choice" in str(refused.context["form"].errors["kind"])


def test_votes_that_wait_for_a_confirmation_are_not_saved_once_the_dataset_belongs_to_another_person(client, dataset):
    review = upload(client, dataset, VOTES, kind="votes")
    Dataset.objects.filter(pk=dataset.pk).update(owner=make_user("olaf", "researcher"))

    assert client.post(review.request["PATH_INFO"], {"save": "save"}).status_code == 404
    assert not Vote.objects.exists()


def test_a_judge_whose_run_somebody_else_keeps_private_can_be_recorded_again(client, dataset):
    review = upload(client, dataset, COMPARISONS)
    client.post(review.request["PATH_INFO"], {"save": "save"})
    again = upload(client, dataset, COMPARISONS)
    client.force_login(make_user("olaf", "researcher"))

    of_another = upload(client, dataset, COMPARISONS)

    assert "does not have yet" in again.content.decode()
    assert "does not have yet" not in of_another.content.decode()


REPLIES = "context,attribute,first,second,reply\nc0,coherence,a,b,9 6\nc0,coherence,b,a,No scores.\n"


def upload_replies(client, dataset, *, kind="comparisons"):
    file = SimpleUploadedFile("judged.csv", REPLIES.encode())
    fields = {"kind": kind, "judge": "JudgeLM", "files": file, "verdict_pattern": "two-scores"}
    return client.post(reverse("judgments-new", args=[dataset.pk]), fields, follow=True)


def test_whole_replies_are_read_by_the_chosen_pattern(client, dataset):
    preview = upload_replies(client, dataset)

    assert [row[4] for row in preview.context["rows"]] == ["first", "unparsed"]
    assert preview.context["command"].endswith("--judge JudgeLM --verdict-pattern two-scores")
    confirm(client, preview)
    choices = Run.objects.get().comparisons.order_by("pk").values_list("choice", "outcome")
    assert list(choices) == [("first", "answered"), ("", "unparsed")]


def test_pattern_of_another_kind_of_judgments_is_refused(client, dataset):
    page = upload_replies(client, dataset, kind="scores")

    assert page.context["form"].errors["verdict_pattern"] == ["This pattern does not give scores."]


def test_texts_that_name_candidates_are_guessed(client, dataset):
    for candidate in Candidate.objects.all():
        candidate.text = f"{candidate.text} It is a longer one."
        candidate.save()
    texts = [[f"Summary {key} of article {number}. It is a longer one." for key in "ab"] for number in (0, 1)]
    lines = [f"Article {number}.,{first},{second},A,coherence" for number, (first, second) in enumerate(texts)]

    preview = upload(client, dataset, "\n".join(["article,summary_1,summary_2,preferred,quality", *lines]))

    assert {row["name"]: row["field"].initial for row in preview.context["mapping_form"].column_rows()} == {
        **{"article": "context_text", "summary_1": "text_first", "summary_2": "text_second"},
        **{"preferred": "choice", "quality": "attribute"},
    }
    assert preview.context["problems"] == []
    assert [row[:4] for row in preview.context["rows"]] == [
        ["c0", "coherence", "a", "b"],
        ["c1", "coherence", "a", "b"],
    ]


def test_labels_of_a_log_of_votes_are_given_a_meaning(client, dataset):
    results = [{"from_name": "coherence", "value": {"choices": [label]}} for label in ("Links", "Links", "Rechts")]
    annotations = [{"completed_by": number, "result": [result]} for number, result in enumerate(results)]
    tasks = [{"id": "c0", "data": {"a": "Summary a.", "b": "Summary b."}, "annotations": annotations}]
    fields = {"kind": "votes", "choice": "first=Links\nsecond=Rechts"}
    file = SimpleUploadedFile("export.json", json.dumps(tasks).encode())

    preview = client.post(reverse("judgments-new", args=[dataset.pk]), {**fields, "files": file}, follow=True)
    confirm(client, preview)

    assert preview.context["command"].endswith("--choice first=Links --choice second=Rechts")
    assert list(Vote.objects.order_by("pk").values_list("choice", flat=True)) == ["first", "first", "second"]


def test_meaning_with_a_character_that_no_text_may_have_is_refused_at_its_field(client, dataset):
    file = SimpleUploadedFile("votes.csv", VOTES.encode())

    answer = client.post(
        reverse("judgments-new", args=[dataset.pk]), {"kind": "votes", "choice": "first=\0", "files": file}
    )

    assert answer.context["form"].errors["choice"] == ["Null characters are not allowed."]


@pytest.mark.parametrize("kind", ["comparisons", "votes"])
def test_choices_that_name_the_winner_are_guessed_and_saved(client, dataset, kind):
    rows = ["c0,coherence,a,b,a,h1", "c0,coherence,b,a,a,h1", "c1,coherence,b,a,tie,h1"]
    preview = upload(client, dataset, "\n".join(["item,quality,left,right,winner,rater", *rows]), kind=kind)

    named = [row["field"].initial for row in preview.context["mapping_form"].value_rows()]
    changed = client.post(preview.redirect_chain[-1][0], posted_values(preview) | {"update": "1"})
    confirm(client, preview, **posted_values(preview))

    assert (named, changed.context["problems"]) == (["by-name:2:3", ""], [])
    assert "--choice first=@left --choice second=@right" in changed.context["command"]
    stored = Vote.objects.all() if kind == "votes" else Run.objects.get().comparisons.all()
    assert [one.choice for one in stored.order_by("pk")] == ["first", "second", "tie"]


def posted_values(preview):
    """Return what the page would post unchanged."""
    form = preview.context["mapping_form"]
    values = {name: str(field.initial or "") for name, field in form.form.fields.items()}
    return values | {"choice-columns": ", ".join(form.choice_columns)}
