"""Judgments made elsewhere."""

import json

import pytest

from evenhand.formats import ComparisonRecord, ScoreRecord, SourceFile, read_comparisons, read_dataset
from evenhand.refusals import Refused
from judging.models import Exclusion, Judge, Run
from judging.services.datasets import rows_in_parts
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded import recorded_runs
from judging.services.datasets.recorded.answer_rows import COMPARISONS, SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.runs.progress import count_outcomes
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db


def compared(first="a", second="b", *, line=1, context="c0", attribute="coherence", **fields):
    answer = fields or {"p_first": 0.75}
    return ComparisonRecord("judged.csv", line, context, attribute, first, second, **answer)


def scored(candidate="a", score=4.0, *, line=1, context="c0", attribute="coherence", **fields):
    return ScoreRecord("scored.csv", line, context, attribute, candidate, score, **fields)


def test_recorded_comparisons_become_a_run_that_is_done():
    dataset, _ = make_dataset(candidates=(3,)), make_dataset("Others", candidates=(3,))
    records = [
        compared("a", "b", p_first=0.75, raw_first=-0.1, raw_second=-1.2, text="A"),
        compared("b", "a", choice="tie"),
        compared("a", "c", choice="unparsed", text="neither"),
        compared("c", "a", choice="error", error="timed out"),
    ]

    (run,) = import_judgments(COMPARISONS, records, dataset=dataset, judge_name="GPT-4")

    assert (run.status, run.judge.name, run.judge.backend, run.planned) == ("done", "GPT-4", "recorded", 4)
    assert run.asked_in_all == run.comparisons.count()
    assert (run.method, run.prompt, run.prompt_name, run.is_scoring) == ("comparative", None, "recorded", False)
    rows = run.comparisons.order_by("pk").values_list(
        "first__key", "second__key", "outcome", "p_first", "choice", "raw_first", "raw_second", "text", "error"
    )
    assert list(rows) == [
        ("a", "b", "answered", 0.75, "", -0.1, -1.2, "A", ""),
        ("b", "a", "answered", None, "tie", None, None, "", ""),
        ("a", "c", "unparsed", None, "", None, None, "neither", ""),
        ("c", "a", "error", None, "", None, None, "", "timed out"),
    ]
    assert set(run.comparisons.values_list("context__dataset", "first__context__dataset")) == {(dataset.pk, dataset.pk)}


def test_recorded_comparisons_are_stored_part_by_part_in_their_order(monkeypatch):
    monkeypatch.setattr(rows_in_parts, "PART_SIZE", 2 * rows_in_parts.CHARACTERS_PER_ROW)
    pairs = [("a", "b"), ("c", "a"), ("b", "a"), ("b", "c"), ("a", "c")]

    (run,) = import_judgments(
        COMPARISONS, [compared(*pair) for pair in pairs], dataset=make_dataset(candidates=(3,)), judge_name="GPT-4"
    )

    assert list(run.comparisons.order_by("pk").values_list("first__key", "second__key")) == pairs


def test_recorded_probability_counts_for_any_choice():
    (run,) = import_judgments(
        COMPARISONS, [compared(p_first=0.25, choice="unparsed")], dataset=make_dataset(), judge_name="GPT-4"
    )

    assert list(run.comparisons.values_list("outcome", "p_first", "choice")) == [("answered", 0.25, "")]


def test_recorded_comparisons_make_one_run_per_method_prompt_and_attribute():
    dataset = make_dataset(attributes=("coherence", "fluency"))
    records = [
        compared(p_first=0.1, prompt="CoT"),
        compared(p_first=0.2, prompt="Vanilla"),
        compared(p_first=0.3, prompt="CoT", attribute="fluency"),
        compared(p_first=0.4, prompt="CoT", method="swap"),
        compared("b", "a", p_first=0.5, prompt="CoT"),
    ]

    runs = import_judgments(COMPARISONS, records, dataset=dataset, judge_name="GPT-4")

    assert [(run.method, run.prompt_name, run.attribute.name, run.planned) for run in runs] == [
        ("comparative", "CoT", "coherence", 2),
        ("comparative", "Vanilla", "coherence", 1),
        ("comparative", "CoT", "fluency", 1),
        ("swap", "CoT", "coherence", 1),
    ]


