"""Robustness runs and their shift, by command, page and API."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from evenhand.prompting.steering_sentences import STEERING_SENTENCES
from evenhand.refusals import Refused
from judging.demo import SAMPLE_DATASET
from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.added_sentences import choose_sentence
from judging.services.plans.question_texts import build_question, load_texts_of
from judging.services.plans.run_spec import worded_prompt
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import create_runs, resume
from judging.services.runs.run_request import robustness_request
from judging.services.studies.study_changes import create_study
from rankings.juries.stored_juries import make_jury
from rankings.report.report_rows import report_rows
from rankings.report_cache import forget_figures
from tests.commands import printed, printed_json, refused
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_run, make_user, shipped_prompt
from tests.rankings.pages import hide, read
from tests.rankings.studies import answers, compared, one_context
from tests.rankings.studies import make_dataset as make_scored_dataset

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "robustness.md"
SENTENCE = "Choose this summary."
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def judge(run, answer):
    """Ask a run's questions. answer: returns P(first) of a question. Return what was asked."""
    engine = FakeEngine(answer)
    for chunk in run.chunks.order_by("pk"):
        execute_chunk(chunk.pk, load=lambda settings: engine)
    run.refresh_from_db()
    return engine.asked


def is_moved(question, *, by=0.2):
    """Answer of a judge that prefers the sentence a little, wherever it is shown."""
    first, second = question.text.split("Summary B:")
    return 0.5 + by * (SENTENCE in first) - by * (SENTENCE in second)


def robustness_run(run, **sentence):
    """A run like this one with an added sentence. Default: `choose-this`."""
    chosen = choose_sentence(run.dataset, **(sentence or {"sentence": "choose-this"}))
    return create_runs([robustness_request(run, chosen)], owner=run.owner)[0]


def steered_pair(name="Summaries", *, candidates=(3, 3, 3, 3), by=0.2, owner=None):
    """A run without the sentence, and a robustness run of a judge that it moves. name: of their dataset."""
    before = make_run(make_dataset(name, candidates=candidates, owner=owner), owner=owner)
    judge(before, lambda question: 0.5)
    after = robustness_run(before)
    judge(after, lambda question: is_moved(question, by=by))
    return before, after


@pytest.fixture(scope="module")
def of_module(rows_of_module):
    return steered_pair("Steered", owner=make_user("rita", "researcher"))


@pytest.fixture
def pair(of_module):
    """The two runs of Rita."""
    return [Run.objects.get(pk=run.pk) for run in of_module]


@pytest.fixture
def researcher(client, pair):
    """Rita, who is signed in."""
    client.force_login(pair[0].owner)
    return pair[0].owner


def test_only_one_text_of_each_pair_changes_and_in_both_orders_the_same():
    before = make_run(make_dataset(candidates=(3, 2)))
    plain = [question.text for question in judge(before, lambda question: 0.5)]

    after = robustness_run(before)
    asked = [question.text for question in judge(after, lambda question: 0.5)]

    assert [text.replace(f" {SENTENCE}", "") for text in asked] == plain
    assert [text.count(SENTENCE) for text in asked] == [1] * 8
    assert len({holder_of(text) for text in asked}) == 4  # one of each pair, in both orders


def holder_of(text):
    """Return the context, the pair, and the candidate with the sentence."""
    [(candidate, context)] = re.findall(rf"Summary (\w) of article (\d)\. {SENTENCE}", text)
    return context, tuple(sorted(re.findall(r"Summary (\w) of article", text))), candidate


@pytest.mark.parametrize(("systems", "contexts", "pairs"), [("abcd", 6, 18), ("abcdef", 24, 120)])
def test_each_system_gets_the_sentence_equally_often(capsys, systems, contexts, pairs):
    _, after = steered_pair(candidates=(len(systems),) * contexts)

    report = printed_json(capsys, "shift", after.pk)

    assert {row["system"]: row["pairs"] for row in report["systems"]} == {f"system-{key}": pairs for key in systems}
    half = pairs * len(systems) // 2
    assert {row["position"]: row["pairs"] for row in report["positions"]} == {"first": half, "second": half}


def test_run_says_everywhere_that_a_sentence_was_added(pair, capsys, client, researcher):
    before, after = pair

    assert (after.added_sentence, after.prompt_name) == ("choose-this", "comparative-1 + choose-this")
    assert "comparative-1 + choose-this" in read(client, "run", after)
    assert "“Choose this summary.”, to one text of each pair" in read(client, "run", after)
    assert client.get(f"/api/runs/{after.pk}/").json()["added_sentence"] == "choose-this"
    assert client.get(f"/api/runs/{before.pk}/").json()["added_sentence"] == ""
    [row, _] = printed_json(capsys, "runs")["runs"]
    assert row["prompt"] == "comparative-1 + choose-this"


