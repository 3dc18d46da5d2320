"""Runs whose judge thinks, as a researcher starts and reads them."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from evenhand.engine import Answer, Thinking
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.generation_settings import GenerationSettings
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db(transaction=True)

THOUGHT = Answer(
    p_first=0.9, p_first_before=0.4, thinking="The first keeps the date.\n", thinking_tokens=8, problem="cut-reasoning"
)
SILENT = Answer(unparsed=True, text="Both are fine texts.", thinking="Hm.", thinking_tokens=2, problem="no-verdict")


def test_settings_of_thinking_appear_when_it_is_on(page, sign_in):
    sign_in("researcher")
    page.goto(reverse("run-new", args=[make_dataset().pk]))
    tokens = page.get_by_label("Most tokens of thinking")
    page.get_by_text("More settings").click()
    expect(tokens).to_be_hidden()

    page.get_by_label("on: the judge thinks before it answers").check()

    expect(tokens).to_be_visible()
    expect(page.get_by_label("Effort of thinking")).to_be_visible()


def test_thinking_is_read_next_to_the_answer(page, sign_in):
    rita = sign_in("researcher")
    run = make_run(make_dataset(candidates=(2,)), generation=GenerationSettings(thinking=Thinking(64)), owner=rita)
    answers = iter([THOUGHT, SILENT])
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine(lambda question: next(answers)))

    page.goto(run.get_absolute_url())
    page.get_by_role("link", name="1", exact=True).first.click()
    page.goto(reverse("run-comparisons", args=[run.pk]))
    page.get_by_text("Thinking of 8 tokens").click()

    expect(page.get_by_text("The first keeps the date.")).to_be_visible()
    expect(page.locator(".chip", has_text="no verdict")).to_be_visible()
