"""Scores of single texts by local models."""

import math

import pytest

from evenhand.engine import EngineSettings, QuestionRefused, ScaleQuestion, ScoreAnswer, load_engine
from evenhand.engine.questions.label_tokens import TokenRow, scale_prompt
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.tiny_models import save_model

DIGITS = ["Score: 1, 2, 3, 4, 5, 6, 7, 8, 9 or 10 10 10 10 10"] * 20


def question(text="The old captain painted the boat.", *, prefix="Score:", lowest=" 1", highest=" 10"):
    return ScaleQuestion(f"{text}\n\nHow good is it?", prefix, lowest, highest)


def open_engine(folder):
    return load_engine(EngineSettings(backend="transformers", model=str(folder)))


def logprobs_one_at_a_time(reference, rendered, labels):
    """Return the log-probability of each score without its longer scores, from one pass for each."""
    ids = {score: reference.ids(rendered, label) for score, label in labels.items()}
    shared = next(place for place, column in enumerate(zip(*ids.values(), strict=False)) if len(set(column)) > 1)
    whole = {score: reference.logprob(rendered, tokens, shared) for score, tokens in ids.items()}
    if ids[10][: len(ids[1])] == ids[1]:
        whole[1] = math.log(math.exp(whole[1]) - math.exp(whole[10]))
    return whole


@pytest.mark.parametrize(
    ("kind", "merges"),
    [("llama", True), ("gpt2", False), ("t5", False)],
    ids=["10 is a token", "10 is 1 and 0", "10 is 1 and 0, encoder-decoder"],
)
def test_score_is_the_mean_over_the_scale_by_the_probabilities_of_whole_label_words(tmp_path, kind, merges):
    engine = open_engine(save_model(tmp_path, kind, opening="<s>", merges=merges, corpus=DIGITS))
    asked = [question(f"{'The boat. ' * n}") for n in (1, 9, 4)]
    reference = Reference(tmp_path)

    batch = engine.scores(asked)

    for one, answer in zip(asked, batch.answers, strict=True):
        found = logprobs_one_at_a_time(reference, engine.render(one), one.labels())
        weights = {score: math.exp(logprob) for score, logprob in found.items()}
        mean = sum(score * weight for score, weight in weights.items()) / sum(weights.values())
        assert answer.score == pytest.approx(mean, abs=1e-4)
        assert answer.text == str(max(weights, key=weights.get))


def test_score_of_a_text_too_long_for_the_model_is_an_error_and_affects_no_other(tmp_path):
    engine = open_engine(save_model(tmp_path, "llama", opening="<s>", merges=False))

    long, short = engine.scores([question("boat " * 300), question()]).answers

    assert long.error.startswith("the prompt is too long: it has ")
    assert 1 <= short.score <= 10


def test_rows_of_a_scale_are_one_if_10_is_two_tokens():
    labels = {1: (7, 1), 2: (7, 2), 10: (7, 1, 0)}

    prompt = scale_prompt(labels)

    assert prompt.given_ids == (7,)
    assert prompt.rows() == (TokenRow((7, 1), ((1, 0), (1,), (2,)), 1),)


def test_probability_of_a_longer_score_is_subtracted_from_the_shorter():
    prompt = scale_prompt({1: (7, 1), 2: (7, 2), 10: (7, 1, 0)})

    found = prompt.logprobs([math.log(0.3), math.log(0.5), math.log(0.2)])

    assert {score: pytest.approx(math.exp(logprob)) for score, logprob in found.items()} == {1: 0.2, 2: 0.2, 10: 0.3}


def test_nested_scores_are_subtracted_from_the_next_shorter_only():
    prompt = scale_prompt({1: (7, 1), 5: (7, 5), 10: (7, 1, 0), 100: (7, 1, 0, 0)})

    found = prompt.logprobs([math.log(0.1), math.log(0.3), math.log(0.6), math.log(0.4)])

    assert {score: pytest.approx(math.exp(logprob)) for score, logprob in found.items()} == {
        1: 0.3,
        5: 0.4,
        10: 0.2,
        100: 0.1,
    }


def test_scores_with_the_same_tokens_or_without_a_common_prefix_are_refused():
    with pytest.raises(QuestionRefused, match=r"the scores 1 to 2 cannot be distinguished: .* has no digits"):
        scale_prompt({1: (7, 3), 2: (7, 3)})
    with pytest.raises(QuestionRefused, match="nothing comes before the scores"):
        scale_prompt({1: (1,), 2: (2,)})


def test_score_from_logprobs_weighs_each_score():
    answer = ScoreAnswer.from_logprobs({1: -900.0, 2: math.log(0.1), 3: math.log(0.3)}, prompt_tokens=5)

    assert (answer.score, answer.text, answer.prompt_tokens) == (pytest.approx(2.75), "3", 5)


@pytest.mark.parametrize("logprobs", [{1: math.nan, 2: -1.0}, {1: -math.inf, 2: -math.inf}])
def test_score_without_probabilities_is_an_error(logprobs):
    answer = ScoreAnswer.from_logprobs(logprobs, prompt_tokens=5)

    assert answer.error.startswith("the model gave no probability for the scores (log-probabilities 1: ")


@pytest.mark.parametrize(("lowest", "highest"), [(" A", " B"), (" 10", " 1"), (" 1", " 1"), ("1.5", "2"), ("0", "101")])
def test_label_words_that_make_no_scale_are_refused(lowest, highest):
    with pytest.raises(QuestionRefused, match="are the ends of no scale"):
        question(lowest=lowest, highest=highest).labels()


def test_answer_is_exactly_one_thing():
    with pytest.raises(ValueError, match="exactly one of"):
        ScoreAnswer(score=1.0, unparsed=True)
