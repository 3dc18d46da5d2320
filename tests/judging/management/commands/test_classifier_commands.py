"""Reward models and pairwise classifiers, added and asked with commands."""

import json

import pytest
from django.core.management import call_command

from judging.models import Judge, Run
from tests.evenhand.engine.classifier_models import save_classifier
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def printed(capsys, *arguments):
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_reward_model_scores_every_text_of_a_dataset(capsys, tmp_path):
    make_dataset(candidates=(3, 2))
    folder = save_classifier(tmp_path, "llama")
    call_command("add_judge", "rm", "--backend", "metric", "--model", f"reward:{folder}", "--device", "cpu")
    capsys.readouterr()

    (row,) = printed(capsys, "judge", "--dataset", "Summaries", "--judge", "rm")["runs"]

    run = Run.objects.get(pk=row["run"])
    values = set(run.scores.values_list("value", flat=True))
    assert (row["scores"], row["errors"], row["prompt"], len(values)) == (5, 0, "against-context", 5)
    assert run.environment["signature"] == f"reward model|model:{folder}|input:pair of texts|score:logit"


def test_pairwise_classifier_compares_every_pair_of_a_dataset(capsys, tmp_path):
    make_dataset(candidates=(3, 2))
    folder = save_classifier(tmp_path, "bert", labels=2)
    call_command("add_judge", "pw", "--backend", "transformers", "--model", str(folder), "--device", "cpu")
    capsys.readouterr()

    (row,) = printed(capsys, "judge", "--dataset", "Summaries", "--judge", "pw")["runs"]

    values = Run.objects.get(pk=row["run"]).comparisons.values_list("p_first", flat=True)
    assert (row["comparisons"], row["errors"]) == (8, 0)
    assert all(0 < value < 1 for value in values)
    assert Judge.objects.get(name="pw").has_weights
