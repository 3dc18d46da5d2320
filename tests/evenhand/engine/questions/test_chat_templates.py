import re

import pytest

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.questions.rendering import PromptRenderer
from tests.evenhand.engine.tiny_models import train_tokenizer

QUESTION = Question("The old captain painted the boat.\n\nWhich?", "Summary", " A", " B")


def renderer_of(template):
    return PromptRenderer(train_tokenizer(chat_template=template), is_encoder_decoder=False)


def test_render_fixes_the_date_of_a_chat_template():
    renderer = renderer_of("{{ strftime_now('%d %b %Y') }}: {{ messages[0]['content'] }}")

    assert renderer.render(Question("Which is better?", "", "A", "B")).prompt_text == "26 Jul 2024: Which is better?"


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('no such role') }}", "cannot render this prompt: no such role"),
        ("{{ messages + 1 }}", "cannot render this prompt: can only concatenate list"),
        ("{% for message in messages %}[{{ message['role'] }}]{% endfor %}", "leaves out a part of the prompt"),
    ],
)
def test_render_refuses_a_prompt_that_the_chat_template_cannot_show(template, reason):
    renderer = renderer_of(template)

    with pytest.raises(QuestionRefused, match=re.escape(reason)):
        renderer.render(QUESTION)


def test_render_gives_lists_of_parts_to_a_chat_template_that_takes_no_text():
    template = "{% for message in messages %}[{{ message['role'] }}] {{ message['content'][0]['text'] }} {% endfor %}"
    renderer = renderer_of(template)

    rendered = renderer.render(Question("Which?", "", " A", " B", system="Be fair."))

    assert rendered.prompt_text == "[system] Be fair. [user] Which? "


@pytest.mark.parametrize("shown", ["message['content']", "message['content'] | tojson"])
def test_render_refuses_a_chat_template_that_shows_a_list_of_parts_itself(shown):
    template = "{% for message in messages %}{% if message['content'] is string %}no{% else %}{{ SHOWN }}{% endif %}"
    renderer = renderer_of(template.replace("SHOWN", shown) + "{% endfor %}")

    with pytest.raises(QuestionRefused, match="leaves out a part of the prompt"):
        renderer.render(QUESTION)


def test_render_moves_an_unsupported_system_message_into_the_prompt():
    template = "{% for message in messages if message['role'] == 'user' %}[user] {{ message['content'] }}{% endfor %}"
    renderer = renderer_of(template)

    rendered = renderer.render(Question("Which?", "", " A", " B", system="Be fair."))

    assert rendered.prompt_text == "[user] Be fair.\n\nWhich?"
