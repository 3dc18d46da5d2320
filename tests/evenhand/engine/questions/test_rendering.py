import pytest

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.scale_questions import ScaleQuestion
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, train_tokenizer

QUESTIONS = [
    Question("The old captain painted the boat.\n\nWhich?", "Summary", " A", " B"),
    Question("Which is better?", "", "Output (a)", "Output (b)"),
    Question("The old captain painted the boat.\n\nWhich?", "Summary", " A", " B"),
]
OF_EVERY_KIND = [
    *QUESTIONS,
    Question("Which is better?", "Answer:", " A", " B", label_tie=" tie"),
    ScaleQuestion("How good is the boat?", "Score:", " 1", " 10"),
    LikelihoodQuestion("The old captain", "", " painted the boat.", ""),
]


@pytest.mark.parametrize("is_encoder_decoder", [False, True])
@pytest.mark.parametrize("options", [{"opening": "<s>", "closing": "</s>"}, {"chat_template": CHAT_TEMPLATE}, {}])
def test_encode_all_gives_the_tokens_of_each_question_alone(is_encoder_decoder, options):
    start = 0 if is_encoder_decoder else None
    renderer = PromptRenderer(train_tokenizer(**options), is_encoder_decoder=is_encoder_decoder, decoder_start_id=start)

    encoded = renderer.encode_all(OF_EVERY_KIND * 20)

    assert encoded == [renderer.tokenised(question) for question in OF_EVERY_KIND] * 20


def test_encode_all_returns_a_refusal_at_the_position_of_its_question():
    renderer = PromptRenderer(train_tokenizer(), is_encoder_decoder=False, max_prompt_tokens=60)
    alike, long = Question("Which?", "", " A", " A"), Question("boat " * 200, "", " A", " B")
    no_scale = ScaleQuestion("How good?", "", "7", "1")

    first, second, third, fourth, last = renderer.encode_all([QUESTIONS[1], alike, long, no_scale, QUESTIONS[1]])

    assert first == last == renderer.tokenised(QUESTIONS[1])
    assert isinstance(second, QuestionRefused)
    assert str(second).startswith("the label words cannot be distinguished")
    assert isinstance(third, QuestionRefused)
    assert str(third).startswith("the prompt is too long: ")
    assert str(fourth).startswith('"7" and "1" are the ends of no scale')


def test_encode_all_of_no_questions_is_empty():
    assert PromptRenderer(train_tokenizer(), is_encoder_decoder=False).encode_all([]) == []


def renderer_of(**options):
    return PromptRenderer(train_tokenizer(**options), is_encoder_decoder=False)


def test_fingerprint_depends_on_the_rendered_text_and_its_tokens():
    usual = renderer_of(chat_template=CHAT_TEMPLATE)
    before = usual.fingerprint()
    usual.encode_all(QUESTIONS)

    assert before == usual.fingerprint() == renderer_of(chat_template=CHAT_TEMPLATE).fingerprint()
    others = [
        renderer_of(),
        renderer_of(chat_template=CHAT_TEMPLATE, opening="<s>"),
        renderer_of(chat_template=CHAT_TEMPLATE + " "),
        renderer_of(chat_template=CHAT_TEMPLATE, merges=False),
        PromptRenderer(train_tokenizer(chat_template=CHAT_TEMPLATE), is_encoder_decoder=True, decoder_start_id=0),
    ]
    assert len({before, *(other.fingerprint() for other in others)}) == 6


def test_fingerprint_exists_for_a_chat_template_that_fails():
    assert renderer_of(chat_template="{{ raise_exception('no') }}").fingerprint()


@pytest.mark.parametrize("is_special", [True, False])
def test_reply_keeps_the_marks_of_thinking_and_no_other_special_token(is_special):
    tokenizer = train_tokenizer()
    tokenizer.add_tokens(["[THINK]", "[/THINK]"], special_tokens=is_special)
    renderer = PromptRenderer(tokenizer, is_encoder_decoder=False)
    text = "[THINK]Is it A?[/THINK]B"

    ids = tokenizer(f"{text}</s>", add_special_tokens=False).input_ids
    plain = tokenizer("B</s>", add_special_tokens=False).input_ids

    assert (renderer.reply_text(ids), renderer.reply_text(plain)) == (text, "B")
