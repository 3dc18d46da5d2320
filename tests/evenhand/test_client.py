"""The Python client, against the real application."""

import httpx
import pytest

from evenhand.client import Client, Refused
from judging.models import Run
from tests.campaigns import make_annotator
from tests.factories import answer_run, make_dataset, make_token, make_user

pytestmark = pytest.mark.django_db

TABLE = """\
context,context_text,candidate,system,text,overall
c1,Article one.,a,alpha,First.,3
c1,Article one.,b,beta,Second.,1
c2,Article two.,a,alpha,First.,2
c2,Article two.,b,beta,Second.,4
"""


def connect(application, user):
    token = make_token(user)
    return Client("http://testserver", token=token, transport=httpx.WSGITransport(app=application))


@pytest.fixture
def evenhand(application):
    with connect(application, make_user("rita", "researcher")) as client:
        yield client


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


def answer_at_once(run_id):
    """Answer a run where a worker would."""
    answer_run(Run.objects.get(pk=run_id))


def test_client_goes_from_upload_to_figures(evenhand, table, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_run", answer_at_once)

    stored = evenhand.upload([table], name="Answers", visibility="open")
    [run] = evenhand.wait(evenhand.start_runs(dataset="Answers", attribute="overall", judge="demo"))
    figures = evenhand.figures("Answers").frame()

    assert (stored["contexts"], run["status"], len(evenhand.comparisons(run["id"]))) == (2, "done", 4)
    assert [row["run"] for row in evenhand.report("Answers")] == [run["id"]]
    [row] = evenhand.report("Answers", without_context=["c2"], order="given")
    assert (row["comparisons"], row["without"]["contexts"], row["order"]) == (1, ["c2"], "given")
    assert set(figures["run"]) == {run["id"]}
    assert {"figure", "value", "low", "high", "n"} <= set(figures.columns)
    assert len(evenhand.scores(run["id"], ranking="bradley-terry")) == 4


def test_client_raises_every_problem_of_a_refused_request(evenhand, table):
    table.write_text(TABLE.replace("First.,3", "First.,three").replace("Second.,4", "Second.,four"))

    with pytest.raises(Refused) as refused:
        evenhand.upload([table], name="Answers")

    assert (refused.value.status, len(refused.value.problems)) == (400, 2)


def test_client_reads_lists_page_by_page(evenhand, monkeypatch):
    make_dataset(candidates=(2,) * 5)
    monkeypatch.setattr("evenhand.connection.ROWS_PER_PAGE", 2)

    assert [row["context"] for row in evenhand.contexts("Summaries")] == ["c0", "c1", "c2", "c3", "c4"]


def test_client_shares_and_deletes_an_own_dataset(evenhand, application, table):
    olaf = connect(application, make_user("olaf", "researcher"))
    evenhand.upload([table], name="Answers")

    with pytest.raises(LookupError, match='there is no "Answers"'):
        olaf.dataset("Answers")
    evenhand.share("Answers", visibility="shared", shared_with=["olaf"])
    assert olaf.dataset("Answers")["owner"] == "rita"
    evenhand.delete_dataset("Answers")
    assert evenhand.datasets() == []


def test_client_takes_the_own_dataset_or_the_id_where_several_have_one_name(evenhand, application, table):
    olaf, ada = (connect(application, make_user(*who)) for who in (("olaf", "researcher"), ("ada", "admin")))
    own, other = (one.upload([table], name="Answers") for one in (olaf, evenhand))
    evenhand.share("Answers", visibility="shared", shared_with=["olaf"])

    with pytest.raises(LookupError, match=f'2 are called "Answers"; write one of: Answers#{own["id"]}, '):
        ada.dataset("Answers")
    assert [olaf.dataset(name)["owner"] for name in ("Answers", f"Answers#{other['id']}")] == ["olaf", "rita"]
    olaf.delete_dataset("Answers")
    assert [row["owner"] for row in olaf.datasets()] == ["rita"]


def test_client_adds_renames_and_retires_judges(evenhand):
    evenhand.add_judge(name="overlap", backend="metric", model="bleu")

    evenhand.rename_judge("overlap", "BLEU")
    evenhand.retire_judge("BLEU")

    assert [row["retired"] for row in evenhand.judges() if row["name"] == "BLEU"] == [True]


def test_client_uploads_judgments(evenhand, table, tmp_path):
    evenhand.upload([table], name="Answers")
    verdicts = tmp_path / "verdicts.csv"
    verdicts.write_text("context,attribute,first,second,verdict,text\nc1,overall,a,b,B,B drifts.\n")
    own = [f"{name}={name}" for name in ("context", "attribute", "first", "second", "text")]
    options = {"map": [*own, "choice=verdict"], "choice": ["second=B"]}

    stored = evenhand.upload_judgments([verdicts], dataset="Answers", judgments="comparisons", judge="GPT-4", **options)
    [run] = stored["runs"]

    assert evenhand.comparisons(run)[0]["choice"] == "second"


def test_client_looks_after_campaigns(evenhand):
    make_dataset()
    ben = make_annotator("ben")
    evenhand.create_campaign(name="Which?", dataset="Summaries", attributes=["coherence"])

    changed = evenhand.change_campaign("Which?", annotators=["ben"], guidelines="Read both.")

    assert (changed["annotators"], changed["guidelines"]) == (["ben"], "Read both.")
    assert [row["rater"] for row in evenhand.campaign_progress("Which?")["annotators"]] == [ben.rater_name]
    evenhand.delete_campaign("Which?")
    assert evenhand.campaigns() == []


def test_client_needs_a_valid_token(application):
    client = Client("http://testserver", token="wrong", transport=httpx.WSGITransport(app=application))

    with pytest.raises(Refused, match="Invalid token") as refused:
        client.datasets()

    assert refused.value.status == 401


def test_client_makes_changes_and_deletes_a_study(evenhand, table, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_run", answer_at_once)
    evenhand.upload([table], name="Answers", visibility="open")
    [run] = evenhand.start_runs(dataset="Answers", attribute="overall", judge="demo")

    evenhand.create_study("Collected")
    added = evenhand.add_to_study("Collected", [run["id"]])
    figures = evenhand.study_table("Collected", rows="prompt", columns="attribute", figure="comparisons")
    renamed = evenhand.rename_study("Collected", "Table 2")
    removed = evenhand.remove_from_study("Table 2", run["id"])
    evenhand.delete_study("Table 2")

    assert [cell["value"] for [cell] in figures["cells"]] == [4]
    assert (added["runs"], renamed["name"], removed["runs"], evenhand.studies()) == ([run["id"]], "Table 2", [], [])
