"""The preview of new runs: their number, size and examples, and what they take, before anything is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from judging.forms.runs import RunForm
from judging.models import Choice as VoteChoice
from judging.models import Dataset, Judge, Prompt, Run, User, Vote
from judging.services.judges.endpoint_budgets import pauses_of
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.run_plan import PlanSize
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_preview import PromptExample, prompt_example
from judging.services.runs.progress import count_outcomes
from judging.services.runs.run_estimates import RunsEstimate, estimates_by_judge
from judging.services.runs.run_lifecycle import find_run, length_warnings
from judging.services.runs.run_request import RunRequest, RunSizes, checked_specs
from judging.services.runs.run_settings import run_requests


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The runs with one prompt.

    noun: "comparison" or "score". size: of one run. total: comparisons or scores without an answer, of the runs of all
    judges and attributes.
    """

    prompt: Prompt
    noun: str
    size: PlanSize
    total: int
    example: PromptExample


@dataclass(frozen=True, slots=True)
class RunsPreview:
    """The runs that the form would start, prompt by prompt.

    estimates: what the runs of each judge take. warnings: prompts that are too long.
    generation: sampling settings. criteria: name of the prompt for self-generated criteria; empty for none.
    needless_tie: the judge may answer with a tie although no vote is one. begun: the runs that exist.
    """

    judges: Sequence[Judge]
    prompts: Sequence[PromptPreview]
    attributes: int
    estimates: Sequence[RunsEstimate]
    warnings: Sequence[str]
    generation: GenerationSettings
    criteria: str
    needless_tie: bool
    begun: Sequence[Run]

    @property
    def runs(self) -> int:
        return len(self.judges) * self.attributes * len(self.prompts)

    @property
    def totals(self) -> dict[str, int]:
        """Return the number of comparisons and of scores, by noun."""
        totals = Counter[str]()
        for one in self.prompts:
            totals[one.noun] += one.total
        return dict(totals)

    @property
    def has_endpoint(self) -> bool:
        return any(judge.is_endpoint for judge in self.judges)

    @property
    def asks_only_endpoints(self) -> bool:
        return all(judge.is_endpoint for judge in self.judges)


def chosen_runs(dataset: Dataset, form: RunForm) -> list[RunRequest]:
    """Return the chosen runs: one for each judge, attribute and prompt."""
    chosen = form.cleaned_data
    return run_requests(dataset, *(chosen[name] for name in ("attributes", "judges", "prompts")), chosen=chosen)


def preview_runs(dataset: Dataset, form: RunForm, *, user: User) -> RunsPreview:
    """Preview the chosen runs. Raises Refused with every problem of every run."""
    requests, sizes = chosen_runs(dataset, form), RunSizes()
    checked_specs(requests, sizes=sizes)
    judges, attributes, prompts = (list(form.cleaned_data[name]) for name in ("judges", "attributes", "prompts"))
    begun = [find_run(request, owner=user) for request in requests]
    asked = [
        sizes.size_of(request).comparisons - (sum(count_outcomes(run).values()) if run else 0)
        for request, run in zip(requests, begun, strict=True)
    ]
    return RunsPreview(
        judges=judges,
        prompts=[
            prompt_preview(one, sizes.size_of(one), total=sum(asked[place :: len(prompts)]))
            for place, one in enumerate(requests[: len(prompts)])
        ],
        attributes=len(attributes),
        estimates=estimates_by_judge(zip(requests, asked, strict=True), known=Run.objects.visible_to(user)),
        warnings=[*dict.fromkeys(filter(None, length_warnings(requests))), *pauses_of(judges, user.pk)],
        generation=requests[0].generation,
        needless_tie=is_tie_needless(form),
        criteria=form.cleaned_data["metrics"],
        begun=[run for run in begun if run],
    )


def is_tie_needless(form: RunForm) -> bool:
    if not any(prompt.offers_tie for prompt in form.cleaned_data["prompts"]):
        return False
    ties = Vote.objects.in_figures().filter(attribute__in=form.cleaned_data["attributes"], choice=VoteChoice.TIE)
    return not ties.exists()


def prompt_preview(request: RunRequest, size: PlanSize, *, total: int) -> PromptPreview:
    """Preview the runs with one prompt."""
    return PromptPreview(
        prompt=request.prompt,
        noun="score" if request.is_scoring else "comparison",
        size=size,
        total=total,
        example=prompt_example(prompt_text(request.prompt), request.attribute, metrics=request.criteria),
    )
