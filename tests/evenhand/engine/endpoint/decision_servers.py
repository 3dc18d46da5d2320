"""Fake decision models, in the manner of vLLM's and OpenAI's, from their published schemas."""

from math import exp

from tests.evenhand.engine.endpoint.misbehaving_server import status

CHOICES = ("Summary A", "Summary B")


def share(instructions):
    """Return the probability of the first choice: the shorter the second text, the larger."""
    return 1 / (1 + exp(len(instructions) / 50 - 1))


def decisions(body):
    """Like vLLM's and OpenAI's /v1/decisions: unknown fields are refused, and answers are a list."""
    if set(body) != {"model", "input", "questions"}:
        return status(400, f"Extra inputs are not permitted: {sorted(body)}")
    if len(body["questions"]) > 2:
        return status(400, "questions: at most 2 for this model")
    answers = []
    for one in body["questions"]:
        assert set(one) == {"type", "instructions", "choices"}
        first, second = (choice["value"] for choice in one["choices"])
        p = share(one["instructions"])
        given = [{"value": first, "probability": p}, {"value": second, "probability": 1 - p}]
        answers.append(
            {"type": "choice", "name": None, "choice": first, "probabilities": given, "confidence": max(p, 1 - p)}
        )
    return {"model": "judge", "answers": answers, "usage": {"input_tokens": 31, "output_tokens": 2}}


def system_one(body):
    """Like vLLM's /v1/systemone, which also says how much probability fell on the labels."""
    assert set(body) == {"model", "state", "questions"}
    shares = {name: share(one["instructions"]) for name, one in body["questions"].items()}
    answers = {
        name: {
            "type": "choice",
            "choice": CHOICES[p < 0.5],
            "probabilities": dict(zip(CHOICES, (p, 1 - p), strict=True)),
        }
        for name, p in shares.items()
    }
    diagnostics = {name: {"label_mass": 0.5, "argmax_is_label": True} for name in shares}
    usage = {"input_tokens": 100 * len(shares), "output_tokens": len(shares)}
    return {"model": "judge", "answers": answers, "usage": usage, "diagnostics": diagnostics}
