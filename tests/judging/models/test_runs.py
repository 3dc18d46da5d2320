"""Properties and annotations of runs."""

import hashlib

import pytest

from judging.models import Run, Score
from tests.factories import answer_run, make_dataset, make_run


def test_fingerprint_is_the_hash_of_what_was_asked_and_what_answered():
    run = Run(spec={"seed": 1, "prompt": "é"}, environment={"dtype": "float32"})

    canonical = '{"environment":{"dtype":"float32"},"spec":{"prompt":"é","seed":1}}'
    assert run.fingerprint == hashlib.sha256(canonical.encode()).hexdigest()


def test_fingerprint_differs_between_two_versions():
    one, other = (Run(spec={"seed": 1}, environment={"torch": version}) for version in ("2.13.0", "2.14.0"))

    assert one.fingerprint != other.fingerprint


def test_run_has_no_fingerprint_before_anything_answered():
    assert Run(spec={"seed": 1}).fingerprint == ""


@pytest.mark.django_db
def test_with_progress_counts_comparisons_scores_unparsed_answers_and_errors():
    dataset = make_dataset(candidates=(3, 3))
    compared, scored = answer_run(make_run(dataset)), make_run(dataset, prompt="scoring-1")
    answer_run(make_run(dataset))
    ids = list(compared.comparisons.values_list("pk", flat=True))
    compared.comparisons.filter(pk__in=ids[:3]).update(outcome="error", p_first=None)
    compared.comparisons.filter(pk__in=ids[3:5]).update(outcome="unparsed", p_first=None)
    compared.comparisons.filter(pk__in=ids[5:6]).update(p_first=None, choice="tie")
    for candidate in dataset.contexts.get(key="c0").candidates.all():
        Score.objects.create(run=scored, context_id=candidate.context_id, candidate=candidate, outcome="unparsed")

    counts = Run.objects.with_progress().order_by("pk").values_list("asked", "errors", "unparsed")

    assert list(counts) == [(12, 3, 2), (3, 0, 3), (12, 0, 0)]
