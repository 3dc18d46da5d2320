"""Prompts: the list, one prompt, adding one."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from judging.exceptions import Refused
from judging.forms.prompts import ExampleForm, PromptForm, initial_of
from judging.models import Attribute, Prompt, Run
from judging.prompting.methods import COMPARATIVE, PROMPTED
from judging.prompting.templates import PromptText
from judging.services.execution.criteria import count_runs_by_criteria_prompt, runs_with_criteria
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_library import add_prompt, may_add_version, problems_of, prompts_of
from judging.services.prompts.prompt_preview import Example, example, metrics_example
from judging.web.access import SignedInRequest, researchers_only
from judging.web.form_problems import put_beside_fields


@require_safe
@researchers_only
def prompt_list(request: SignedInRequest) -> HttpResponse:
    """Prompts are shared; the number of runs counts only those that this person may see."""
    visible = Q(runs__in=Run.objects.visible_to(request.user).values("pk"))
    prompts = Prompt.objects.select_related("owner").annotate(run_count=Count("runs", filter=visible))
    prompts = prompts.order_by(*Prompt._meta.ordering or ())  # which a count forgets
    after = count_runs_by_criteria_prompt(Run.objects.visible_to(request.user))
    rows = [(prompt, prompt.run_count + after[prompt.label]) for prompt in prompts]
    return render(request, "judging/prompts/list.html", {"rows": rows})


@require_safe
@researchers_only
def prompt_detail(request: SignedInRequest, prompt_id: int) -> HttpResponse:
    prompt = get_object_or_404(Prompt.objects.select_related("owner"), pk=prompt_id)
    form = ExampleForm(request.user, request.GET if "attribute" in request.GET else None)
    context: dict[str, object] = {
        "prompt": prompt,
        "may_add_version": may_add_version(prompt, request.user),
        "versions": Prompt.objects.filter(name=prompt.name).exclude(pk=prompt.pk),
        "runs": runs_with(prompt, request),
        "form": form,
    }
    if form.is_bound and form.is_valid():
        context["example"] = shown_on(form, prompt_text(prompt))
    return render(request, "judging/prompts/detail.html", context)


def runs_with(prompt: Prompt, request: SignedInRequest) -> list[Run]:
    runs = Run.objects.visible_to(request.user)
    runs = runs.filter(prompt=prompt) if prompt.method_record.asks else runs_with_criteria(runs, prompt)
    return list(runs.with_progress().select_related("dataset", "attribute", "judge", "owner"))


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def prompt_new(request: SignedInRequest) -> HttpResponse:
    """A prompt under a new name; it begins with the text of the one in `from`."""
    begun = begun_with(request)
    form = PromptForm(
        request.user, request.POST or None, initial=initial_of(begun) | {"source": f"After {begun.label}."}
    )
    return added(request, form, {"begun": begun})


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def prompt_version(request: SignedInRequest, prompt_id: int) -> HttpResponse:
    """The next version of a prompt; it begins with the text of this one."""
    prompt = get_object_or_404(Prompt, pk=prompt_id)
    if not may_add_version(prompt, request.user):
        raise Http404("somebody else's")
    newest = Prompt.objects.newest().get(name=prompt.name)
    initial = initial_of(prompt) | {"version": newest.version + 1}
    form = PromptForm(request.user, request.POST or None, initial=initial, versioned=prompt)
    return added(request, form, {"prompt": prompt, "begun": prompt})


def begun_with(request: SignedInRequest) -> Prompt:
    given = request.GET.get("from", "")
    if given.isdecimal():
        return get_object_or_404(Prompt, pk=int(given))
    return prompts_of(COMPARATIVE.name)[0]


def added(request: SignedInRequest, form: PromptForm, context: dict[str, object]) -> HttpResponse:
    """Store what was typed, or show it with everything that is wrong, or with how it reads."""
    if request.method == "POST" and form.is_valid():
        prompt = form.prompt()
        put_beside_fields(form, problems_of(prompt, user=request.user))
        try:
            if form.is_valid() and "store" in request.POST:
                return stored(request, prompt)
            context["example"] = shown_on(form, prompt) if form.is_valid() else None
        except Refused as refused:
            put_beside_fields(form, refused.problems)
    return render(request, "judging/prompts/new.html", context | {"form": form, "placeholders": placeholders()})


def placeholders() -> list[dict[str, str | bool | list[str]]]:
    """What the question and the first step of each method must contain. shows_none: whether that step shows no text."""
    return [
        {
            "method": name,
            "template": sorted(method.template),
            "reasoning": sorted(method.reasoning or ()),
            "shows_none": method.reasons_once,
        }
        for name, method in PROMPTED.items()
        if method.takes_own_prompts
    ]


def stored(request: SignedInRequest, prompt: PromptText) -> HttpResponse:
    """Raises Refused where somebody was faster."""
    row = add_prompt(prompt, user=request.user)
    messages.success(request, f"The prompt {row.label} is stored. It stays as it is; another wording is a new version.")
    return redirect(row)


def shown_on(form: ExampleForm, prompt: PromptText) -> Example | None:
    """How it reads where the form says, and what keeps it from being read there beside the choice."""
    attribute: Attribute | None = form.cleaned_data["attribute"]
    if attribute is None:
        return None
    try:
        asks = PROMPTED[prompt.method].asks
        return example(prompt, attribute) if asks else metrics_example(prompt, attribute)
    except Refused as refused:
        for problem in refused.problems:
            form.add_error("attribute", problem)
        return None
