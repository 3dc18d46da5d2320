"""Pseudonyms, and the search of every byte of a package for names."""

import io
from zipfile import ZipFile

import pytest
from django.core.management import call_command

from evenhand.formats import VoteRecord
from judging.models import GuidelinesText, User
from judging.services.publishing.package_pseudonyms import Pseudonyms, VoteNames
from tests.factories import answer_run, make_judge, make_run
from tests.published_packages import ANNOTATORS, OWN_RATER, make_study, published

SECRETS = ("sk-secret", "MY_API_KEY", "internal.example.org", "/home/", "rosalinde")


def test_a_rater_has_one_pseudonym_in_a_package_and_another_in_the_next():
    one, other = Pseudonyms(), Pseudonyms()

    assert one.of("ann") == one.of("ann") != one.of("ben")
    assert one.of("ann") != other.of("ann")
    assert "ann" not in one.of("ann")


def test_a_published_vote_has_no_time_and_no_reason():
    given = {"voted_at": "2026-05-01T09:30:00+00:00", "excluded": True, "exclude_reason": "Bo slept"}
    vote = VoteRecord("overall", "a", "b", "tie", "ann", **given)

    published = VoteNames(Pseudonyms()).replaced(vote)

    assert (published.voted_at, published.excluded, published.exclude_reason) == ("", True, "")


@pytest.mark.django_db
def test_no_byte_of_a_package_names_a_person_or_a_secret(tmp_path):
    dataset = make_study()
    GuidelinesText.objects.update(text="Read both texts. Questions: mail annegret.secretname@example.org")
    endpoint = {"base_url": "https://internal.example.org/v1", "api_key_env": "MY_API_KEY"}
    answer_run(make_run(dataset, judge=make_judge("hosted", backend="openai", model="gpt-4", **endpoint)))
    answer_run(make_run(dataset, judge=make_judge("folder", model="/home/annegret/models/llama")))
    codes = [user.rater_name for user in User.objects.all()]

    published(tmp_path / "study.zip")

    content = b"".join(files_of(tmp_path / "study.zip").values()).lower()
    people = [*ANNOTATORS, *ANNOTATORS.values(), OWN_RATER, *codes]
    assert [word for word in (*people, *SECRETS) if word.lower().encode() in content] == []
    assert b"llama" in content


@pytest.mark.django_db
def test_guidelines_without_names_are_in_the_data_card(tmp_path):
    make_study()

    published(tmp_path / "study.zip")

    assert b"> Read both texts." in files_of(tmp_path / "study.zip")["study/README.md"]


@pytest.mark.django_db
@pytest.mark.parametrize("guidelines", ["Ask Annegret.", "Ask somebody@example.com."])
def test_guidelines_that_may_name_a_person_are_left_out(tmp_path, guidelines):
    make_study()
    GuidelinesText.objects.update(text=guidelines)

    call_command("publish", "--dataset", "Study", "--output", str(tmp_path / "study.zip"))

    card = files_of(tmp_path / "study.zip")["study/README.md"].decode()
    assert guidelines not in card
    assert "are left out, because they may name a person" in card


def files_of(path):
    """Return name -> bytes of the files in a ZIP file."""
    archive = ZipFile(io.BytesIO(path.read_bytes()))
    return {name: archive.read(name) for name in archive.namelist()}
