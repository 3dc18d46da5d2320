"""What a run says of itself."""

import hashlib

import pytest

from judging.models import Run, Score
from tests.factories import answer_run, make_dataset, make_run


def test_fingerprint_is_the_hash_of_what_was_asked_and_what_answered():
    run = Run(spec={"seed": 1, "prompt": "é"}, environment={"dtype": "float32"})

    canonical = '{"environment":{"dtype":"float32"},"spec":{"prompt":"é","seed":1}}'
    assert run.fingerprint == hashlib.sha256(canonical.encode()).hexdigest()


def test_fingerprint_tells_runs_of_two_versions_apart():
    one, other = (Run(spec={"seed": 1}, environment={"torch": version}) for version in ("2.13.0", "2.14.0"))

    assert one.fingerprint != other.fingerprint


def test_run_has_no_fingerprint_before_anything_answered():
    assert Run(spec={"seed": 1}).fingerprint == ""


@pytest.mark.django_db
def test_runs_tell_how_many_of_their_comparisons_or_scores_have_a_row():
    dataset = make_dataset(candidates=(3, 3))
    compared, scored = answer_run(make_run(dataset)), make_run(dataset, prompt="scoring-1")
    for candidate in dataset.contexts.get(key="c0").candidates.all():
        Score.objects.create(run=scored, context_id=candidate.context_id, candidate=candidate, outcome="unparsed")

    assert dict(Run.objects.with_progress().values_list("pk", "asked")) == {compared.pk: 12, scored.pk: 3}
