"""A run that a user requests, before it is stored: its size, plan and spec, and why it may be impossible."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from evenhand.engine.model_folders import lacks_thinking
from evenhand.prompting.criteria import CriteriaPrompt
from evenhand.prompting.methods import COMPARATIVE, METHODS
from evenhand.refusals import Refusals, Refused, raise_if_any
from judging.models import Attribute, Dataset, Judge, Prompt, Run
from judging.models.exclusions import anchor_problems, exclusion_problems
from judging.services.judges.metric_judges import metric_problems
from judging.services.plans.added_sentences import AddedSentence
from judging.services.plans.generation_settings import (
    DEFAULT_GENERATION,
    GenerationSettings,
    generation_in,
    generation_problems,
)
from judging.services.plans.run_plan import PlanSize, RunPlan, make_plan, make_scoring_plan, plan_size, scoring_size
from judging.services.plans.run_spec import Spec, criteria_prompt_in, prompt_text, worded_prompt, wording_of
from judging.services.plans.selection_settings import (
    EVERY_PAIR,
    SelectionSettings,
    scoring_problems,
    selection_of,
    selection_problems,
)

JUDGE_FIELDS = ("backend", "model", "revision", "dtype", "device", "base_url")

ENDPOINT_FIELDS = ("dialect", "ask_by")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The configuration of a run.

    criteria: the prompt by which the judge writes criteria; None for none.
    sentence: what a robustness run adds to one candidate of each pair; None for an ordinary run.
    in_batches: an endpoint answers in batches. It changes time and price, not the answers, so it is not in the spec.
    """

    dataset: Dataset
    attribute: Attribute
    judge: Judge
    prompt: Prompt
    selection: SelectionSettings = EVERY_PAIR
    generation: GenerationSettings = DEFAULT_GENERATION
    criteria: CriteriaPrompt | None = None
    in_batches: bool = False
    sentence: AddedSentence | None = None

    @property
    def is_scoring(self) -> bool:
        """True if the judge scores each candidate alone instead of comparing pairs."""
        return METHODS[self.prompt.method].is_scoring

    def size(self) -> PlanSize:
        """Count what the run would ask. Raises Refused if it is impossible."""
        if self.is_scoring:
            return scoring_size(self.dataset, selection=self.selection)
        return plan_size(self.dataset, selection=self.selection)

    def plan(self) -> RunPlan:
        """Draw the items of the run, in chunks. Raises Refused like `size`."""
        if self.is_scoring:
            return make_scoring_plan(self.dataset, selection=self.selection)
        return make_plan(self.dataset, selection=self.selection)

    def count_reasonings(self, *, planned: int, candidates: int) -> int:
        """Count the texts of reasoning that the judge writes before its answers. planned: the answers."""
        method = self.prompt.method_record
        if not method.reasons:
            return 0
        if method.reasons_once:
            return 1
        return planned if method.reasons_about_pairs else candidates

    def count_criteria(self) -> int:
        """Count the contexts for which the judge writes criteria."""
        return self.size().contexts if self.criteria else 0

    def spec(self) -> Spec:
        """Build the spec. It holds every text in full, so that later changes cannot alter what was asked."""
        prompt, reasoning_tokens = asdict(prompt_text(self.prompt)), self.prompt.method_record.reasoning_tokens
        unused = [] if self.prompt.label_tie else ["label_tie"]
        unused += [] if self.prompt.verdict else ["verdict", "verdict_place", "reply_tokens"]
        for name in unused:  # so that specs of prompts without them keep their hash
            del prompt[name]
        return {
            "dataset": {"name": self.dataset.name, "sha256": self.dataset.sha256},
            "wording": asdict(wording_of(self.dataset, self.attribute)),
            "judge": _judge_spec(self.judge),
            "prompt": prompt,
            "method": {"name": self.prompt.method} | ({"max_new_tokens": reasoning_tokens} if reasoning_tokens else {}),
            **self.selection.spec(),
            **self.generation.spec(),
            **({"metrics": asdict(self.criteria)} if self.criteria else {}),
            **(self.sentence.spec() if self.sentence else {}),
        }


def _judge_spec(judge: Judge) -> Spec:
    """Return the judge's part of a spec. Settings of an endpoint that are not used leave the hash as it was."""
    spec = {name: getattr(judge, name) for name in JUDGE_FIELDS}
    return spec | {name: getattr(judge, name) for name in ENDPOINT_FIELDS if getattr(judge, name)}


class RunSizes:
    """Counts the questions of runs, once for all runs that differ only in judge, prompt, attribute or seed."""

    def __init__(self) -> None:
        self._sizes: dict[tuple[int, bool, SelectionSettings], PlanSize | Refused] = {}

    def size_of(self, request: RunRequest) -> PlanSize:
        """Return the size of a run. Raises Refused if it asks nothing, or its selection does not fit."""
        key = request.dataset.pk, request.is_scoring, replace(request.selection, seed=0)
        if key not in self._sizes:
            self._sizes[key] = _size_or_refusal(request)
        size = self._sizes[key]
        if isinstance(size, Refused):
            raise size
        return size


def _size_or_refusal(request: RunRequest) -> PlanSize | Refused:
    if not request.dataset.has_texts():
        return Refused(f'dataset: "{request.dataset.name}" has no texts, so there is nothing to ask a judge about')
    try:
        return request.size()
    except Refused as refused:
        return refused


def checked_spec(request: RunRequest, *, sizes: RunSizes | None = None) -> Spec:
    """Return the spec of a possible run. Raises Refused with every problem if the run is impossible.

    sizes: of other runs too, so that runs with the same pairs are counted once.
    """
    raise_if_any(request_problems(request))
    (sizes or RunSizes()).size_of(request)
    return request.spec()


