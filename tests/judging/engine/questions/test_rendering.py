import re

import pytest

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.likelihood_questions import LikelihoodQuestion
from judging.engine.questions.pair_questions import Question
from judging.engine.questions.rendering import PromptRenderer
from judging.engine.questions.scale_questions import ScaleQuestion
from tests.judging.engine.tiny_models import CHAT_TEMPLATE, train_tokenizer

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


def test_render_fixes_the_date_of_a_chat_template():
    renderer = renderer_of(chat_template="{{ strftime_now('%d %b %Y') }}: {{ messages[0]['content'] }}")

    assert renderer.render(QUESTIONS[1]).prompt_text == "26 Jul 2024: Which is better?"


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


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('no such role') }}", "cannot render this prompt: no such role"),
        ("{{ messages + 1 }}", "cannot render this prompt: can only concatenate list"),
        ("{% for message in messages %}[{{ message['role'] }}]{% endfor %}", "leaves out a part of the prompt"),
    ],
)
def test_render_refuses_a_prompt_that_the_chat_template_cannot_show(template, reason):
    renderer = PromptRenderer(train_tokenizer(chat_template=template), is_encoder_decoder=False)

    with pytest.raises(QuestionRefused, match=re.escape(reason)):
        renderer.render(QUESTIONS[0])


def test_render_gives_lists_of_parts_to_a_chat_template_that_takes_no_text():
    template = "{% for message in messages %}[{{ message['role'] }}] {{ message['content'][0]['text'] }} {% endfor %}"
    renderer = renderer_of(chat_template=template)

    rendered = renderer.render(Question("Which?", "", " A", " B", system="Be fair."))

    assert rendered.prompt_text == "[system] Be fair. [user] Which? "


@pytest.mark.parametrize("shown", ["message['content']", "message['content'] | tojson"])
def test_render_refuses_a_chat_template_that_shows_a_list_of_parts_itself(shown):
    template = "{% for message in messages %}{% if message['content'] is string %}no{% else %}{{ SHOWN }}{% endif %}"
    renderer = renderer_of(chat_template=template.replace("SHOWN", shown) + "{% endfor %}")

    with pytest.raises(QuestionRefused, match="leaves out a part of the prompt"):
        renderer.render(QUESTIONS[0])


def test_render_moves_an_unsupported_system_message_into_the_prompt():
    template = "{% for message in messages if message['role'] == 'user' %}[user] {{ message['content'] }}{% endfor %}"
    renderer = PromptRenderer(train_tokenizer(chat_template=template), is_encoder_decoder=False)

    rendered = renderer.render(Question("Which?", "", " A", " B", system="Be fair."))

    assert rendered.prompt_text == "[user] Be fair.\n\nWhich?"
