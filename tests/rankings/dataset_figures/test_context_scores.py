"""The scores of judges that score candidates one by one, on the page of a context's answers."""

import pytest
from django.urls import reverse

from judging.models import Score
from tests.rankings.pages import hide
from tests.rankings.studies import compared, make_dataset, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

SCORES = "context,attribute,candidate,score\nc0,overall,a,0.25\nc0,overall,b,0.75\nc1,overall,a,9\n"


@pytest.fixture
def dataset(researcher):
    return make_dataset()


def scores_of(client, dataset):
    context = dataset.contexts.get(key="c0")
    return client.get(reverse("context-answers", args=[context.pk])).context["judge_scores"]


def test_scores_equal_the_stored_ones_lack_what_the_run_leaves_out_and_say_why(client, dataset):
    run = scored(dataset, SCORES)
    compared(dataset)

    [line] = scores_of(client, dataset)

    assert line.run == run
    assert [(score.value, score.missing) for score in line.scores] == [(0.25, ""), (0.75, ""), (None, "not asked")]

    run.spec["without"] = {"systems": ["T"], "contexts": []}
    run.save()

    [line] = scores_of(client, dataset)

    assert [score.missing for score in line.scores] == ["", "not asked", "not asked"]

    Score.objects.filter(run=run, candidate__context__key="c0", candidate__key="a").update(
        outcome="unparsed", value=None
    )

    [line] = scores_of(client, dataset)

    assert (line.scores[0].value, line.scores[0].missing) == (None, "unparsed")


def test_scores_of_a_hidden_run_are_not_shown(client, dataset):
    hide(scored(dataset, SCORES))

    assert scores_of(client, dataset) == []
