"""Gold pairs and repeats by command."""

import pytest

from tests.campaigns import make_campaign
from tests.commands import printed, printed_json, refused

pytestmark = pytest.mark.django_db


def test_check_people_adds_gold_pairs_and_changes_shares(capsys, tmp_path):
    campaign = make_campaign()
    gold = tmp_path / "gold.csv"
    gold.write_text("context,first,second,answer\nc0,b,a,first\nc1,a,c,tie\n")

    change = ("check_people", "--campaign", campaign.name, "--gold", gold, "--repeat-share", "0.2")
    result = printed_json(capsys, *change)

    assert (result["repeat_share"], result["gold_share"], len(result["gold_pairs"])) == (0.2, 0.1, 2)
    assert printed(capsys, "check_people", "--campaign", campaign.name) == (
        "Which is better?: repeat share 0.2 (0 votes), gold share 0.1 (2 pairs)\n"
        "c0: a against b, answer b, 0 of 0 votes right\n"
        "c1: a against c, answer tie, 0 of 0 votes right\n"
    )


def test_check_people_changes_nothing_if_one_part_is_refused(capsys, tmp_path):
    campaign = make_campaign()
    gold = tmp_path / "gold.csv"
    gold.write_text("context,first,second,answer\nc0,b,a,first\n")

    change = ("check_people", "--campaign", campaign.name, "--gold", gold, "--gold-share", "2")

    assert refused(capsys, *change) == ["gold_share: 2 — give a number from 0 to 1"]
    assert not campaign.pairs.filter(purpose="gold").exists()


def test_check_people_names_a_misspelt_campaign(capsys):
    make_campaign()

    assert 'did you mean "Which is better?"' in refused(capsys, "check_people", "--campaign", "Which is beter?")[0]