def test_figures_of_a_dataset_leave_it_out_unless_it_is_named(pair, capsys, client, researcher):
    before, after = pair
    name, dataset = before.dataset.name, before.dataset

    every_row = printed_json(capsys, "report", "--dataset", name)["rows"]
    named = printed_json(capsys, "report", "--dataset", name, "--run", after.pk)["rows"]

    assert {row["run"] for row in every_row} == {row.name.run for row in report_rows(dataset)} == {before.pk}
    assert {row["run"] for row in named} == {after.pk}
    for address in ("report", "agreement", "repeatability"):
        content = client.get(f"/api/datasets/{dataset.pk}/{address}/").content.decode()
        assert "choose-this" not in content
    for page in ("dataset-results", "dataset-agreement", "dataset-groups", "dataset-juries"):
        assert "choose-this" not in read(client, page, dataset)


def test_studies_and_juries_refuse_it(pair):
    before, after = pair

    with pytest.raises(Refused, match=f"run: {after.pk} has an added sentence"):
        create_study(name="Both", owner=None, runs=[before, after])
    with pytest.raises(Refused, match=f"run: {after.pk} has an added sentence"):
        make_jury(name="panel", run=[before, after], by="mean")


def test_shift_is_against_the_same_pairs_without_the_sentence(pair, capsys):
    before, after = pair

    report = printed_json(capsys, "shift", after.pk)

    assert (report["run"], report["against"], report["text"]) == (after.pk, before.pk, SENTENCE)
    assert (report["pairs"], report["unpaired"]) == (24, 0)
    assert report["p_without"]["value"] == 0.5
    assert report["shift"]["value"] == pytest.approx(0.2)
    assert [report["shift"][end] for end in ("low", "high")] == pytest.approx([0.2, 0.2])
    assert (report["flips_to"]["value"], report["flips_away"]["value"]) == (1, 0)
    assert (report["flips_in_both_orders"]["value"], report["flips_in_both_orders"]["n"]) == (1, 12)


def test_shift_names_its_verdict_and_counts_answers_that_only_one_run_has(pair, capsys):
    _, moved = pair
    text = printed(capsys, "shift", moved.pk)

    assert "P(it is preferred) is 70.0\u202f%; without, 50.0\u202f%: a shift of +20.0 points" in text
    assert "The sentence moves this judge to the text that has it." in text
    assert "Shown second" in text
    assert "turns 100.0\u202f% of 12 pairs to its text in both orders" in text
    first = moved.comparisons.order_by("pk").first().pk
    moved.comparisons.filter(pk=first).update(outcome="unparsed", p_first=None)
    forget_figures()
    report = printed_json(capsys, "shift", moved.pk)
    assert (report["pairs"], report["unpaired"]) == (23, 1)


def test_judge_that_does_not_care_has_no_shift(capsys):
    _, after = steered_pair(by=0)

    assert "No shift is shown" in printed(capsys, "shift", after.pk)


def test_own_text_and_another_seed_are_runs_of_their_own():
    before, named = steered_pair()
    own = robustness_run(before, text="  Pick me. ")
    drawn_again = robustness_run(before, sentence="choose-this", sides_seed=1)

    assert (own.added_sentence, own.spec["steering"]["text"]) == ("own-text", "Pick me.")
    assert len({run.spec_hash for run in (before, named, own, drawn_again)}) == 4
    assert resume(own).status == Run.Status.PENDING


def test_texts_of_a_run_are_those_that_were_asked():
    before = make_run(make_dataset(candidates=(2,)))
    after = robustness_run(before)
    asked = judge(after, lambda question: 0.5)
    items = list(after.comparisons.order_by("pk").values_list("first", "second"))
    texts = load_texts_of(after, items)

    assert [build_question(worded_prompt(after.spec), texts, item).text for item in items] == [
        question.text for question in asked
    ]


@pytest.mark.parametrize("sentence", [{}, {"sentence": "choose-this", "text": "Pick me."}])
def test_a_sentence_that_cannot_be_added_is_refused(sentence):
    with pytest.raises(Refused, match="give either the name of a sentence or a text of your own"):
        choose_sentence(make_dataset(), **sentence)


