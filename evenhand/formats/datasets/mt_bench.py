"""Read the human judgments of MT-Bench: two models' conversations about a question, and the winner [Zheng2023]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.checked_rows import MAX_NAME_LENGTH, CheckedRow, FileRows
from evenhand.formats.datasets.dataset_draft import OVERALL_ATTRIBUTE, AttributeCollector, ContextDraft, DatasetDraft
from evenhand.formats.records import AttributeRecord, CandidateRecord, DatasetRecord, VoteChoice, VoteRecord

MT_BENCH_KEYS = ("question_id", "model_a", "model_b", "winner", "judge", "conversation_a", "conversation_b", "turn")
_CHOICES: dict[str | int, str] = {  # by winner
    "model_a": "first",
    "model_b": "second",
    "tie": "tie",
    "tie (inconsistent)": "tie",  # the judge changed its mind when the answers were swapped
    "tie (bothbad)": "tie",
}


def read_mt_bench(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset: one context per turn of a question, one candidate per model, one vote per row.

    The context's text is all that the user says up to that turn. A candidate's text is the model's answer in that turn.
    The field `turn` holds the turn.
    """
    draft = DatasetDraft(AttributeCollector([AttributeRecord(OVERALL_ATTRIBUTE)]))
    for file in files:
        for row in file:
            _read_row(row, draft)
    return draft.to_record(log, context_noun="question", candidate_noun="answer")


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One turn of a conversation. question: all that the user says up to it. answer: the model's answer in it."""

    question: str
    answer: str


def _read_row(row: CheckedRow, draft: DatasetDraft) -> None:
    turn = _read_turn(row)
    key = f"{row.identifier('question_id')}/{turn}"
    for side in "ab":
        exchange = _read_exchange(row, f"conversation_{side}", turn)
        if exchange:
            context = draft.find_context(key) or draft.add_context(
                row, "", key=key, text=exchange.question, fields={"turn": str(turn)}
            )
            _add_answer(row, side, exchange, context)
    vote = _read_vote(row)
    if judged := draft.find_context(key):
        judged.add_vote(vote)


def _read_turn(row: CheckedRow) -> int:
    turn = row.values.get("turn")
    if isinstance(turn, int) and not isinstance(turn, bool) and turn >= 1:
        return turn
    row.add_problem("turn", row.describe("turn"), "a whole number of at least 1")
    return 1


def _read_exchange(row: CheckedRow, key: str, turn: int) -> _Exchange | None:
    messages: dict[str, list[str]] = {"user": [], "assistant": []}  # by role
    for message in row.objects(key):
        messages.setdefault(message.text("role"), []).append(message.text("content", may_be_empty=True))
    questions, answers = messages["user"][:turn], messages["assistant"][turn - 1 : turn]
    if len(questions) < turn or not answers:
        expected = f"a question of the user and an answer of the assistant for turn {turn}"
        row.add_problem(key, row.describe(key), expected)
        return None
    return _Exchange(row.check_text(key, "\n\n".join(questions)), answers[0])


def _add_answer(row: CheckedRow, side: str, exchange: _Exchange, context: ContextDraft) -> None:
    field, model = f"conversation_{side}", row.identifier(f"model_{side}")
    context.require_same(row, field, exchange.question, context.values.text)
    context.add_once(row, field, CandidateRecord(key=model, text=exchange.answer, system=model))


def _read_vote(row: CheckedRow) -> VoteRecord:
    first, second = row.identifier("model_a"), row.identifier("model_b")
    if first == second:
        row.add_problem("model_b", describe_value(second), "a model other than model_a")
    choice = cast(VoteChoice, row.choice("winner", _CHOICES))
    return VoteRecord(OVERALL_ATTRIBUTE, first=first, second=second, choice=choice, rater=_read_rater(row))


def _read_rater(row: CheckedRow) -> str:
    """Return the judge. The parts of a list, as for GPT-4 (`["gpt-4", "pair-v2"]`), are joined with hyphens."""
    judge = row.values.get("judge")
    if isinstance(judge, list) and judge and all(isinstance(part, str) for part in judge):
        return row.check_text("judge", "-".join(judge), max_length=MAX_NAME_LENGTH)
    return row.text("judge", max_length=MAX_NAME_LENGTH)
