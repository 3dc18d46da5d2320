"""The mapping step of an upload: a guess, a preview, a check of all lines, and the dataset."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evenhand.formats import DATASET_LAYOUTS, LAYOUTS, RECORDED_LAYOUTS, ColumnValues, TableMapping
from judging.forms.mappings import make_mapping_form
from judging.models import Candidate, Dataset, HumanScore, Vote
from tests.evenhand.formats.people_tables import PEOPLE_TABLES, csv_bytes, pair_of_responses, pair_with_systems
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


def upload(client, content: bytes, name: str = "pairs.csv"):
    return client.post(reverse("dataset-upload"), {"files": SimpleUploadedFile(name, content)}, follow=True)


def fields_of(page: str) -> dict[str, str]:
    """Return the values of the mapping form as a browser would send them."""
    form = page.split('<div id="mapping">')[1].split("</form>")[0]
    values = dict(re.findall(r'<input type="(?:hidden|text)" name="([^"]+)" value="([^"]*)"', form))
    values |= dict.fromkeys(re.findall(r'<input type="checkbox" name="([^"]+)"[^>]* checked', form), "on")
    for name, options in re.findall(r'<select name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        values[name] = "".join(re.findall(r'value="([^"]*)" selected', options)[:1])
    return values


def named(page: str, column: str) -> str:
    """Return the name of the select of a column."""
    return re.search(rf'for="id_([^"]+)">Meaning of {column}<', page)[1]


@pytest.mark.parametrize("make", PEOPLE_TABLES.values(), ids=PEOPLE_TABLES)
def test_files_as_people_have_them_are_uploaded(client, admin, make):
    table = make()
    answer = upload(client, table.content, table.name)
    if answer.resolver_match.url_name == "dataset-mapping":
        answer = client.post(
            answer.request["PATH_INFO"], fields_of(answer.content.decode()) | {"check": "1"}, follow=True
        )

    client.post(answer.request["PATH_INFO"], {"name": "Table", "visibility": "private"})

    dataset = Dataset.objects.get()
    assert (dataset.contexts.count(), Candidate.objects.count()) == (table.contexts, table.candidates)
    assert HumanScore.objects.values("candidate", "attribute").distinct().count() == table.scores
    assert Vote.objects.count() == table.votes
    assert list(dataset.attributes.values_list("name", flat=True)) == list(table.attributes)


def test_unknown_columns_lead_to_a_guess_with_a_preview(client, admin):
    answer = upload(client, pair_with_systems().content)

    page = answer.content.decode()
    values = fields_of(page)
    assert (answer.status_code, values["layout"]) == (200, "pairs")
    assert (values[named(page, "output_1")], values[named(page, "annotator")]) == ("text_first", "rater")
    assert "Ignored columns: comment." in page
    assert page.count("<td>first</td>") + page.count("<td>second</td>") == 8
    assert "--choice first=@" in page
    assert not Dataset.objects.exists()


def test_a_changed_layout_is_guessed_again_and_an_unknown_one_refused(client, admin):
    answer = upload(client, pair_of_responses().content)
    address, values = answer.request["PATH_INFO"], fields_of(answer.content.decode())

    page = client.post(address, values | {"layout": "wide"}, headers={"HX-Request": "true"}).content.decode()

    changed = fields_of(page)
    assert page.lstrip().startswith('<div id="mapping">')
    assert (changed[named(page, "response_a")], changed["name-1"]) == ("text:", "response_a")
    assert "Ignored columns: winner." in page

    for button in ("update", "check"):
        answer = client.post(address, values | {"layout": "pear", button: "1"})
        assert answer.context["mapping_problems"] == ['layout: "pear" is not in the list']


def test_an_incomplete_mapping_says_what_is_missing(client, admin):
    answer = upload(client, pair_of_responses().content)
    address, page = answer.request["PATH_INFO"], answer.content.decode()
    values = fields_of(page) | {named(page, "response_b"): "text_first"}

    answer = client.post(address, values | {"check": "1"})

    assert answer.status_code == 422
    assert answer.context["mapping_problems"] == [
        "first text: response_a and response_b; choose one column",
        "second text or rejected text or system of the second text: choose a column",
    ]


def test_a_score_of_a_wide_table_names_its_system(client, admin):
    answer = upload(client, pair_of_responses().content)
    address = answer.request["PATH_INFO"]
    page = client.post(address, fields_of(answer.content.decode()) | {"layout": "wide"}).content.decode()
    values = fields_of(page) | {named(page, "winner"): "score:"}

    answer = client.post(address, values | {"check": "1"})

    assert answer.context["mapping_problems"] == ["winner: name the score SYSTEM:SCORE, with the name of a system"]


def test_choices_without_a_meaning_are_found_by_the_check(client, admin):
    rows = [
        {"prompt": f"A question, number {i}?", "a_text": "x" * 30, "b_text": "y" * 30, "winner": "A"} for i in range(2)
    ]
    answer = upload(client, csv_bytes([*rows, rows[0] | {"winner": "first one"}]))
    address, values = answer.request["PATH_INFO"], fields_of(answer.content.decode())
    assert "not readable" in answer.content.decode()

    refused = client.post(address, values | {"check": "1"})
    assert refused.status_code == 422
    assert "winner</td>" in refused.content.decode()

    checked = client.post(address, values | {"check": "1", "meaning-1": "none"}, follow=True)
    assert checked.redirect_chain
    assert checked.context["preview"]["votes"] == 2


def test_the_columns_of_an_earlier_dataset_are_used_again(client, admin):
    mapping = {"layout": "wide", "map": ["context_text=prompt", "text:One=response_a"], "choice": []}
    earlier = Dataset.objects.create(name="Earlier", sha256="0", mapping=mapping)
    Dataset.objects.create(name="Other columns", sha256="0", mapping=mapping | {"map": ["text:One=elsewhere"]})
    answer = upload(client, pair_of_responses().content)
    page = answer.content.decode()
    assert ">Earlier</option>" in page
    assert ">Other columns</option>" not in page

    page = client.post(answer.request["PATH_INFO"], fields_of(page) | {"saved": str(earlier.pk)}).content.decode()

    assert fields_of(page)["layout"] == "wide"
    assert "text:One=response_a" in page


def test_a_stored_dataset_keeps_its_mapping(client, admin):
    answer = upload(client, pair_of_responses().content)
    preview = client.post(answer.request["PATH_INFO"], fields_of(answer.content.decode()) | {"check": "1"}, follow=True)

    assert "Change the columns" in preview.content.decode()
    client.post(preview.request["PATH_INFO"], {"name": "Pairs", "visibility": "private"})
    dataset = Dataset.objects.get()
    assert (dataset.source_format, dataset.mapping["layout"]) == ("table", "pairs")
    assert "--layout pairs --map context_text=prompt" in client.get(dataset.get_absolute_url()).content.decode()


def test_the_preview_of_an_unfinished_mapping_leads_back_to_it(client, admin):
    answer = upload(client, pair_of_responses().content)
    name = answer.context["upload"]

    answer = client.get(reverse("dataset-preview", args=[name]))

    assert answer.url == reverse("dataset-mapping", args=[name])


def test_the_mapping_of_another_admin_does_not_exist(client, admin):
    address = upload(client, pair_of_responses().content).request["PATH_INFO"]
    client.force_login(make_user("alan", "admin"))

    assert client.get(address).status_code == 404


def test_texts_of_the_file_are_shown_as_text(client, admin):
    rows = [{"<b>prompt": "<script>alert(1)</script> " * 3, "response": "<i>x</i> " * 9, "model": "<u>"}]

    page = upload(client, csv_bytes(rows)).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_lines_that_cannot_be_read_are_listed_above_the_preview(client, admin):
    content = b"prompt,response_a,response_b,winner\nWhy?,So.,No.\nHow?,Yes.,No.,response_a\n"

    answer = upload(client, content, "broken.csv")

    notice, _, preview = answer.content.decode().partition("<h2>The first line as it will be read</h2>")
    assert "<strong>1 of the first 2 lines cannot be read.</strong> Correct the file and upload it again." in notice
    assert "<li>broken.csv:2: 3 cells — expected 4 cells, as in the header</li>" in notice
    assert '<td class="num">3</td>' in preview


def test_a_check_of_incomplete_columns_lists_lines_that_cannot_be_read(client, admin):
    lines = [f"Why {number}?,So." for number in range(40)]
    answer = upload(client, "\n".join(["one,two", *lines, "Why 40?"]).encode(), "late.csv")
    values = fields_of(answer.content.decode())
    unmapped = {name: "" if name.startswith("column-") else value for name, value in values.items()}

    checked = client.post(answer.request["PATH_INFO"], unmapped | {"check": "1"})

    assert checked.status_code == 422
    assert [str(problem) for problem in checked.context["problems"]] == [
        "late.csv:42: 1 cell — expected 2 cells, as in the header"
    ]
    assert checked.context["mapping_problems"] == ["text of the candidate: choose a column"]
    assert "The file has 1 problem. Correct it and upload again" in checked.content.decode()


def test_a_title_above_the_columns_is_a_problem_of_the_upload(client, admin):
    answer = upload(client, b"Results of spring\nprompt,response_a,response_b\nWhy?,So.,No.\n", "titled.csv")

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "1 cell, but line 2 has 3 cells" in page
    assert "the column names in the first row; delete the rows above them" in page
    assert "The first 0 lines" not in page


def test_a_check_notes_lines_without_a_choice(client, admin):
    content = pair_of_responses().content.replace(b",response_b\r\n", b",\r\n", 1)
    answer = upload(client, content)

    preview = client.post(answer.request["PATH_INFO"], fields_of(answer.content.decode()) | {"check": "1"}, follow=True)

    assert preview.context["preview"]["warnings"] == ["lines without a vote, whose pairs are kept: 1 (line 3)"]


LISTS = [
    {"id": "1", "question": "Which fruits?", "model": model, "answer": answer, "input": "as a list"}
    for model, answer in (("A", '["apple", "pear"]'), ("B", '["plum"]'))
]


@pytest.mark.parametrize(
    ("box", "texts"), [({}, ['["apple", "pear"]', '["plum"]']), ({"messages-3": "on"}, ["pear", "plum"])]
)
def test_a_box_says_whether_a_column_holds_conversations(client, admin, box, texts):
    answer = upload(client, csv_bytes(LISTS))
    address, page = answer.request["PATH_INFO"], answer.content.decode()
    meant = {"question": "context_text", "model": "system", "answer": "text", "input": "context_text"}
    values = (
        fields_of(page) | {named(page, column): field for column, field in meant.items()} | {"layout": "candidates"}
    )

    preview = client.post(address, values | box | {"check": "1"}, follow=True)
    client.post(preview.request["PATH_INFO"], {"name": "Lists", "visibility": "private"})

    assert "Conversations: “pear”" in page
    assert list(Candidate.objects.order_by("pk").values_list("text", flat=True)) == texts
    assert Dataset.objects.get().contexts.get().text == "Which fruits?\n\nas a list"


def test_words_in_place_of_scores_are_given_numbers(client, admin):
    rows = [
        {
            "prompt": f"Prompt number {i} is long enough.",
            "model": "A",
            "output": f"A says {i}.",
            "rater": "r",
            "fluent": word,
        }
        for i, word in enumerate(("Agree", "Disagree", "Agree"))
    ]
    page = upload(client, csv_bytes(rows))
    address, values = page.request["PATH_INFO"], fields_of(page.content.decode())
    values |= {named(page.content.decode(), "fluent"): "score:"}

    words = client.post(address, values)
    values = fields_of(words.content.decode())
    answer = client.post(address, values | {"meaning-0": "4", "meaning-1": "2", "check": "1"}, follow=True)
    client.post(answer.request["PATH_INFO"], {"name": "Words", "visibility": "private"})

    assert "Meaning of the words in fluent" in words.content.decode()
    assert list(HumanScore.objects.order_by("pk").values_list("value", flat=True)) == [4, 2, 4]


@pytest.mark.parametrize("layout", [*DATASET_LAYOUTS, *RECORDED_LAYOUTS])
def test_the_form_offers_every_field_of_a_layout(layout):
    form = make_mapping_form(TableMapping(layout), [ColumnValues("x", ["1"], False, True)]).form

    offered = {field for field, _ in form.fields["column-0"].choices}
    assert offered == {"", *LAYOUTS[layout].fields} - {"messages"}
