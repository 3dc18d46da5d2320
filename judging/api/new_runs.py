"""The request body that starts runs, and its objects by name."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from evenhand.options import Option, options_of
from evenhand.prompting.methods import METHODS
from evenhand.refusals import Refusals, Refused, did_you_mean
from judging.models import Attribute, Dataset, Judge, Prompt, User
from judging.services.judges.metric_judges import default_method, default_prompts
from judging.services.names import named_row
from judging.services.prompts.prompt_library import prompts_named, prompts_of
from judging.services.runs.run_request import RunRequest
from judging.services.runs.run_settings import LONGEST_NAME, RUN_OPTIONS, SETTING_FIELDS, run_requests, run_settings
from judging.web.api_input import request_of

LARGEST_SEED, MOST_NAMES = 2**63 - 1, 1_000


def has_lists(asked: dict[str, Any]) -> bool:
    """Return True if the request has lists, so that the response is a list of runs."""
    return bool(asked["attributes"] or asked["prompts"])


OneName = Annotated[str, Option(longest=LONGEST_NAME)]
SeveralNames = Annotated[Sequence[str], Option("A run starts for each.", most=MOST_NAMES, longest=LONGEST_NAME)]


def requested_runs(
    user: User,
    *,
    dataset: OneName,
    judge: OneName,
    attribute: OneName = "",
    attributes: SeveralNames = (),
    method: Annotated[
        str, Option("Default: comparative; for metrics: metric.", choices={name: name for name in METHODS})
    ] = "",
    prompt: Annotated[str, Option("Default: the first of the method.", longest=LONGEST_NAME)] = "",
    prompts: SeveralNames = (),
    **chosen: Any,  # noqa: ANN401 - the values of RUN_OPTIONS
) -> list[RunRequest]:
    """Return one run for each attribute and prompt. Raises Refused with every problem.

    Without method, the prompts of a list may have several methods.
    """
    refusals = Refusals()
    for name, one, several in (("attribute", attribute, attributes), ("prompt", prompt, prompts)):
        if one and several:
            refusals.problems.append(f"{name}: {name}s is given too; give only one of them")
    if not (attribute or attributes):
        refusals.problems.append("attribute: needed")
    refusals.raise_if_any()
    data = refusals.of(partial(named_row, Dataset, dataset, user))
    asked = refusals.of(partial(attributes_named, data, attributes or [attribute]))
    row = refusals.of(partial(named_row, Judge, judge, user))
    named = refusals.of(partial(_prompts, row, method, [prompt] if prompt else prompts, bool(prompts))) if row else None
    refusals.of(partial(run_settings, **{name: chosen[name] for name in SETTING_FIELDS}))
    refusals.raise_if_any()
    if data is None or asked is None or row is None or named is None:
        raise AssertionError("nothing was refused")
    return run_requests(data, asked, [row], named, chosen=chosen)


DRY_RUN_OF_RUNS = Option(
    "Start nothing, and return what the runs would ask and take.", name="dry_run", kind=bool, default=False
)
NEW_RUN_OPTIONS = (*options_of(requested_runs), *RUN_OPTIONS, DRY_RUN_OF_RUNS)
NewRunSerializer = request_of(NEW_RUN_OPTIONS, name="NewRunSerializer")


def attributes_named(dataset: Dataset | None, names: Sequence[str]) -> list[Attribute]:
    """Return the named attributes in order, each once."""
    known = {attribute.name: attribute for attribute in Attribute.objects.filter(dataset=dataset)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(*(f'attribute: there is no "{name}"{did_you_mean(name, known)}' for name in unknown))
    return [known[name] for name in dict.fromkeys(names)]


def _prompts(judge: Judge, method: str, names: Sequence[str], is_list: bool) -> list[Prompt]:
    if is_list and not method:
        return prompts_named(names)
    method = method or default_method(judge)
    return prompts_of(method, names or default_prompts(judge, method=method))
