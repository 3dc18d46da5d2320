"""Export of a run's comparisons as files, and their import."""

import csv
import json
import math
from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.csv_text import escape_formula, unescape_formula
from evenhand.engine import Answer, Generation
from evenhand.formats import ComparisonRecord, SourceFile, read_comparisons
from evenhand.refusals import Refused
from judging.models import Candidate, Prompt, Run
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.exported_answers import NUMERIC_COLUMNS, answer_columns, answer_rows, rows_with_prompts
from judging.services.exports.file_writers import writer_for
from judging.services.plans.run_spec import is_tokenizer_known
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.trimming import remove_old_reasoning
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run, shipped_prompt

pytestmark = pytest.mark.django_db

ANSWERS = [
    Answer(p_first=0.1 + 0.2, logprob_first=-1.2, logprob_second=-math.inf),
    Answer(p_first=0.5),
    Answer(p_first=1e-300),
    Answer(unparsed=True, text="=HYPERLINK(evil)"),
    Answer(error="too long"),
    Answer(p_first=0.75, text='\'=quoted, "twice"\nand on a new line'),
]


def judged_run():
    """A run with an answer of every kind, whose first candidate's key starts like a formula."""
    dataset = make_dataset(candidates=(3,))
    Candidate.objects.filter(key="a").update(key="=a")
    run = make_run(dataset)
    answers = iter(ANSWERS)
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine(lambda question: next(answers)))
    return run


def written(run, path, *, prompts=False):
    rows = rows_with_prompts(run, renderer=FakeEngine()) if prompts else answer_rows(run)
    writer_for(path.suffix, columns=answer_columns(run, prompts=prompts), numbers=NUMERIC_COLUMNS)(rows, path)
    return path


def test_export_of_an_adaptive_run_has_how_each_pair_was_drawn_and_is_read_back(tmp_path):
    run = make_run(make_dataset(candidates=(4,)), selection=SelectionSettings("bt-optimal", 7, hold_out=0.4))
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())

    file = written(run, tmp_path / "run.csv", prompts=True)

    with file.open(newline="") as opened:
        drawn = {(row["first"], row["second"]): row["drawn"] for row in csv.DictReader(opened)}
    keys = dict(Candidate.objects.values_list("pk", "key"))
    held_out = {(keys[first], keys[second]) for first, second in run.held_out_pairs()}
    assert len(drawn) == 7
    assert {pair for pair, how in drawn.items() if how == "at random"} == held_out
    assert {how for pair, how in drawn.items() if pair not in held_out} == {"by answers"}
    assert len(read_comparisons([SourceFile(file.name, file.read_bytes())])) == 7


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@pytest.mark.parametrize("prompts", [False, True])
def test_export_is_read_back_without_loss(tmp_path, ending, prompts):
    run = judged_run()
    file = written(run, tmp_path / f"run{ending}", prompts=prompts)

    records = read_comparisons([SourceFile(file.name, file.read_bytes())])
    (back,) = import_judgments(COMPARISONS, records, dataset=run.dataset, judge_name="again")

    assert list(answer_rows(back)) == list(answer_rows(run))


def test_export_has_the_decision_of_each_answer_or_none():
    rows = list(answer_rows(judged_run()))

    assert [(row["p_first"], row["choice"], row["decision"]) for row in rows] == [
        (0.1 + 0.2, None, "second"),
        (0.5, None, "tie"),
        (1e-300, None, "second"),
        (None, "unparsed", None),
        (None, "error", None),
        (0.75, None, "first"),
    ]


def test_csv_keeps_texts_from_being_formulas_and_numbers_numbers(tmp_path):
    file = written(judged_run(), tmp_path / "run.csv")

    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    assert rows[0]["first"] == "'=a"
    assert (rows[0]["p_first"], rows[0]["raw_first"]) == ("0.30000000000000004", "-1.2")
    assert rows[3]["text"] == "'=HYPERLINK(evil)"


@pytest.mark.parametrize("text", ["=1", "'=1", "''=1", "+1", "-1", "@x", "\tx", "\rx", "'plain", "plain", "", "'", "-"])
def test_text_that_looks_like_a_formula_comes_back_from_its_cell(text):
    cell = escape_formula(text)

    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unescape_formula(cell) == text


