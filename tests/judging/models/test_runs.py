"""What a run says of itself."""

import hashlib

from judging.models import Run


def test_fingerprint_is_the_hash_of_what_was_asked_and_what_answered():
    run = Run(spec={"seed": 1, "prompt": "é"}, environment={"dtype": "float32"})

    canonical = '{"environment":{"dtype":"float32"},"spec":{"prompt":"é","seed":1}}'
    assert run.fingerprint == hashlib.sha256(canonical.encode()).hexdigest()


def test_fingerprint_tells_runs_of_two_versions_apart():
    one, other = (Run(spec={"seed": 1}, environment={"torch": version}) for version in ("2.13.0", "2.14.0"))

    assert one.fingerprint != other.fingerprint


def test_run_has_no_fingerprint_before_anything_answered():
    assert Run(spec={"seed": 1}).fingerprint == ""