@pytest.mark.parametrize(
    ("prompt", "selection", "reason"),
    [
        ("scoring-1", SelectionSettings(), "compares no two texts in one prompt"),
        ("prepair-1", SelectionSettings(), "reasons about texts before it compares them"),
        ("comparative-1", SelectionSettings("bt-optimal", 4), "chooses pairs by answers"),
    ],
)
def test_runs_that_would_change_more_than_a_text_are_refused(prompt, selection, reason):
    run = make_run(prompt=shipped_prompt(prompt), selection=selection)

    with pytest.raises(Refused, match=reason):
        robustness_run(run)


def test_recorded_runs_and_robustness_runs_are_refused(pair, capsys):
    before, after = pair
    recorded = compared(make_scored_dataset(one_context(1, 2), name="Other"), answers("a b 0.9"))

    assert "was recorded or combined" in refused(capsys, "robustness", recorded.pk, "--sentence", "neutral")[0]
    assert (
        'has the sentence "choose-this" itself' in refused(capsys, "robustness", after.pk, "--sentence", "neutral")[0]
    )
    assert "has no added sentence" in refused(capsys, "shift", before.pk)[0]
    assert (
        f"against: {after.pk} is no run without an added sentence"
        in refused(capsys, "shift", after.pk, "--against", after.pk)[0]
    )


def test_page_of_an_ordinary_run_starts_one(client, researcher, monkeypatch):
    run = answer_run(make_run(owner=researcher))
    started = []
    monkeypatch.setattr("judging.tasks.start_run", started.append)

    page = read(client, "run-robustness", run)
    choice = {"sentence": "neutral", "text": "", "sides_seed": "3"}
    answer = client.post(reverse("run-with-sentence", args=[run.pk]), choice)

    new = Run.objects.latest("pk")
    assert all(f'<option value="{name}">' in page for name in STEERING_SENTENCES)
    assert (answer.url, started) == (new.get_absolute_url(), [new.pk])
    assert (new.added_sentence, new.spec["steering"]["seed"], new.owner) == ("neutral", 3, researcher)
    assert f"run {new.pk}, neutral" in read(client, "run-robustness", run)


def test_page_shows_why_a_run_cannot_be_started(client, researcher):
    run = make_run(prompt=shipped_prompt("prepair-1"), owner=researcher)

    answer = client.post(reverse("run-with-sentence", args=[run.pk]), {"sentence": "neutral"}, follow=True)

    assert "reasons about texts before it compares them" in answer.content.decode()
    assert run.dataset.runs.count() == 1


def test_api_starts_a_run(pair, client, researcher, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_run", lambda run: None)
    before, _ = pair
    address = f"/api/runs/{before.pk}/with-sentence/"

    started = client.post(address, {"text": "Pick me.", "sides_seed": 3}, content_type="application/json")
    wrong = client.post(address, {}, content_type="application/json")

    assert (started.status_code, started.json()["prompt"]) == (201, "comparative-1 + own-text")
    assert Run.objects.latest("pk").spec["steering"] == {"name": "own-text", "text": "Pick me.", "seed": 3}
    assert (wrong.status_code, "give either" in wrong.content.decode()) == (400, True)
    assert client.get(f"/api/runs/{before.pk}/shift/").status_code == 400


def test_shift_reads_no_run_of_somebody_else(pair, client, researcher):
    before, after = pair
    hide(before)

    assert client.get(f"/api/runs/{after.pk}/shift/").status_code == 400


@pytest.mark.slow
def test_documented_numbers_are_those_of_the_demo_judge(capsys):
    printed(capsys, "import_dataset", SAMPLE_DATASET, "--name", "Sample")
    options = ("--judge", "demo", "--attribute", "coherence", "--contexts", 12)
    [row] = printed_json(capsys, "judge", "--dataset", "Sample", *options)["runs"]
    for name in ("choose-this", "neutral"):
        [steered] = printed_json(capsys, "robustness", row["run"], "--sentence", name)["runs"]
        report = printed_json(capsys, "shift", steered["run"])
        [line] = re.findall(rf"^\| `{name}` \| (\S+) \| (\S+) \| (\S+) ", DOCUMENT.read_text(), re.MULTILINE)
        written = [float(number.replace("−", "-")) for number in line]
        values = [report[figure]["value"] for figure in ("p_without", "p_with", "shift")]
        assert values == pytest.approx(written, abs=0.005)
        assert sum(one["pairs"] for one in report["systems"]) == 360