def test_json_lines_write_infinity_as_text(tmp_path):
    file = written(judged_run(), tmp_path / "run.jsonl")

    rows = [json.loads(line, parse_constant=pytest.fail) for line in file.read_text().splitlines()]
    assert (rows[0]["raw_second"], rows[1]["raw_second"]) == ("-inf", None)


def test_export_with_prompts_has_the_exact_tokenizer_input_of_the_run_not_a_later_one():
    run = make_run(make_dataset(candidates=(2,)))
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())

    row, _ = rows_with_prompts(run, renderer=FakeEngine())

    assert row["prompt_text"].startswith("Article 0.\n\nSummary A: Summary a of article 0.\n\nSummary B: Summary b")
    assert (row["answer_prefix"], row["label_first"], row["label_second"]) == (" Summary", " A", " B")

    before = list(rows_with_prompts(run, renderer=FakeEngine()))

    Prompt.objects.filter(pk=shipped_prompt().pk).update(template="Another. <A> <B>")

    assert list(rows_with_prompts(run, renderer=FakeEngine())) == before


def test_export_with_prompts_shows_the_analyses_and_nothing_where_one_failed():
    run = make_run(make_dataset(candidates=(3,)), prompt="prepair-1")
    engine = FakeEngine(
        generate=lambda request: Generation(error="no") if "Summary c of" in request.text else "It is fine."
    )
    execute_chunk(run.chunks.get().pk, load=lambda settings: engine)

    rows = {(row["first"], row["second"]): row["prompt_text"] for row in rows_with_prompts(run, renderer=engine)}

    assert rows["a", "b"].count("It is fine.") == 2
    assert rows["a", "c"] is None

    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=31))
    remove_old_reasoning(30)
    run.refresh_from_db()
    assert {row["prompt_text"] for row in rows_with_prompts(run, renderer=engine)} == {"[removed after 30 days]"}


def test_export_refuses_prompts_of_another_tokenizer():
    run = make_run(make_dataset(candidates=(2,)))
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine(tokenizer="one"))
    run.refresh_from_db()

    with pytest.raises(Refused, match=f"another tokenizer or chat template than in run {run.pk}"):
        rows_with_prompts(run, renderer=FakeEngine(tokenizer="another"))
    assert len(list(rows_with_prompts(run, renderer=FakeEngine(tokenizer="one")))) == 2


@pytest.mark.parametrize(("noted", "known"), [("one", True), ("", False)])
def test_run_knows_its_tokenizer_unless_it_was_begun_before_that_was_noted(noted, known):
    run = make_run(make_dataset(candidates=(2,)))
    untouched = is_tokenizer_known(run)

    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine(tokenizer=noted))
    run.refresh_from_db()

    assert (untouched, is_tokenizer_known(run)) == (True, known)


def test_export_refuses_the_prompts_of_a_recorded_run():
    records = [ComparisonRecord("f", 1, "c0", "coherence", "a", "b", p_first=0.5)]
    (run,) = import_judgments(COMPARISONS, records, dataset=make_dataset(), judge_name="GPT-4")

    with pytest.raises(Refused, match="was recorded elsewhere; its prompts are not known"):
        rows_with_prompts(run, renderer=FakeEngine())


def test_export_refuses_an_ending_it_cannot_write():
    with pytest.raises(
        Refused, match=r'the ending ".xlsx" is unknown; give a name that ends in .csv, .jsonl or .parquet'
    ):
        writer_for(".xlsx", columns=answer_columns(judged_run(), prompts=False), numbers=NUMERIC_COLUMNS)


def test_parquet_has_the_same_rows(tmp_path):
    import pyarrow.parquet

    run = judged_run()

    file = written(run, tmp_path / "run.parquet")

    assert pyarrow.parquet.read_table(file).to_pylist() == list(answer_rows(run))


@pytest.mark.parametrize("candidates", [(3,), (9,)])
def test_export_needs_the_same_queries_for_any_number_of_comparisons(candidates, django_assert_num_queries):
    run = make_run(make_dataset(candidates=candidates))
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())

    with django_assert_num_queries(2):  # the ids, and one part of the rows
        list(answer_rows(run))
