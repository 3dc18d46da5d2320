"""The visible time of a pair, as it is stored with the vote."""

from judging.models import Assignment, Vote
from tests.browser.voting import open_pair, press_and_wait, rest
from tests.campaigns import let_time_pass
from tests.judging.workers import wait_until


def test_time_on_task_leaves_out_the_time_for_which_the_page_was_hidden(page, clock, campaign):
    open_pair(page, campaign)
    let_time_pass(504_000)  # before the page reports any time: more than passed is cut
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""

    clock.fast_forward(3_000)
    page.evaluate(hide, True)
    wait_until(Assignment.objects.filter(visible_milliseconds__gte=3_000).exists, what="the time so far is stored")
    clock.fast_forward(500_000)
    page.evaluate(hide, False)
    clock.fast_forward(1_000)
    press_and_wait(page, "a")

    assert 4 <= Vote.objects.get().seconds < 500


def test_time_on_task_survives_a_reload(page, clock, campaign):
    open_pair(page, campaign)
    let_time_pass(5_000)
    clock.fast_forward(5_000)

    page.reload()
    rest(page)
    press_and_wait(page, "a")

    assert 5 <= Vote.objects.get().seconds < 60
