"""Judges: the list, one judge, adding one, renaming and retiring one."""

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.refusals import Refused, unknown_choice
from judging import tasks
from judging.forms.judges import JudgeForm
from judging.models import Judge, Prompt, Run
from judging.services.deletion.row_deletion import may_delete
from judging.services.judges.judge_changes import forget_probes, may_change, rename_judge, retire_judge
from judging.services.judges.packaged_judges import PACKAGED, offers
from judging.web.form_fields import showing_refusals, telling_refusals
from judging.web.operations.new_judges import add_judge_of
from judging.web.role_checks import SignedInRequest, admins_only, researchers_only


@require_safe
@researchers_only
def judge_list(request: SignedInRequest) -> HttpResponse:
    """List all judges. Their numbers of runs count only runs that the user may see."""
    visible = Q(runs__in=Run.objects.visible_to(request.user).values("pk"))
    judges = Judge.objects.visible_to(request.user).annotate(run_count=Count("runs", filter=visible))
    return render(request, "judging/judges/list.html", {"judges": judges.order_by("name", "pk")})


@require_safe
@researchers_only
def judge_detail(request: SignedInRequest, judge_id: int) -> HttpResponse:
    judge = get_object_or_404(Judge.objects.visible_to(request.user).select_related("owner"), pk=judge_id)
    runs = Run.objects.visible_to(request.user).filter(judge=judge)
    context = {
        "judge": judge,
        "runs": runs.for_lists(),
        "prompts": Prompt.objects.filter(pk__in=runs.values("prompt")),
        "may_change": may_change(judge, request.user),
        "may_delete": may_delete(judge, request.user),
    }
    return render(request, "judging/judges/detail.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def judge_new(request: SignedInRequest) -> HttpResponse:
    form = JudgeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        with showing_refusals(form):
            judge = add_judge_of(request.user, form.sent)
            loaded = " Its model is loaded for its first run." if judge.runs_here else ""
            messages.success(request, f"Judge {judge} added.{loaded}")
            return redirect(judge)
    offered = offers() if request.user.is_admin else []
    return render(request, "judging/judges/new.html", {"form": form, "offers": offered})


@require_POST
@admins_only
def judge_install(request: SignedInRequest) -> HttpResponse:
    """Have a worker install a packaged judge."""
    name = request.POST.get("judge", "")
    with telling_refusals(request):
        if name not in PACKAGED:
            raise Refused(unknown_choice("judge", name, PACKAGED))
        tasks.start_installing(name)
    return redirect("judge-new")


@require_POST
@researchers_only
def judge_change(request: SignedInRequest, judge_id: int) -> HttpResponse:
    """Rename a judge, retire it, bring it back, or forget its probes: the name of the pressed button says which."""
    judge = get_object_or_404(Judge.objects.visible_to(request.user), pk=judge_id)
    if not may_change(judge, request.user):
        raise Http404("not their judge, or other people have runs of it")
    with telling_refusals(request):
        if "forget" in request.POST:
            forget_probes(judge)
            messages.success(request, "The next run asks the endpoint again for what it refused.")
            return redirect(judge)
        if "rename" in request.POST:
            rename_judge(judge, name=request.POST.get("name", ""))
        else:
            retire_judge(judge, retired="retire" in request.POST)
        messages.success(request, f"Judge {judge} is {'retired' if judge.is_retired else 'in use'}.")
    return redirect(judge)
