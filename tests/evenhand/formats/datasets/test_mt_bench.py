"""MT-Bench: votes on two models' answers, turn by turn."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord, read_dataset
from tests.evenhand.formats.small_files import dataset_problems, json_lines


def talk(model: str) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": f"{model} says because."},
        {"role": "user", "content": "Shorter."},
        {"role": "assistant", "content": f"{model} says so."},
    ]


def judgment(model_a: str = "alpaca", model_b: str = "llama", **changes: object) -> dict[str, object]:
    return {
        "question_id": 81,
        "model_a": model_a,
        "model_b": model_b,
        "winner": "model_b",
        "judge": "expert_0",
        "conversation_a": talk(model_a),
        "conversation_b": talk(model_b),
        "turn": 1,
        **changes,
    }


def test_read_dataset_makes_a_context_of_each_turn():
    file = json_lines(judgment(), judgment(turn=2, winner="model_a"), judgment("llama", "gpt-4", judge="author_1"))

    def answers(*models: str, end: str) -> tuple[CandidateRecord, ...]:
        return tuple(CandidateRecord(model, f"{model} says {end}.", system=model) for model in models)

    assert read_dataset([file]) == DatasetRecord(
        context_noun="question",
        candidate_noun="answer",
        attributes=(AttributeRecord("overall"),),
        contexts=(
            ContextRecord(
                key="81/1",
                text="Why?",
                fields={"turn": "1"},
                candidates=answers("alpaca", "llama", "gpt-4", end="because"),
                votes=(
                    VoteRecord("overall", "alpaca", "llama", "second", "expert_0"),
                    VoteRecord("overall", "llama", "gpt-4", "second", "author_1"),
                ),
            ),
            ContextRecord(
                key="81/2",
                text="Why?\n\nShorter.",
                fields={"turn": "2"},
                candidates=answers("alpaca", "llama", end="so"),
                votes=(VoteRecord("overall", "alpaca", "llama", "first", "expert_0"),),
            ),
        ),
        format="mt-bench",
    )


@pytest.mark.parametrize("winner", ["tie", "tie (inconsistent)", "tie (bothbad)"])
def test_read_dataset_reads_every_kind_of_tie_as_a_tie(winner):
    [vote] = read_dataset([json_lines(judgment(winner=winner))]).contexts[0].votes

    assert vote.choice == "tie"


def test_read_dataset_joins_the_parts_of_a_judge():
    [vote] = read_dataset([json_lines(judgment(judge=["gpt-4", "pair-v2"]))]).contexts[0].votes

    assert vote.rater == "gpt-4-pair-v2"


def test_read_dataset_keeps_the_order_shown_and_repeated_votes():
    file = json_lines(judgment(), judgment(), judgment("llama", "alpaca"))

    assert [(vote.first, vote.second) for vote in read_dataset([file]).contexts[0].votes] == [
        ("alpaca", "llama"),
        ("alpaca", "llama"),
        ("llama", "alpaca"),
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"winner": "error"},
            'winner: "error" — expected "model_a" or "model_b" or "tie" or "tie (inconsistent)" or "tie (bothbad)"',
        ),
        ({"judge": []}, "judge: a list of 0 — expected a text"),
        ({"judge": [1]}, "judge: a list of 1 — expected a text"),
        ({"turn": 0}, "turn: 0 — expected a whole number of at least 1"),
        ({"turn": "1"}, 'turn: "1" — expected a whole number of at least 1'),
        (
            {"turn": 3},
            "conversation_a: a list of 4 — expected a question of the user and an answer of the assistant for turn 3",
        ),
        ({"conversation_b": None}, "conversation_b: null — expected a list of at least one object"),
        (
            {"conversation_a": talk("other")},
            'conversation_a: "other says because." — expected "alpaca says because.", the text of "alpaca" before',
        ),
        (
            {"conversation_a": [{"role": "user", "content": "When?"}, talk("alpaca")[1]]},
            'conversation_a: "When?" — expected the same as in data.jsonl, line 1: it is the same context',
        ),
        (
            {"model_b": "alpaca", "conversation_b": talk("alpaca")},
            'model_b: "alpaca" — expected a model other than model_a',
        ),
    ],
)
def test_read_dataset_refuses_a_judgment(changes, problem):
    assert dataset_problems(json_lines(judgment(), judgment(**changes)))[0] == f"data.jsonl:2: {problem}"