def test_recorded_scores_become_a_scoring_run_under_any_method():
    records = [
        scored("a", 4.5, method="rating"),
        scored("b", None, method="rating"),
        scored("c", None, method="rating", error="?"),
    ]

    (run,) = import_judgments(SCORES, records, dataset=make_dataset(), judge_name="UniEval")

    assert (run.is_scoring, run.method, run.asked_in_all) == (True, "rating", 3)
    rows = run.scores.order_by("pk").values_list("candidate__key", "outcome", "value", "error")
    assert list(rows) == [("a", "answered", 4.5, ""), ("b", "unparsed", None, ""), ("c", "error", None, "?")]


def test_import_tells_that_the_dataset_has_no_attributes():
    dataset = make_dataset(candidates=(2,), attributes=())

    with pytest.raises(Refused) as refused:
        import_judgments(COMPARISONS, [compared(line=1)], dataset=dataset, judge_name="GPT-4")

    [problem] = refused.value.problems
    assert problem == 'judged.csv:1: attribute: "coherence" — expected an attribute of the dataset: it has none'


def test_import_refuses_every_record_without_a_place_and_stores_nothing():
    dataset = make_dataset("Summaries", candidates=(2,))
    records = [
        compared(line=1),
        compared(line=2, context="c9"),
        compared(line=3, attribute="style"),
        compared("x", "y", line=4),
    ]

    with pytest.raises(Refused) as refused:
        import_judgments(COMPARISONS, records, dataset=dataset, judge_name="GPT-4")

    assert refused.value.problems == (
        'judged.csv:2: context: "c9" — expected a context of the dataset',
        'judged.csv:3: attribute: "style" — expected an attribute of the dataset: coherence',
        'judged.csv:4: first: "x" — expected a candidate of context "c0"',
        'judged.csv:4: second: "y" — expected a candidate of context "c0"',
    )
    assert not Run.objects.exists()
    assert not Judge.objects.filter(name="GPT-4").exists()


def test_import_refuses_judgments_of_the_other_kind():
    dataset = make_dataset()

    with pytest.raises(Refused, match=r'judged.csv:1: method: "scoring" — expected a method that gives comparisons'):
        import_judgments(COMPARISONS, [compared(p_first=0.5, method="scoring")], dataset=dataset, judge_name="GPT-4")
    with pytest.raises(Refused, match=r'scored.csv:1: method: "prepair" — expected a method that gives scores'):
        import_judgments(SCORES, [scored(method="prepair")], dataset=dataset, judge_name="GPT-4")


def test_import_refuses_the_name_of_a_model_that_judges_here():
    make_judge("flan")

    with pytest.raises(Refused, match='judge: "flan" is a model that judges here'):
        import_judgments(COMPARISONS, [compared()], dataset=make_dataset(), judge_name="flan")


def test_import_refuses_pairs_that_are_recorded_already():
    dataset = make_dataset()
    import_judgments(COMPARISONS, [compared("a", "b")], dataset=dataset, judge_name="GPT-4")

    with pytest.raises(Refused) as refused:
        import_judgments(
            COMPARISONS, [compared("b", "a", line=1), compared("a", "b", line=2)], dataset=dataset, judge_name="GPT-4"
        )

    assert refused.value.problems == (
        'judged.csv:2: "a" against "b" — expected a record that judge "GPT-4" does not have yet for this prompt '
        "and method",
    )
    assert Run.objects.count() == 1


def test_import_takes_further_pairs_of_a_judge_in_a_run_of_their_own():
    dataset = make_dataset()
    import_judgments(COMPARISONS, [compared("a", "b")], dataset=dataset, judge_name="GPT-4")

    import_judgments(COMPARISONS, [compared("b", "a")], dataset=dataset, judge_name="GPT-4")

    assert [run.comparisons.count() for run in Run.objects.all()] == [1, 1]


def test_import_refuses_a_score_that_is_recorded_already():
    dataset = make_dataset()
    import_judgments(SCORES, [scored("a")], dataset=dataset, judge_name="UniEval")

    with pytest.raises(Refused, match=r'scored.csv:1: "a" — expected a record that judge "UniEval" does not have yet'):
        import_judgments(SCORES, [scored("a")], dataset=dataset, judge_name="UniEval")


def test_import_refuses_nothing():
    with pytest.raises(Refused, match="there are no comparisons to import"):
        import_judgments(COMPARISONS, [], dataset=make_dataset(), judge_name="GPT-4")


@pytest.mark.parametrize("contexts", [1, 30])
def test_import_needs_the_same_queries_for_any_number_of_records(django_assert_num_queries, contexts):
    dataset = make_dataset(candidates=(3,) * contexts)
    records = [compared(context=f"c{place}") for place in range(contexts)]

    with django_assert_num_queries(15):
        import_judgments(COMPARISONS, records, dataset=dataset, judge_name="GPT-4")


