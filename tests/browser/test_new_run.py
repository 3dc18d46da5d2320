"""Adding an endpoint, starting runs once, and reading what a judge thinks, in a browser."""

from django.urls import reverse
from playwright.sync_api import expect

from evenhand.engine import Answer, Thinking
from judging.models import Judge, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.judge_check import check_judge
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from tests.browser.looks import SMALL_PHONE, violations, violations_in_both_schemes
from tests.evenhand.engine.endpoint.fake_endpoints import openai_reasoning
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run


def test_runs_of_several_judges_are_previewed_and_started(page, sign_in, monkeypatch):
    monkeypatch.setattr("judging.tasks.start_run", lambda run_id: None)
    sign_in("researcher")
    dataset = make_dataset("Articles", candidates=(3,) * 4)
    large, _ = (make_judge(name, backend="openai", base_url="http://localhost:1/v1") for name in ("large", "small"))
    pilot = make_run(dataset, judge=large, selection=SelectionSettings(contexts=1))
    Run.objects.filter(pk=pilot.pk).update(status="done", seconds=10, prompt_tokens=4_200)
    page.goto(reverse("run-new", args=[dataset.pk]))
    page.get_by_label("demo", exact=True).uncheck()
    for name in ("large", "small"):
        page.get_by_label(name, exact=True).check()
    expect(page.get_by_text("large: About 40 s, 16,800 tokens, as in")).to_be_visible()
    expect(page.get_by_text("small: Time, tokens and cost unknown")).to_be_visible()
    assert violations_in_both_schemes(page) == []
    page.set_viewport_size(SMALL_PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Start the runs").click()
    expect(page.get_by_text("2 runs queued, one for each judge, prompt and attribute.")).to_be_visible()
    assert sorted(Run.objects.active().values_list("judge__name", flat=True)) == ["large", "small"]


def test_endpoint_is_added_and_probed_again_by_page(page, sign_in, settings):
    settings.ENDPOINT_HOSTS = ["127.0.0.1"]
    make_dataset(owner=sign_in("researcher"))
    with ServedEndpoint(openai_reasoning) as endpoint:
        page.goto("/judges/new/")
        page.get_by_label("Name", exact=True).fill("o9")
        page.get_by_text("an OpenAI-compatible endpoint").click()
        page.get_by_label("Model", exact=True).fill("o9")
        page.get_by_label("Address of the endpoint").fill(endpoint.url)
        page.get_by_role("button", name="Add the judge").click()

        expect(page.get_by_text("Judge o9 added.")).to_be_visible()
        assert check_judge(Judge.objects.get(name="o9")) == []
        page.reload()
        expect(page.get_by_text("Only the default (1) is supported")).to_be_visible()
        faults = violations(page)
        page.get_by_role("button", name="Probe again at the next run").click()
        expect(page.get_by_text("The next run asks the endpoint again for what it refused.")).to_be_visible()

    assert Judge.objects.get(name="o9").probes == {}
    assert faults == []


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


PRESS_TWICE = """button => {
    const sent = [];
    const note = event => {
        sent.push(!event.defaultPrevented);
        event.preventDefault();
    };
    addEventListener("submit", note);
    button.click();
    button.click();
    removeEventListener("submit", note);
    return sent;
}"""


def test_a_form_is_sent_once_until_a_setting_changes(page, sign_in):
    sign_in("researcher")
    page.goto(reverse("run-new", args=[make_dataset().pk]))
    page.get_by_text("More settings").click()
    start = page.get_by_role("button", name="Start the run")
    expect(start).to_be_enabled()

    assert start.evaluate(PRESS_TWICE) == [True, False]
    with page.expect_response(page.url):
        page.get_by_label("Seed").fill("1")
    expect(start).to_be_enabled()

    assert start.evaluate(PRESS_TWICE) == [True, False]
    expect(page.locator("form[data-once]")).to_have_attribute("aria-busy", "true")
