"""Texts that an endpoint writes: the request for one, and what its reply holds."""

from dataclasses import replace

from evenhand.engine.endpoint.request_form import DEFAULT_TEMPERATURE, RequestBody, RequestForm
from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.pair_questions import Generation, Request
from evenhand.engine.replies.endpoint_reply import EndpointReply
from evenhand.engine.replies.reading_problems import problem_of_text


def generation_body(form: RequestForm, model: str, request: Request) -> RequestBody:
    """Return the request for a text. Raises QuestionRefused for settings that the endpoint does not take."""
    if request.max_new_tokens < 1 or request.temperature < 0:
        raise QuestionRefused(
            f"max_new_tokens is {request.max_new_tokens} and temperature {request.temperature}; "
            "max_new_tokens must be at least 1, and temperature must not be negative"
        )
    if not form.can_sample(request.temperature):
        raise QuestionRefused(
            f"the endpoint has only its own temperature, which counts as {DEFAULT_TEMPERATURE:g}; "
            f"the run asks for {request.temperature:g}: start a run with temperature {DEFAULT_TEMPERATURE:g}"
        )
    return form.generation_body(model, request)


def generation_of(request: Request, reply: EndpointReply) -> Generation:
    """Return the text of a reply, or why there is none, with its cost."""
    cost = Generation(
        prompt_tokens=reply.prompt_tokens,
        generated_tokens=reply.generated_tokens,
        thinking=reply.reasoning,
        thinking_tokens=reply.thinking_tokens,
    )
    if reply.finish_reason == "content_filter":
        return replace(cost, error="the endpoint's content filter stopped the text")
    if request.thinking and not reply.words.strip() and reply.has_thought:
        return replace(cost, problem=problem_of_text(reply, lambda text: None), complete=False)
    if reply.refusal or reply.text is None:
        reason = reply.refusal or reply.finish_reason or "no reason given"
        return replace(cost, error=f"the endpoint gave no text: {reason}", text=reply.refusal.strip())
    tokens = reply.tokens if request.alternatives else ()
    return replace(cost, text=reply.text.strip(), complete=not reply.is_cut, tokens=tokens)