@pytest.mark.realdata
def test_published_verdicts_of_llmbar_come_in_with_every_verdict_counted(shared_data):
    folder = shared_data / "data" / "llmbar"
    files = [folder / "Natural.json", folder / "Adversarial" / "Neighbor.json"]
    record = read_dataset([SourceFile(file.name, file.read_bytes()) for file in files])
    dataset = import_dataset(record, name="LLMBar", sha256="of the files")
    verdicts = [json.loads(line) for line in (folder / "recorded_verdicts.jsonl").read_text().splitlines()]
    palm = [verdict for verdict in verdicts if verdict["judge"] == "PaLM2"]

    lines = "".join(json.dumps(line) + "\n" for verdict in palm for line in both_orders(verdict))
    runs = import_judgments(
        COMPARISONS, read_comparisons([SourceFile("palm.jsonl", lines.encode())]), dataset=dataset, judge_name="PaLM2"
    )

    assert sum(run.planned for run in runs) == 2 * len(palm) == 3744
    assert {run.prompt_name for run in runs} == {verdict["strategy"] for verdict in palm}
    missing = sum(verdict[winner] is None for verdict in palm for winner in ("winner_ab", "winner_ba"))
    assert sum(count_outcomes(run)["unparsed"] for run in runs) == missing > 0
    assert {run.comparisons.count() for run in runs} == {468}


def both_orders(verdict):
    """The two comparisons of a verdict: output_1 shown first, then output_2. Winners are 1 and 2 in both."""
    shown = {"context": f"{verdict['dataset'].rpartition('/')[2]}/{verdict['idx']}", "attribute": "overall"}
    for first, second, winner in (("1", "2", verdict["winner_ab"]), ("2", "1", verdict["winner_ba"])):
        choice = "unparsed" if winner is None else "first" if str(winner) == first else "second"
        yield shown | {"first": first, "second": second, "choice": choice, "prompt": verdict["strategy"]}


def test_problems_of_one_kind_are_listed_and_counted():
    records = [compared(line=line, context="c9") for line in range(1, 31)]

    with pytest.raises(Refused) as refused:
        import_judgments(COMPARISONS, records, dataset=make_dataset(), judge_name="GPT-4")

    assert (len(refused.value.problems), refused.value.more) == (10, 20)
    assert refused.value.problems[-1].endswith("a context of the dataset (and 20 more of this kind)")


def test_an_import_of_too_many_runs_is_refused(monkeypatch):
    monkeypatch.setattr(recorded_runs, "MAX_RUNS", 2)
    records = [compared(line=number, prompt=f"prompt {number}") for number in (1, 2, 3)]

    with pytest.raises(Refused, match="run 3 of this import"):
        import_judgments(COMPARISONS, records, dataset=make_dataset(), judge_name="GPT-4")

    assert not Run.objects.exists()


def test_judge_of_a_record_that_has_it_already_is_named():
    dataset = make_dataset()
    import_judgments(COMPARISONS, [compared(judge="Llama", p_first=0.2)], dataset=dataset, judge_name="")
    records = [compared(judge="GPT-4", p_first=0.1), compared(line=2, judge="Llama", p_first=0.2)]

    with pytest.raises(Refused) as refused:
        import_judgments(COMPARISONS, records, dataset=dataset, judge_name="")

    [problem] = refused.value.problems
    assert problem.startswith("judged.csv:2:")
    assert 'that judge "Llama" does not have yet' in problem


def test_one_model_for_several_judges_is_refused():
    records = [compared(judge="GPT-4", p_first=0.1), compared(judge="Llama", p_first=0.2)]

    with pytest.raises(Refused, match="the files name 2 judges"):
        import_judgments(COMPARISONS, records, dataset=make_dataset(), judge_name="", model="gpt-4")


def test_runs_keep_what_they_left_out():
    dataset = make_dataset(candidates=(3,))
    system = dataset.contexts.get().candidates.get(key="c").system
    left_out = Exclusion(systems=(system,))

    [run] = import_judgments(COMPARISONS, [compared()], dataset=dataset, judge_name="GPT-4", exclusion=left_out)

    assert Run.objects.get(pk=run.pk).exclusion == left_out


def test_unknown_system_to_leave_out_is_refused():
    with pytest.raises(Refused, match='has no system "S9"'):
        import_judgments(
            SCORES, [scored()], dataset=make_dataset(), judge_name="BLEU", exclusion=Exclusion(systems=("S9",))
        )
