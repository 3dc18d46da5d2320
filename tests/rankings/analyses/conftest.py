import pytest

from judging.models import Run
from tests.factories import make_user
from tests.rankings.analyses.worlds import context, judged, page, steered
from tests.rankings.repeats.repeated_judging import repeat
from tests.rankings.studies import make_dataset


@pytest.fixture(scope="module")
def world(rows_of_module):
    """Runs on a dataset that has two repeats of another run. Tests share them and their cached figures."""
    owner = make_user("rita", "researcher")
    dataset = make_dataset([context(number) for number in range(12)], owner=owner)
    for seed in (1, 2):
        repeat(dataset, seed=seed, firsts=range(seed), owner=owner)
    run = judged(dataset, owner=owner)
    elsewhere = judged(make_dataset([context(1)], name="Other"))
    return {"run": run.pk, "steered": steered(run).pk, "elsewhere": elsewhere.pk}


@pytest.fixture
def run(request, world, client):
    """The run that an analysis is about. Its owner is signed in."""
    name = "steered" if request.node.callspec.params["analysis"].name == "shift" else "run"
    run = Run.objects.select_related("dataset__owner").get(pk=world[name])
    client.force_login(run.dataset.owner)
    return run


@pytest.fixture
def shown(client, world, analysis, run):
    """The page of the analysis without options, which tests share."""
    if ("page of", analysis.name) not in world:
        world["page of", analysis.name] = page(client, analysis, run)
    return world["page of", analysis.name]
