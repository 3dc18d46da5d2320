"""Descriptions of how answers were read: probabilities, the generated text, or several sampled texts."""

from evenhand.engine import Question, ScaleQuestion
from evenhand.engine.questions.verdict_patterns import SCORE_A
from evenhand.engine.replies.label_probabilities import label_words
from evenhand.engine.replies.score_probabilities import find_score
from evenhand.prompting.methods import METHODS, Method, Reading
from evenhand.units import counted
from judging.models import Run
from judging.services.plans.run_spec import worded_prompt

MISSING_PROBABILITIES = (
    "the judge wrote a valid answer, but the endpoint did not list the probabilities of the others, which may change it"
)
READING_TITLES = {
    Reading.LIKELIHOOD: "the log-probability of each text's tokens",
    Reading.DECISION: "the probabilities of the two choices; the wording around the question is the server's",
    Reading.METRIC: "the metric's value",
}


def describe_answers(run: Run) -> str:
    """Describe how a run's answers are read. Empty for recorded runs and juries."""
    if run.prompt is None or not run.judge.can_be_asked:
        return ""
    method = METHODS[run.method]
    if method.reading in READING_TITLES:
        return READING_TITLES[method.reading]
    if run.samples is not None:
        return _describe_samples(run, method)
    if run.asks_one_reply:
        return _describe_reply(run, method)
    read = "the numbers of the scale" if method.reads_scale else "the two label words"
    read = "the three label words; the most probable is the decision" if offers_tie(run) else read
    if not run.judge.is_endpoint:
        return f"the probabilities of {read}"
    if not run.environment:
        return f"the probabilities of {read}, or the generated text if the endpoint gives none"
    if run.environment["gives_probabilities"]:
        return f"the probabilities of {read}"
    return "the generated text, as the endpoint gives no probabilities"


def describe_unparsed(run: Run, text: str) -> str:
    """Explain why an answer is unparsed although its text is valid. Empty if the text itself is not valid.

    Endpoints list only the most probable tokens, so a probability may be missing.
    """
    if run.prompt is None or not run.judge.is_endpoint or run.samples is not None or run.asks_one_reply:
        return ""
    worded = worded_prompt(run.spec)
    labels = (worded.answer_prefix, worded.label_first, worded.label_second)
    if METHODS[run.method].reads_scale:
        label: object = find_score(text, ScaleQuestion("", *labels))
    else:
        label = label_words(Question("", *labels, label_tie=worded.label_tie)).find_answer(text)
    return "" if label is None else MISSING_PROBABILITIES


def offers_tie(run: Run) -> bool:
    """Return True if the run's prompt lets the judge answer with a tie. Not for recorded runs."""
    prompt = run.spec["prompt"]
    return bool(prompt.get("label_tie")) or SCORE_A in prompt.get("verdict", "")


def _describe_reply(run: Run, method: Method) -> str:
    """Describe how the verdict of a whole reply is read."""
    if SCORE_A in run.spec["prompt"]["verdict"]:
        return "the two scores in the judge's reply; the higher one wins"
    written = "the score in the judge's reply" if method.reads_scale else "the verdict in the judge's reply"
    if run.environment and not run.environment["gives_probabilities"]:
        return f"{written}, as written"
    return f"{written}, by the probabilities of {'the scale' if method.reads_scale else 'the label words'} there"


def _describe_samples(run: Run, method: Method) -> str:
    """Describe the number of sampled texts, their temperature and their aggregation."""
    result = "the mean of their numbers" if method.reads_scale else "the share of the first label word"
    result = "the majority of decisions and ties" if offers_tie(run) else result
    return f"{counted(run.samples or 0, 'text')} sampled per answer at temperature {run.temperature:g}: {result}"
