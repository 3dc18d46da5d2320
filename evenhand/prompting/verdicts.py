"""Verdict patterns of prompts: their checks, and the pattern in the words of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.engine.questions.scale_questions import is_scale
from evenhand.engine.questions.verdict_patterns import (
    SCORE,
    SCORE_A,
    SCORE_B,
    SLOTS,
    VERDICT,
    Place,
    VerdictPattern,
    find_verdicts,
    plain_form,
)
from evenhand.prompting.methods import Method
from evenhand.prompting.placeholders import PLACEHOLDER, fill_template
from evenhand.prompting.wording import Wording

if TYPE_CHECKING:
    from evenhand.prompting.templates import PromptText

PLACES = tuple(place.value for place in Place)
LONGEST_REPLY = 32_768  # tokens
SEVERAL_WORDS = "|"  # between the label words of one label
_TWO_SCORES = (SCORE_A, SCORE_B)


def verdict_forms(text: str) -> tuple[str, ...]:
    """Return the forms of a verdict, one for each line that is not empty."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def worded_pattern(prompt: PromptText, wording: Wording) -> VerdictPattern | None:
    """Return a prompt's verdict pattern in the words of a dataset; None if its answers are not read from a reply."""
    if not prompt.verdict:
        return None
    return make_pattern(fill_template(prompt.verdict, wording, {}), prompt)


def make_pattern(forms: str, prompt: PromptText) -> VerdictPattern:
    """Return the pattern of these forms. A label may have several words, such as `A>B | A>>B`; the first is shown."""
    labels = {"first": prompt.label_first, "second": prompt.label_second, "tie": prompt.label_tie}
    words = {choice: [word.strip() for word in label.split(SEVERAL_WORDS)] for choice, label in labels.items()}
    first, second, tie = (shown for shown, *_ in words.values())
    further = tuple((word, choice) for choice, (_, *others) in words.items() for word in others)
    return VerdictPattern(verdict_forms(forms), first, second, tie, prompt.verdict_place, further)


def has_two_scores(prompt: PromptText) -> bool:
    """Return True if the verdict of a prompt is two scores. The higher one wins."""
    return all(slot in prompt.verdict for slot in _TWO_SCORES)


def verdict_problems(prompt: PromptText, method: Method, words: frozenset[str]) -> list[str]:
    """Return the problems of a prompt's verdict pattern, each beginning with its field.

    words: the placeholders for words of the dataset.
    """
    if not prompt.verdict:
        return []
    if not method.has_labels:
        return [f"verdict: method {method.name} reads no verdict from a reply; leave it empty"]
    problems = [*_setting_problems(prompt), *_form_problems(prompt, method, words)]
    return problems or _reading_problems(prompt)


def _setting_problems(prompt: PromptText) -> Iterator[str]:
    if prompt.verdict_place not in PLACES:
        yield f'verdict_place: "{prompt.verdict_place}" — give one of: {", ".join(PLACES)}'
    if not 1 <= prompt.reply_tokens <= LONGEST_REPLY:
        yield f"reply_tokens: {prompt.reply_tokens} — give a whole number from 1 to {LONGEST_REPLY:,}"
    if prompt.answer_prefix:
        yield "answer_prefix: leave it empty with a verdict pattern; the judge writes its whole reply"
    labels = make_pattern("", prompt).labels
    if "" in labels or len(set(labels)) < len(labels):
        yield f'label_first, label_second, label_tie: give each word between "{SEVERAL_WORDS}" once, and none empty'
    if has_two_scores(prompt) and prompt.label_tie:
        yield "label_tie: leave it empty with two scores; a tie is two equal scores"
    if has_two_scores(prompt) and not is_scale(prompt.label_first, prompt.label_second):
        yield "label_first, label_second: give the lowest and the highest of the two scores as whole numbers"


def _form_problems(prompt: PromptText, method: Method, words: frozenset[str]) -> Iterator[str]:
    forms = verdict_forms(prompt.verdict)
    if not forms:
        yield f"verdict: is empty; write what the judge writes, with {_allowed(method)} for the verdict"
    for form in forms:
        yield from _problems_of_form(form, prompt, method, words)
    if len({tuple(_slots(form)) for form in forms}) > 1:
        yield "verdict: its lines have different placeholders; each line must be a form of the same verdict"


def _problems_of_form(form: str, prompt: PromptText, method: Method, words: frozenset[str]) -> Iterator[str]:
    slots = _slots(form)
    if tuple(slots) not in _allowed_slots(method):
        yield f'verdict: "{form}" — give {_allowed(method)}, once'
    elif not plain_form(_without(slots, form)).strip(" ,;:") and prompt.verdict_place != Place.START:
        yield (
            f'verdict: "{form}" — such a word may stand anywhere in a reply; give the text around it, or '
            f'"{Place.START}" as verdict_place'
        )
    for match in PLACEHOLDER.finditer(form):
        if match.group() not in (*SLOTS, *words):
            yield f"verdict: {match.group()} is unknown here; known are {', '.join(sorted({*SLOTS, *words}))}"


def _slots(form: str) -> list[str]:
    return [match.group() for match in PLACEHOLDER.finditer(form) if match.group() in SLOTS]


def _without(slots: Sequence[str], form: str) -> str:
    for slot in slots:
        form = form.replace(slot, "")
    return form


def _allowed_slots(method: Method) -> tuple[tuple[str, ...], ...]:
    if method.reads_scale:
        return ((SCORE,),)
    return ((VERDICT,),) if method.is_scoring else ((VERDICT,), _TWO_SCORES)


def _allowed(method: Method) -> str:
    return " or ".join(" and ".join(slots) for slots in _allowed_slots(method))


def _reading_problems(prompt: PromptText) -> list[str]:
    """Return the verdicts that the pattern would not find in the judge's own words."""
    pattern = make_pattern(prompt.verdict, prompt)
    examples = pattern_examples(pattern)
    unread = [text for meaning, text in examples.items() if not _is_read_as(pattern, text, meaning)]
    return [f'verdict: "{text}" would not be read; put no letter or digit right before or after it' for text in unread]


def pattern_examples(pattern: VerdictPattern) -> Mapping[str, str]:
    """Return what the judge writes for each choice: meaning -> text; for one score, with the highest score."""
    if pattern.is_score:
        return {pattern.second: pattern.example("second")}
    choices = ("first", "second", "tie") if pattern.offers_tie else ("first", "second")
    return {choice: pattern.example(choice) for choice in choices}


def _is_read_as(pattern: VerdictPattern, text: str, meaning: str) -> bool:
    verdicts = find_verdicts(pattern, text)
    reading = float(meaning) if pattern.is_score else meaning
    return [verdict.reading for verdict in verdicts] == [reading]
