"""Reports leave systems and contexts out by command, page and API, and say so in every form."""

import csv
import io

import pytest

from tests.commands import printed, printed_json, refused
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

WITHOUT = {"systems": ["U"], "contexts": ["c1"], "small_contexts": 0}
OPTIONS = ("--without-system", "U", "--without-context", "c1")
QUERY = {"without_system": "U", "without_context": "c1"}
SENTENCE = "All figures are without system U and context c1."


pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def runs(rows_of_module):
    """Two runs on contexts c0, with the systems S, T and U, and c1."""
    dataset = make_dataset()
    return [compared(dataset, WORKED_ANSWERS.replace("0.9", p_first), judge=p_first) for p_first in ("0.9", "0.2")]


def commands(runs):
    one = runs[0].pk
    return [
        ("report", "--dataset", "Study"),
        ("scores", one, "--ranking", "win-ratio"),
        ("curve", one, "--draws", 2),
        ("diagnostics", one),
    ]


def addresses(runs):
    run, dataset = runs[0].pk, runs[0].dataset_id
    return [f"/runs/{run}/results/", f"/datasets/{dataset}/results/"]


def with_query(address, query):
    separator = "&" if "?" in address else "?"
    return address + separator + "&".join(f"{name}={value}" for name, value in query.items())


def test_report_states_in_json_what_is_left_out_by_command_and_api(runs, client, researcher, capsys):
    [shown, *_] = printed_json(capsys, "report", "--dataset", "Study", *OPTIONS)["rows"]

    assert shown["without"] == WITHOUT
    assert "without" not in printed(capsys, "report", "--dataset", "Study", "--json").replace("without-", "")
    for address in (f"/api/runs/{runs[0].pk}/report/", f"/api/datasets/{runs[0].dataset_id}/report/"):
        assert client.get(address, QUERY).json()["rows"][0]["without"] == WITHOUT, address
        unknown = client.get(address, {"without_context": "c7"})
        assert (unknown.status_code, "there are: c0, c1" in unknown.content.decode()) == (400, True), address


def test_commands_refuse_unknown_names(runs, capsys):
    for command in commands(runs):
        [problem] = refused(capsys, *command, "--without-system", "V")
        assert problem == 'without-system: "Study" has no system "V"; there are: S, T, U, a, b, c'


def test_long_form_has_a_column_with_what_is_left_out(runs, capsys):
    for command in commands(runs):
        lines = list(csv.DictReader(io.StringIO(printed(capsys, *command, *OPTIONS, "--long"))))
        assert {line["without"] for line in lines} == {"system U; context c1"}, command


def test_pages_leave_out_and_say_so(runs, client, researcher):
    for address in addresses(runs):
        page = client.get(with_query(address, QUERY)).content.decode()
        assert SENTENCE in page, address
        assert "Leave out these systems, as if the dataset lacked them. One a line." in page, address
        assert "All figures are without" not in client.get(address).content.decode(), address


def test_pages_show_unknown_names_at_their_field(runs, client, researcher):
    for address in addresses(runs):
        page = client.get(with_query(address, {"without_system": "V"}))
        assert page.status_code == 200
        assert "has no system &quot;V&quot;; there are: S, T, U, a, b, c" in page.content.decode(), address
        assert "Nothing is left out of the figures below" in page.content.decode(), address


def test_downloads_with_unknown_names_do_not_exist(runs, client, researcher):
    run = runs[0].pk
    for address in (
        f"/runs/{run}/results/report.csv?",
        f"/runs/{run}/results/long.csv?",
        f"/runs/{run}/scores.csv?",
        f"/runs/{run}/scores/long.csv?",
        f"/runs/{run}/curve/long.csv?",
        f"/runs/{run}/diagnostics.json?",
        f"/runs/{run}/diagnostics/long.csv?",
    ):
        assert client.get(f"{address}without_system=V").status_code == 404, address
        assert client.get(f"{address}without_system=U").status_code == 200, address


def test_forms_keep_the_other_parameters_of_the_address(runs, client, researcher):
    for address in addresses(runs):
        page = client.get(with_query(address, {"elsewhere": "kept", "page": "2"})).content.decode()
        assert '<input type="hidden" name="elsewhere" value="kept">' in page, address
        assert 'name="page"' not in page, address


def test_run_page_passes_what_is_left_out_on_to_curve_and_scores(runs, client, researcher):
    page = client.get(f"/runs/{runs[0].pk}/results/", {"order": "given", "without_context": "c1"}).content.decode()

    assert f'hx-get="/runs/{runs[0].pk}/curve/?ranking=bradley-terry&amp;order=given&amp;without_context=c1"' in page
    assert f'hx-get="/runs/{runs[0].pk}/results/p-first/?part&amp;order=given&amp;without_context=c1"' in page
    assert f'href="/runs/{runs[0].pk}/scores/?order=given&amp;without_context=c1"' in page


def test_run_page_of_pairs_draws_no_curve(runs, client, researcher):
    """Without the system U, each context has two candidates."""
    page = client.get(f"/runs/{runs[0].pk}/results/", {"without_system": "U"}).content.decode()

    assert f'hx-get="/runs/{runs[0].pk}/curve/' not in page
    assert f'href="/runs/{runs[0].pk}/curve/' in page


def test_run_page_offers_the_columns_of_its_table(runs, client, researcher):
    page = client.get(f"/runs/{runs[0].pk}/results/", {"column": ["subset", "accuracy"]}).content.decode()

    assert '<input type="checkbox" name="column" value="accuracy"' in page
    assert '<input type="hidden" name="column"' not in page


def test_methods_honour_the_choice_of_the_report_by_command_and_api(runs, client, researcher, capsys):
    options = ("--order", "given", "--unparsed", "wrong", *OPTIONS)

    by_command = printed_json(capsys, "methods", "--dataset", "Study", *options)
    query = QUERY | {"order": "given", "unparsed": "wrong"}
    by_api = client.get(f"/api/datasets/{runs[0].dataset_id}/methods/", query).json()

    assert by_command == by_api
    assert "We use 1 of the 2 contexts of Study, with 2 candidates" in by_command["markdown"]
    assert SENTENCE in by_command["markdown"]
    assert "Only comparisons in the dataset's order of candidates are read." in by_command["markdown"]
    assert "count as wrong in every accuracy" in by_command["markdown"]
