"""MT-Bench human judgments: two models' conversations about a question, and who won [Zheng2023]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from judging.formats.checked_rows import LONGEST_NAME, FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, ContextDraft, DatasetDraft
from judging.formats.problems import ProblemLog, shown
from judging.formats.records import AttributeRecord, CandidateRecord, Choice, DatasetRecord, VoteRecord

KEYS = ("question_id", "model_a", "model_b", "winner", "judge", "conversation_a", "conversation_b", "turn")
ATTRIBUTE = "overall"
WINNERS: dict[str | int, str] = {
    "model_a": "first",
    "model_b": "second",
    "tie": "tie",
    "tie (inconsistent)": "tie",  # the judge changed its mind when the answers were swapped
    "tie (bothbad)": "tie",
}


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """One context for each turn of a question, one candidate for each model, one vote for each row.

    The context's text is what the user says up to that turn, a candidate's what the model answers in that turn.
    """
    draft = DatasetDraft(Attributes([AttributeRecord(ATTRIBUTE)]))
    for file in files:
        for row in file.rows:
            _read_row(row, draft)
    return DatasetRecord(
        context_noun="question",
        candidate_noun="answer",
        attributes=draft.attributes.records(),
        contexts=draft.contexts(),
    )


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What the user says up to a turn, and what the model answers in it."""

    question: str
    answer: str


def _read_row(row: Row, draft: DatasetDraft) -> None:
    turn = _turn(row)
    key = f"{row.name('question_id')}/{turn}"
    for side in "ab":
        exchange = _exchange(row, f"conversation_{side}", turn)
        if exchange:
            context = draft.find(key) or draft.add(row, "", ContextDraft(row=row, key=key, text=exchange.question))
            _add_answer(row, side, exchange, context)
    vote = _vote(row)
    if judged := draft.find(key):
        judged.votes.append(vote)


def _turn(row: Row) -> int:
    turn = row.values.get("turn")
    if isinstance(turn, int) and not isinstance(turn, bool) and turn >= 1:
        return turn
    row.problem("turn", row.shown("turn"), "1 or another whole number above it")
    return 1


def _exchange(row: Row, key: str, turn: int) -> _Exchange | None:
    said: dict[str, list[str]] = {"user": [], "assistant": []}
    for message in row.objects(key):
        said.setdefault(message.text("role"), []).append(message.text("content", may_be_empty=True))
    questions, answers = said["user"][:turn], said["assistant"][turn - 1 : turn]
    if len(questions) < turn or not answers:
        row.problem(key, row.shown(key), f"a question of the user and an answer of the assistant for turn {turn}")
        return None
    return _Exchange(row.checked(key, "\n\n".join(questions)), answers[0])


def _add_answer(row: Row, side: str, exchange: _Exchange, context: ContextDraft) -> None:
    field, model = f"conversation_{side}", row.name(f"model_{side}")
    if exchange.question != context.text:
        first = f"the same as in {context.row.file}, line {context.row.line}: it is the same question and turn"
        row.problem(field, shown(exchange.question), first)
    known = context.candidates.setdefault(model, CandidateRecord(key=model, text=exchange.answer, system=model))
    if exchange.answer != known.text:
        row.problem(field, shown(exchange.answer), f"{shown(known.text)}, as {shown(model)} answered before")


def _vote(row: Row) -> VoteRecord:
    first, second = row.name("model_a"), row.name("model_b")
    if first == second:
        row.problem("model_b", shown(second), "another model than model_a")
    choice = cast(Choice, row.choice("winner", WINNERS))
    return VoteRecord(ATTRIBUTE, first=first, second=second, choice=choice, rater=_rater(row))


def _rater(row: Row) -> str:
    """The judge; one given as a list, as GPT-4 is (`["gpt-4", "pair-v2"]`), with hyphens between its parts."""
    judge = row.values.get("judge")
    if isinstance(judge, list) and judge and all(isinstance(part, str) for part in judge):
        return row.checked("judge", "-".join(judge), longest=LONGEST_NAME)
    return row.text("judge", longest=LONGEST_NAME)
