"""Label words in an endpoint's reply, and their probabilities."""

from math import exp, log

import pytest

from evenhand.engine import Answer, EngineSettings, Question, load_engine
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply, says

QUESTION = Question("Which Summary is more coherent, Summary A or Summary B?", "Summary", " A", " B")
SOFT = reply("A", [("A", {"A": log(0.6), "B": log(0.2), " B": log(0.1), "The": log(0.05)})])


@pytest.fixture
def endpoint():
    with ServedEndpoint(lambda body: SOFT) as served:
        yield served


def answer_to(endpoint, document, question=QUESTION):
    """Return the answer read from an endpoint with log-probabilities."""
    engine = load_engine(EngineSettings("openai", "judge", base_url=endpoint.url))
    endpoint.first_do(says(document))
    answer = engine.p_first([question]).answers[0]
    engine.close()
    return answer


def test_p_first_sums_the_ways_to_write_each_label_word(endpoint):
    answer = answer_to(endpoint, SOFT)

    assert answer.p_first == pytest.approx(0.6 / 0.9)
    assert (exp(answer.logprob_first), exp(answer.logprob_second)) == pytest.approx((0.6, 0.3))
    assert (answer.text, answer.prompt_tokens) == ("A", 20)


def test_p_first_is_read_where_the_label_word_was_written_and_not_before(endpoint):
    tokens = [("Summary", {"Summary": log(0.9), "A": log(0.08)}), (" B", {" A": log(0.25), " B": log(0.75)})]

    assert answer_to(endpoint, reply("Summary B", tokens)).p_first == pytest.approx(0.25)


def test_written_label_word_counts_when_the_endpoint_does_not_list_it(endpoint):
    tokens = [("A", {"B": -1.5})]  # the test's endpoint gives a token that it does not list -0.5

    assert answer_to(endpoint, reply("A", tokens)).p_first == pytest.approx(exp(-0.5) / (exp(-0.5) + exp(-1.5)))


def test_unlisted_label_word_bounds_p_first_if_little_probability_is_left(endpoint):
    answer = answer_to(endpoint, reply("A", [("A", {"A": log(0.99), "The": log(0.006)})]))

    assert answer.p_first == pytest.approx(0.99 / (0.99 + 0.004))
    assert (answer.logprob_first, answer.logprob_second) == (pytest.approx(log(0.99)), None)

    answer = answer_to(endpoint, reply("B", [("B", {"B": log(0.99), "The": log(0.006)})]))

    assert answer.p_first == pytest.approx(1 - 0.99 / (0.99 + 0.004))
    assert (answer.logprob_first, answer.logprob_second) == (None, pytest.approx(log(0.99)))


@pytest.mark.parametrize(("word", "choice"), [("A", "first"), ("B", "second")])
def test_label_word_that_is_certainly_likelier_than_an_unlisted_one_is_a_choice_without_p_first(endpoint, word, choice):
    answer = answer_to(endpoint, reply(word, [(word, {word: log(0.5), "The": log(0.2)})]))

    known = answer.logprob_first if choice == "first" else answer.logprob_second
    assert (answer.choice, answer.p_first, answer.unparsed, answer.problem) == (choice, None, False, "")
    assert (known, answer.logprob_first is None or answer.logprob_second is None) == (pytest.approx(log(0.5)), True)


@pytest.mark.parametrize("listed", [{"A": 0.35, "The": 0.2}, {"A": 0.45, "The": 0.05}])
def test_unlisted_label_word_that_may_be_as_likely_leaves_the_answer_unparsed(endpoint, listed):
    answer = answer_to(endpoint, reply("A", [("A", {word: log(share) for word, share in listed.items()})]))

    assert answer == Answer(unparsed=True, text="A", prompt_tokens=20, problem="unknown-probability")


@pytest.mark.parametrize(
    "text", ["A", " A.", "**A**", '"A"', "Summary A", "summary: A", "Answer: Summary A", "A\nIt is"]
)
def test_text_that_answers_with_a_label_word_is_read(endpoint, text):
    answer = answer_to(endpoint, reply(text, [("A", {"A": log(0.75), "B": log(0.25)})]))

    assert answer.p_first == pytest.approx(0.75)


@pytest.mark.parametrize(
    "text",
    ["Neither", "a", "AB", "A or B", "A/B", "A better one is", "Summary A is less coherent", "I think A", "I cannot."],
)
def test_other_text_is_stored_as_unparsed(endpoint, text):
    answer = answer_to(endpoint, reply(text, [("A", {"A": log(0.75), "B": log(0.25)})]))

    problem = "refusal" if text == "I cannot." else "no-verdict"
    assert answer == Answer(unparsed=True, text=text, prompt_tokens=20, problem=problem)


def test_refusal_is_stored_as_unparsed(endpoint):
    document = reply(None)
    document["choices"][0]["message"]["refusal"] = "I cannot judge people."

    answer = answer_to(endpoint, document)

    assert answer == Answer(unparsed=True, text="I cannot judge people.", prompt_tokens=20, problem="refusal")


def test_two_different_verdicts_are_unparsed(endpoint):
    answer = answer_to(endpoint, reply("A\nB", [("A", {"A": log(0.75), "B": log(0.25)})]))

    assert (answer.unparsed, answer.problem) == (True, "two-verdicts")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (reply("A", [("B", {"B": -0.1})]), "the endpoint's tokens do not match its text"),
        (reply("A", [("A", {"A": 0.9})]), "the endpoint gives 0.9 as a log-probability"),
        (reply("A", [("A", {"A": None})]), "the endpoint's log-probabilities lack a token or a number"),
        (reply(["A"]), "the endpoint's reply has content that is not text"),
    ],
)
def test_reply_that_breaks_the_protocol_is_the_error_of_its_question(endpoint, document, reason):
    assert answer_to(endpoint, document).error == reason


def test_label_words_of_several_tokens_or_alike_are_an_error(endpoint):
    question = Question("Which?", "", " Alpha", " Beta")
    answer = answer_to(endpoint, reply("Alpha", [("Al", {"Al": -0.1}), ("pha", {"pha": -0.1})]), question)

    assert answer.error.startswith('the label word "Alpha" is not one token of this model')
    assert "cannot be distinguished" in answer_to(endpoint, SOFT, Question("Which?", "", " A", "A")).error


WITH_TIE = Question("Which is better?", "", " A", " B", label_tie=" C")


def test_choice_with_ties_is_the_likeliest_of_the_three_label_words(endpoint):
    document = reply("A", [("A", {"A": log(0.4), "C": log(0.3), " C": log(0.2), "B": log(0.1)})])

    answer = answer_to(endpoint, document, WITH_TIE)

    assert (answer.choice, answer.p_first, answer.text) == ("tie", None, "A")
    assert exp(answer.logprob_tie) == pytest.approx(0.5)


@pytest.mark.parametrize(("share", "choice", "unparsed"), [(0.6, "second", False), (0.45, "", True)])
def test_choice_with_ties_is_unparsed_if_an_unlisted_label_word_may_be_as_likely(endpoint, share, choice, unparsed):
    document = reply("B", [("B", {"B": log(share), "A": log(0.05)})])

    answer = answer_to(endpoint, document, WITH_TIE)

    assert (answer.choice, answer.unparsed, answer.logprob_tie) == (choice, unparsed, None)


def test_endpoint_receives_all_three_label_words(endpoint):
    answer_to(endpoint, reply("A", [("A", {"A": log(0.9)})]), WITH_TIE)

    (message,) = endpoint.asked[-1]["messages"]
    assert message["content"].endswith("Answer only with A, B or C, and nothing else.")
