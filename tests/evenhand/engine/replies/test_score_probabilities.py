"""Scores in an endpoint's reply, and their probabilities."""

from math import log

import pytest

from evenhand.engine import EngineSettings, ScaleQuestion, load_engine
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply, WrittenToken
from evenhand.engine.replies.score_probabilities import find_score, hard_score, soft_score
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply

QUESTION = ScaleQuestion("How good is it?", "Score:", " 1", " 10")


def said(text, *tokens):
    """A reply with tokens: (text, {alternative: probability})."""
    written = tuple(WrittenToken(token, tuple((one, log(p)) for one, p in listed.items())) for token, listed in tokens)
    return EndpointReply(text=text, tokens=written, finish_reason="stop", model="judge", prompt_tokens=9)


def score_of(text, *tokens):
    answer = soft_score(said(text, *tokens), QUESTION)
    return "unparsed" if answer.unparsed else answer.score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("7", 7),
        (" 10", 10),
        ("**8**", 8),
        ("Score: 3", 3),
        ("The score: 3", None),
        ("7/10", 7),
        ("7 out of 10.", 7),
        ("7\nIt is coherent.", 7),
        ("7.5", None),
        ("-3", None),
        ("0", None),
        ("11", None),
        ("100", None),
        ("7 or 8", None),
        ("good", None),
        ("", None),
    ],
)
def test_a_text_answers_with_a_score_of_the_scale_and_nothing_else(text, score):
    assert find_score(text, QUESTION) == score


def test_answer_without_log_probabilities_gives_the_number_it_wrote_and_is_unparsed_where_they_are_needed():
    answer = hard_score(said("8/10"), QUESTION)

    assert (answer.score, answer.text, answer.prompt_tokens) == (8.0, "8/10", 9)

    answer = soft_score(said("8"), QUESTION)

    assert (answer.unparsed, answer.text) == (True, "8")


def test_text_without_a_score_is_stored_as_unparsed():
    for read in (hard_score, soft_score):
        answer = read(said("It is good.", ("It", {"It": 0.9, "8": 0.1})), QUESTION)
        assert (answer.unparsed, answer.text) == (True, "It is good.")


def test_score_is_the_mean_by_the_probabilities_where_it_was_written():
    listed = {"7": 0.5, "8": 0.25, " 8": 0.05, "10": 0.2}

    assert score_of("Score: 7", ("Score", {"Score": 0.6, "2": 0.4}), (":", {":": 1.0}), (" 7", listed)) == (
        pytest.approx(0.5 * 7 + 0.3 * 8 + 0.2 * 10)
    )


def test_unlisted_scores_move_the_mean_by_at_most_a_hundredth_of_the_scale():
    certain, doubtful = {"9": 0.9, "10": 0.099}, {"9": 0.8, "10": 0.1}
    lowest = (0.9 * 9 + 0.099 * 10 + 0.001 * 1) / 1.0

    assert score_of("9", ("9", certain)) == pytest.approx(lowest)
    assert score_of("9", ("9", doubtful)) == "unparsed"


def test_listed_tokens_that_are_no_scores_do_not_count_and_10_takes_its_share_of_the_1():
    listed, then = {"1": 0.5, "9": 0.5}, {"0": 0.8, ".": 0.2}

    assert score_of("9", ("9", {"9": 0.6, "10": 0.2, "The": 0.2})) == pytest.approx(9.25)
    assert score_of("10", ("1", listed), ("0", then)) == pytest.approx(0.5 * 9 + 0.4 * 10 + 0.1 * 1)
    assert score_of("9", ("9", {"9": 0.7, "1": 0.3})) == "unparsed"
    assert score_of("9", ("9", {"9": 0.995, "1": 0.005})) == pytest.approx(0.995 * 9 + 0.005 * 1)


def test_reply_whose_tokens_do_not_match_its_text_is_malformed():
    with pytest.raises(MalformedReply, match="do not match its text"):
        soft_score(said("8", ("9", {"9": 1.0})), QUESTION)


def test_endpoint_is_asked_for_a_whole_number_of_the_scale():
    soft = reply("7", [("7", {"7": log(0.75), "8": log(0.25)})])
    with ServedEndpoint(lambda body: soft) as endpoint:
        engine = load_engine(EngineSettings("openai", "judge", base_url=endpoint.url))
        endpoint.forget()

        batch = engine.scores([QUESTION])

        rendered = engine.render(QUESTION)
        engine.close()
    sent = endpoint.asked[0]["messages"][-1]["content"]
    assert sent == "How good is it?\n\nAnswer only with a whole number from 1 to 10, and nothing else."
    assert batch.answers[0].score == pytest.approx(7.25)
    assert (rendered.label_first, rendered.label_second) == ("1", "10")
