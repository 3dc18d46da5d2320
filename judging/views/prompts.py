"""Prompts: the list, one prompt, adding one."""

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from evenhand.prompting.methods import COMPARATIVE, PROMPTED
from evenhand.prompting.templates import PromptText
from evenhand.refusals import Refused
from judging.forms.prompts import PLACE_TITLES, ExampleForm, PromptForm, initial_values
from judging.models import Attribute, Prompt, Run
from judging.services.execution.reasoning import count_runs_by_criteria_prompt, runs_with_criteria
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_library import add_prompt, may_add_version, new_prompt_problems, prompts_of
from judging.services.prompts.prompt_preview import PromptExample, criteria_example, prompt_example
from judging.web.form_fields import add_problems_to_fields, showing_refusals
from judging.web.role_checks import SignedInRequest, researchers_only


@require_safe
@researchers_only
def prompt_list(request: SignedInRequest) -> HttpResponse:
    """List all prompts. Their numbers of runs count only runs that the user may see."""
    visible = Q(runs__in=Run.objects.visible_to(request.user).values("pk"))
    prompts = Prompt.objects.select_related("owner").annotate(run_count=Count("runs", filter=visible))
    prompts = prompts.order_by(*Prompt._meta.ordering or ())  # an aggregate drops the default ordering
    after = count_runs_by_criteria_prompt(Run.objects.visible_to(request.user))
    rows = [(prompt, prompt.run_count + after[prompt.label]) for prompt in prompts]
    return render(request, "judging/prompts/list.html", {"rows": rows})


@require_safe
@researchers_only
def prompt_detail(request: SignedInRequest, prompt_id: int) -> HttpResponse:
    prompt = get_object_or_404(Prompt.objects.select_related("owner"), pk=prompt_id)
    form = ExampleForm(request.user, request.GET if "attribute" in request.GET else None)
    runs = Run.objects.visible_to(request.user)
    runs = runs.filter(prompt=prompt) if prompt.method_record.asks else runs_with_criteria(runs, prompt)
    context: dict[str, object] = {
        "prompt": prompt,
        "may_add_version": may_add_version(prompt, request.user),
        "versions": Prompt.objects.filter(name=prompt.name).exclude(pk=prompt.pk),
        "runs": list(runs.for_lists()),
        "form": form,
        "verdict_place": PLACE_TITLES.get(prompt.verdict_place, prompt.verdict_place),
    }
    if form.is_bound and form.is_valid():
        context["example"] = example_for(form, prompt_text(prompt))
    return render(request, "judging/prompts/detail.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def prompt_new(request: SignedInRequest) -> HttpResponse:
    """Add a prompt under a new name. The form starts from the prompt in `from`."""
    copied = request.GET.get("from", "")
    template = get_object_or_404(Prompt, pk=int(copied)) if copied.isdecimal() else prompts_of(COMPARATIVE.name)[0]
    form = PromptForm(
        request.user, request.POST or None, initial=initial_values(template) | {"source": f"After {template.label}."}
    )
    return show_or_add(request, form, {"copied": template})


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def prompt_version(request: SignedInRequest, prompt_id: int) -> HttpResponse:
    """Add the next version of a prompt. The form starts from this version."""
    prompt = get_object_or_404(Prompt, pk=prompt_id)
    if not may_add_version(prompt, request.user):
        raise Http404("not their prompt")
    newest = Prompt.objects.newest().get(name=prompt.name)
    initial = initial_values(prompt) | {"version": newest.version + 1}
    form = PromptForm(request.user, request.POST or None, initial=initial, versioned=prompt)
    return show_or_add(request, form, {"prompt": prompt, "copied": prompt})


def show_or_add(request: SignedInRequest, form: PromptForm, context: dict[str, object]) -> HttpResponse:
    """Add the prompt, or show the form with its problems or with an example."""
    if request.method == "POST" and form.is_valid():
        prompt = form.prompt()
        add_problems_to_fields(form, new_prompt_problems(prompt, user=request.user))
        with showing_refusals(form):
            if form.is_valid() and "store" in request.POST:
                return add_and_redirect(request, prompt)
            context["example"] = example_for(form, prompt) if form.is_valid() else None
    return render(request, "judging/prompts/new.html", context | {"form": form, "placeholders": placeholders()})


def placeholders() -> list[dict[str, str | bool | list[str]]]:
    """Return the placeholders that each method requires.

    template, reasoning: placeholders of the question and of the reasoning prompt.
    shows_none: True if the reasoning prompt shows no text.
    """
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


def add_and_redirect(request: SignedInRequest, prompt: PromptText) -> HttpResponse:
    """Raises Refused if another user has just taken the name."""
    row = add_prompt(prompt, user=request.user)
    messages.success(request, f"Prompt {row.label} added. It never changes; another wording is a new version.")
    return redirect(row)


def example_for(form: ExampleForm, prompt: PromptText) -> PromptExample | None:
    """Return an example of the prompt for the chosen attribute. Problems are added to that field."""
    attribute: Attribute | None = form.cleaned_data["attribute"]
    if attribute is None:
        return None
    try:
        asks = PROMPTED[prompt.method].asks
        return prompt_example(prompt, attribute) if asks else criteria_example(prompt, attribute)
    except Refused as refused:
        for problem in refused.problems:
            form.add_error("attribute", problem)
        return None