def checked_specs(requests: Sequence[RunRequest], *, sizes: RunSizes | None = None) -> list[Spec]:
    """Return the specs of possible runs. Raises Refused with every problem of every run, each once."""
    sizes, refusals = sizes or RunSizes(), Refusals()
    specs = [refusals.of(partial(checked_spec, request, sizes=sizes)) for request in requests]
    refusals.raise_if_any()
    return [spec for spec in specs if spec is not None]


def request_problems(request: RunRequest) -> list[str]:
    """Return why a run is impossible, apart from the size of its dataset, which `RunRequest.size` checks."""
    problems = selection_problems(request.selection)
    problems += exclusion_problems(request.dataset, request.selection.exclusion)
    problems += anchor_problems(request.dataset, request.selection.anchor)
    if request.attribute.dataset_id != request.dataset.pk:
        problems.append(
            f'attribute: "{request.attribute.name}" belongs to another dataset than "{request.dataset.name}"'
        )
    if not request.judge.can_be_asked:
        kind = "a jury" if request.judge.is_jury else "a name for recorded judgments"
        problems.append(f'judge: "{request.judge.name}" is {kind}; it cannot be asked')
    if request.judge.is_retired:
        problems.append(f'judge: "{request.judge.name}" is retired; choose another, or bring it back into use')
    if request.prompt.method not in METHODS:
        methods = ", ".join(METHODS)
        return [*problems, f'method: a judge is not asked by "{request.prompt.method}"; choose one of: {methods}']
    return [*problems, *_method_problems(request), *_wording_problems(request)]


def _method_problems(request: RunRequest) -> list[str]:
    """Return why the method does not fit the selection, the judge or the other settings."""
    method = METHODS[request.prompt.method]
    problems = scoring_problems(request.selection) if request.is_scoring else []
    problems += metric_problems(request.dataset, judge=request.judge, prompt=request.prompt)
    writes = method.reasons or request.criteria is not None or bool(request.prompt.verdict)
    problems += generation_problems(request.generation, method=request.prompt.method, writes_first=writes)
    judge = request.judge
    if request.generation.thinking and judge.has_weights and lacks_thinking(judge.model, judge.revision):
        problems.append(
            f'thinking: on — the chat template of the judge "{judge.name}" has no thinking; leave it off, or choose '
            "a model that can think"
        )
    if request.criteria and not method.takes_criteria:
        able = ", ".join(name for name, one in METHODS.items() if one.takes_criteria)
        problems.append(f"metrics: method {request.prompt.method} does not show them; leave them out, or use: {able}")
    problems += _sentence_problems(request) if request.sentence else []
    if request.in_batches and not request.judge.is_endpoint:
        problems.append(f'batch: "{request.judge.name}" is no endpoint; leave batch out')
    if request.judge.is_endpoint and not method.runs_at_endpoints:
        problems.append(
            f'judge: "{request.judge.name}" is an endpoint, which does not return the likelihood of a given text; '
            f"method {request.prompt.method} needs a model that runs here"
        )
    if method.reads_decision and (not judge.is_endpoint or request.in_batches):
        what = "batch" if judge.is_endpoint else "judge"
        problems.append(f"{what}: method {method.name} asks a decision model at an endpoint, and not in batches")
    return problems


def _sentence_problems(request: RunRequest) -> list[str]:
    """Return why no sentence can be added. Only the texts of a pair may change, and the pairs must stay the same."""
    method, problems = METHODS[request.prompt.method], []
    if method.is_scoring or not method.has_labels:
        problems.append(
            f"sentence: method {method.name} compares no two texts in one prompt; choose {COMPARATIVE.name}"
        )
    elif request.prompt.method_record.reasons:
        problems.append(
            f"sentence: method {method.name} reasons about texts before it compares them, and runs share this; "
            f"choose {COMPARATIVE.name}, or a prompt that asks for reasoning and verdict in one reply"
        )
    if request.selection.is_adaptive:
        problems.append(
            f"sentence: the selection {request.selection.rule} chooses pairs by answers, so both runs would ask other "
            "pairs; choose full or random"
        )
    return problems


def _wording_problems(request: RunRequest) -> Sequence[str]:
    """Return why the prompt does not fit the dataset's wording. `_method_problems` reports unsupported criteria."""
    takes_criteria = METHODS[request.prompt.method].takes_criteria
    try:
        worded_prompt((request if takes_criteria else replace(request, criteria=None)).spec())
    except Refused as refusal:
        return refusal.problems
    return ()


def robustness_request(run: Run, sentence: AddedSentence) -> RunRequest:
    """Return the request for a run like this one with an added sentence.

    Raises Refused if the run was not judged here, has a sentence itself, or could not be asked the same way today.
    """
    if run.prompt is None or not run.judge.can_be_asked:
        raise Refused(f"run: {run.pk} was recorded or combined; only runs that were judged here can be asked again")
    if run.asks_null_pairs:
        raise Refused(f"run: {run.pk} compares texts with themselves; name a run that compares different ones")
    if run.added_sentence:
        raise Refused(f'run: {run.pk} has the sentence "{run.added_sentence}" itself; name the run without it')
    request = RunRequest(
        *(run.dataset, run.attribute, run.judge, run.prompt),
        selection_of(run),
        generation_in(run.spec),
        criteria_prompt_in(run.spec),
        run.in_batches,
        sentence,
    )
    now = request.spec()
    if changed := [part for part in now if part != "steering" and now[part] != run.spec.get(part)]:
        raise Refused(f"run: {', '.join(changed)} changed since run {run.pk}; judge it again without a sentence first")
    return request
