"""The commands that delete: they only list what goes, unless the name confirms it."""

import pytest

from judging.models import Dataset
from tests.commands import printed_json, refused
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def test_a_dataset_is_listed_without_a_name_and_deleted_with_it_alone(capsys):
    make_dataset()

    listed = printed_json(capsys, "delete_dataset", "Summaries")
    problems = refused(capsys, "delete_dataset", "Summaries", "--confirm", "summaries")
    kept = Dataset.objects.count()
    gone = printed_json(capsys, "delete_dataset", "Summaries", "--confirm", "Summaries")

    assert (listed["deleted"], kept) == (False, 1)
    assert problems == ['name: "summaries" is not its name — type Summaries to delete it']
    assert (gone["deleted"], Dataset.objects.count()) == (True, 0)
