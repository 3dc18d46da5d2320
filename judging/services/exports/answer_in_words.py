"""What was read of a judge's answers, in words: probabilities, the text it wrote, or several sampled texts."""

from __future__ import annotations

from judging.engine import Question, ScaleQuestion
from judging.engine.replies.label_probabilities import label_words
from judging.engine.replies.score_probabilities import find_score
from judging.models import Run
from judging.prompting.methods import METHODS, Method, Reading
from judging.services.plans.run_spec import worded_prompt

OPEN = "what it wrote is an answer, but the endpoint did not list how probable the others were, which could change it"
PLAIN = {
    Reading.LIKELIHOOD: "the log-probability of each text's tokens",
    Reading.METRIC: "what the metric measures",
}


def reading_of(run: Run) -> str:
    """How the answers of a run come about; empty for a run that was recorded elsewhere."""
    if run.prompt is None or run.judge.is_recorded:
        return ""
    method = METHODS[run.method]
    if method.reading in PLAIN:
        return PLAIN[method.reading]
    if run.samples is not None:
        return _of_samples(run, method)
    read = "the numbers of the scale" if method.reads_scale else "the two label words"
    read = "the three label words, of which the likeliest is the decision" if offers_tie(run) else read
    if not run.judge.is_endpoint:
        return f"the probabilities of {read}"
    if not run.environment:
        return f"the probabilities of {read}, or the one text written where the endpoint gives none"
    if run.environment["gives_probabilities"]:
        return f"the probabilities of {read}"
    return "the one text written, as the endpoint gives no probabilities"


def unparsed_because(run: Run, text: str) -> str:
    """Why an unparsed answer is one although the judge wrote what was asked for; empty where it wrote something else.

    That happens at endpoints, which list but the likeliest of what might have been written.
    """
    if run.prompt is None or not run.judge.is_endpoint or run.samples is not None:
        return ""
    worded = worded_prompt(run.spec)
    labels = (worded.answer_prefix, worded.label_first, worded.label_second)
    if METHODS[run.method].reads_scale:
        found: object = find_score(text, ScaleQuestion("", *labels))
    else:
        found = label_words(Question("", *labels, label_tie=worded.label_tie)).find_answer(text)
    return "" if found is None else OPEN


def offers_tie(run: Run) -> bool:
    """Whether the prompt of a run that was asked here lets the judge call a tie."""
    return bool(run.spec["prompt"].get("label_tie"))


def _of_samples(run: Run, method: Method) -> str:
    """Where each text comes from, and what is made of all."""
    made = "the mean of their numbers" if method.reads_scale else "the share of the first label word"
    made = "the decision, or the tie, that most of them say" if offers_tie(run) else made
    texts = "1 text" if run.samples == 1 else f"{run.samples} texts"
    return f"{texts} sampled for each answer, at temperature {run.temperature:g}: {made}"
