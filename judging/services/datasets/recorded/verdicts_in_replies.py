"""Replies that were recorded elsewhere, read by a verdict pattern: a named one, or that of a prompt."""

from collections.abc import Callable, Mapping
from functools import cache

from django.db.models import Q

from evenhand.engine.questions.copied_labels import Shown
from evenhand.engine.questions.verdict_patterns import VerdictPattern
from evenhand.engine.replies.reasoned_replies import split_reply
from evenhand.engine.replies.reply_verdicts import ReplyReading, read_verdict
from evenhand.formats import ReadReply
from evenhand.prompting.named_verdicts import NAMED_VERDICTS
from evenhand.prompting.verdicts import worded_pattern
from evenhand.prompting.wording import Wording
from evenhand.refusals import Refused, did_you_mean
from judging.models import Attribute, Candidate, Dataset, Prompt
from judging.services.plans.run_spec import prompt_text, wording_of

PatternOf = Callable[[str], VerdictPattern]
"""Returns the verdict pattern in the words of an attribute."""


def verdict_pattern_names(noun: str) -> list[tuple[str, str]]:
    """Return the names of patterns that give comparisons or scores, with their descriptions; named ones first."""
    named = [
        (record.name, record.description)
        for record in NAMED_VERDICTS.values()
        if record.pattern.is_score == (noun == "scores")
    ]
    prompts = [prompt for prompt in Prompt.objects.exclude(verdict="") if prompt.asks_score == (noun == "scores")]
    return [*named, *((prompt.label, f"as prompt {prompt.label}") for prompt in prompts)]


def find_reply_reader(name: str, *, noun: str, dataset: Dataset) -> ReadReply:
    """Return the reader of replies by a pattern's name. noun: comparisons or scores. Raises Refused."""
    known = dict(verdict_pattern_names(noun))
    if name not in known:
        raise Refused(
            f'verdict_pattern: "{name}" gives no {noun}{did_you_mean(name, known)}; choose one of: {", ".join(known)}'
        )
    pattern_of = _pattern_of(name, dataset)

    def read(values: Mapping[str, object], reply: str) -> Mapping[str, object]:
        pattern = pattern_of(str(values.get("attribute", "")))
        reading = read_verdict(reply, pattern)
        if reading.has_words_after and not pattern.has_scores:
            reading = read_verdict(reply, pattern, shown=Shown(candidates=_candidates(dataset, values)))
        return _values(pattern, reading)

    return read


def _candidates(dataset: Dataset, values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the texts of a row's candidates, which the row names by key, by system or by the text itself."""
    names = [str(values.get(name)) for name in ("first", "second", "candidate")]
    context = Candidate.objects.filter(context__dataset=dataset, context__key=str(values.get("context")))
    named = context.filter(Q(key__in=names) | Q(system__in=names)).values_list("text", flat=True)
    return tuple(named) or tuple(name for name in names if " " in name)


def _pattern_of(name: str, dataset: Dataset) -> PatternOf:
    if name in NAMED_VERDICTS:
        return lambda attribute: NAMED_VERDICTS[name].pattern
    prompt = next(prompt for prompt in Prompt.objects.exclude(verdict="") if prompt.label == name)
    attributes = {attribute.name: attribute for attribute in Attribute.objects.filter(dataset=dataset)}
    return cache(lambda attribute: _worded(prompt, dataset, attributes.get(attribute)))


def _worded(prompt: Prompt, dataset: Dataset, attribute: Attribute | None) -> VerdictPattern:
    """attribute: None if the dataset does not have it, which is reported with the record."""
    wording = wording_of(dataset, attribute) if attribute else Wording("")
    pattern = worded_pattern(prompt_text(prompt), wording)
    if pattern is None:
        raise ValueError(f"prompt {prompt.label} has no verdict pattern")
    return pattern


def _values(pattern: VerdictPattern, reading: ReplyReading) -> Mapping[str, object]:
    """Return the values of the answer, named as the columns of recorded judgments."""
    reasoning, text = split_reply(reading, pattern.place)
    values = {
        "text": reading.answer if reading.thinking else text,
        "thinking": reading.thinking or reasoning,
        "problem": reading.problem,
    }
    if pattern.is_score:
        return _without_empty(values | {"score": reading.verdict.reading if reading.verdict else None})
    return _without_empty(values | {"choice": reading.verdict.reading if reading.verdict else "unparsed"})


def _without_empty(values: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in values.items() if value not in ("", None)}
