"""The verdict in a judge's reply, the reasoning around it, and the kind of a reply that cannot be read. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.engine.questions.copied_labels import NOTHING_SHOWN, Shown
from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.questions.verdict_patterns import Place, VerdictPattern, WrittenVerdict, find_verdicts
from evenhand.engine.replies.reading_problems import REFUSED
from evenhand.engine.replies.reasoning_blocks import split_reasoning

_NO_WORDS = " \n\r\t*#`"


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """The verdict, the reasoning and the thinking in a reply.

    verdict: None if the reply has none that counts; its positions are those in `answer`.
    problem: a value of ReadingProblem; empty for none. A reply with a verdict may have the problems of FLAGS.
    thinking: the text of a block of thinking. answer: the reply after it.
    """

    verdict: WrittenVerdict | None
    problem: str
    thinking: str
    answer: str

    @property
    def follows_reasoning(self) -> bool:
        """True if reasoning stands before the verdict."""
        return self.verdict is not None and bool(self.answer[: self.verdict.start].strip(_NO_WORDS))

    @property
    def has_words_after(self) -> bool:
        """True if something follows the verdict."""
        return self.verdict is not None and any(map(str.isalnum, self.answer[self.verdict.end :]))


def read_verdict(
    text: str,
    pattern: VerdictPattern,
    *,
    complete: bool = True,
    asks_reasoning: bool = False,
    thinking: str = "",
    shown: Shown = NOTHING_SHOWN,
) -> ReplyReading:
    """Read the verdict of a reply. complete: False for a reply that reached its limit of tokens.

    asks_reasoning: mark a verdict without reasoning before it. thinking: what the judge thought before the text.
    shown: by the prompt; a verdict that only repeats it is none.
    """
    block, answer = split_reasoning(text)
    thinking = "\n\n".join(part for part in (thinking.strip(), block.strip()) if part)
    verdicts = find_verdicts(pattern, answer)
    verdict, problem = _counting(verdicts, pattern, answer)
    if verdict is None or _is_echo(verdict, answer, shown, complete=complete):
        kind = problem or _kind_of_silence(thinking, answer, pattern, complete=complete)
        return ReplyReading(None, kind, thinking, answer)
    is_cut = not complete and pattern.place != Place.START
    reading = ReplyReading(verdict, ReadingProblem.CUT_REASONING.value if is_cut else "", thinking, answer)
    if asks_reasoning and not thinking and not reading.follows_reasoning:
        return ReplyReading(verdict, ReadingProblem.EMPTY_REASONING.value, thinking, answer)
    return reading


def _is_echo(verdict: WrittenVerdict, answer: str, shown: Shown, *, complete: bool) -> bool:
    """Return True if a verdict only repeats the prompt: one of its candidates, or its instructions."""
    place = (answer, verdict.start, verdict.end)
    return shown.is_repeated(*place) or shown.is_instruction(*place, complete=complete)


def _counting(
    verdicts: Sequence[WrittenVerdict], pattern: VerdictPattern, answer: str
) -> tuple[WrittenVerdict | None, str]:
    """Return the verdict that counts; or None and the problem, which is empty if there is no verdict."""
    if pattern.place == Place.START:
        verdicts = [one for one in verdicts[:1] if not answer[: one.start].strip(_NO_WORDS)]
    if not verdicts:
        return None, ""
    if pattern.place == Place.END:
        line_start = answer.rfind("\n", 0, verdicts[-1].start) + 1
        verdicts = [one for one in verdicts if one.start >= line_start]
    if len({one.reading for one in verdicts}) > 1:
        return None, ReadingProblem.TWO_VERDICTS.value
    return verdicts[-1], ""


def _kind_of_silence(thinking: str, answer: str, pattern: VerdictPattern, *, complete: bool) -> str:
    """Return the kind of a reply without a verdict."""
    if thinking and find_verdicts(pattern, thinking):
        return ReadingProblem.VERDICT_IN_REASONING.value
    if not complete:
        return ReadingProblem.CUT_REASONING.value
    return ReadingProblem.REFUSAL.value if REFUSED.match(answer) else ReadingProblem.NO_VERDICT.value
