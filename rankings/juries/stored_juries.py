"""Makes a jury of runs and stores its answers as a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any

import numpy as np

from evenhand.numerics.juries.judge_weights import JudgeWeights
from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused
from evenhand.report_json import Help, IfAny
from judging.models import NOTHING_LEFT_OUT, Attribute, Dataset, Run, User
from judging.models.datasets import PART_FIELD, choice_of_part_problems
from judging.services.datasets.combined_runs import CombinedAnswer, store_combined_run
from judging.web.options import Offered, find_rows
from rankings.juries.jury_answers import (
    JURY_METHOD,
    RULES,
    JuryAnswers,
    align_members,
    combine_answers,
    require_members,
    require_probabilities,
)
from rankings.loading import CandidateTable
from rankings.repeats.repeated_answers import RepeatedAnswers
from rankings.report.report_choice import SUBSET, ReportChoice
from rankings.report.report_rows import Sources

WEIGHTED = "weighted"
DESCRIBED_RULES = {
    name: f"{rule.title[:1].upper()}{rule.title[1:]}. {rule.description}" for name, rule in RULES.items()
}


@dataclass(frozen=True, slots=True)
class JuryMember:
    """A member of a jury.

    Only the rule `weighted` gives a weight and a bias in nats, with 95 % intervals over contexts.
    """

    run: int
    judge: str
    prompt: str
    answers: Annotated[int, Help("Comparisons that the member answered.")]
    share: Annotated[float, Help("Part of the comparisons answered by any member that this member answered.")]
    weight: IfAny[float] = None
    low: IfAny[float] = None
    high: IfAny[float] = None
    bias: IfAny[float] = None
    bias_low: IfAny[float] = None
    bias_high: IfAny[float] = None


@dataclass(frozen=True, slots=True)
class Jury:
    """A stored jury.

    partly_answered: comparisons that only some members answered, which are not in it.
    chosen_on: the part of the contexts on which its weights were learned; "" for cross-fitting, or without weights.
    """

    run: Run
    by: str
    comparisons: int
    partly_answered: int
    members: tuple[JuryMember, ...]
    chosen_on: str = ""

    @property
    def title(self) -> str:
        """Name of its rule."""
        return RULES[self.by].title

    @property
    def has_weights(self) -> bool:
        return self.by == WEIGHTED

    @classmethod
    def of_run(cls, run: Run) -> "Jury":
        """Read a jury from the spec of its run."""
        made_of = run.spec[JURY_METHOD]
        some = made_of["comparisons"] + made_of["partly_answered"]
        members = tuple(
            JuryMember(share=one["answers"] / some, **{name: one.get(name) for name in _STORED})
            for one in made_of["members"]
        )
        return cls(run, made_of["by"], made_of["comparisons"], made_of["partly_answered"], members, run.chosen_on)


def juries_of(runs: Sequence[Run]) -> list[Jury]:
    """Return the juries among the runs, the latest first."""
    return [Jury.of_run(run) for run in reversed(runs) if run.method == JURY_METHOD and JURY_METHOD in run.spec]


@dataclass(frozen=True, slots=True)
class JuryRow:
    """A jury as JSON. partly_answered: comparisons that only some members answered; they are not in the jury."""

    run: int
    judge: str
    method: str
    by: str
    attribute: str
    comparisons: int
    partly_answered: int
    chosen_on: Annotated[
        str | None, Help("Part of the contexts on which its weights were learned; null if cross-fitted.")
    ]
    members: tuple[JuryMember, ...]

    @classmethod
    def of(cls, jury: Jury) -> "JuryRow":
        run, counts = jury.run, (jury.comparisons, jury.partly_answered)
        names = (run.judge.name, run.method, jury.by, run.attribute.name)
        return cls(run.pk, *names, *counts, jury.chosen_on or None, jury.members)


_STORED = ("run", "judge", "prompt", "answers", "weight", "low", "high", "bias", "bias_low", "bias_high")


def make_jury(
    owner: User | None = None,
    *,
    name: Annotated[str, Option("Tables list the jury under this name, like a judge.", "Name", longest=200)],
    run: Annotated[
        Sequence[Run],
        Option(
            "Finished runs of one attribute that compare pairs: two or more, or one to calibrate.", "Members", row="run"
        ),
    ],
    by: Annotated[str, Option("How answers are combined.", "Rule", choices=DESCRIBED_RULES)],
    choose_on: Annotated[
        str, Option("development: learn the weights on this part of a split dataset.", "Learn weights")
    ] = "",
    attribute: Annotated[
        Attribute | None, Option("Leave out the runs of other attributes.", row="attribute", key="name")
    ] = None,
) -> Jury:
    """Combine the answers of runs on the pairs that all of them answered, and store them as a run of method `jury`.

    Raises Refused, with every reason, if the runs cannot be members of one jury.
    """
    runs = [one for one in run if attribute is None or one.attribute_id == attribute.pk]
    require_members(runs, least=RULES[by].least)
    if choose_on:
        _require_development(runs[0].dataset, by, choose_on)
    _require_untuned(runs, by)
    exclusion = NOTHING_LEFT_OUT
    for one in runs:
        exclusion |= one.exclusion
    sources = Sources(
        runs[0].dataset, ReportChoice(exclusion=exclusion, subsets_by=PART_FIELD if choose_on else SUBSET)
    )
    answered = [sources.answers(one).comparisons for one in runs]
    if not RULES[by].decides:
        answered = [one.known() for one in answered]
    if len(runs) == 1:
        require_probabilities(answered[0], runs[0])
    members = align_members(answered, runs)
    learn_on = np.array([part == choose_on for part in sources.table.subsets]) if choose_on else None
    combined = combine_answers(by, members, sources.people(runs[0].attribute), learn_on=learn_on)
    stored = store_combined_run(
        runs[0].attribute,
        _answers(sources.table, members, combined, decides=RULES[by].decides),
        judge_name=name,
        method=JURY_METHOD,
        rule=by,
        made_of=_made_of(runs, by, members, combined, [len(one) for one in answered])
        | ({"chosen_on": choose_on} if choose_on else {}),
        exclusion=exclusion,
        owner=owner,
    )
    return Jury.of_run(stored)


def _require_development(dataset: Dataset, by: str, choose_on: str) -> None:
    problems = [*choice_of_part_problems(dataset, choose_on)]
    if by != "weighted":
        problems.append(f'choose_on: only the rule "weighted" learns from people; leave it out for "{by}"')
    if problems:
        raise Refused(*problems)


def _require_untuned(runs: Sequence[Run], by: str) -> None:
    """Raise Refused if weights would be learned from members that have seen the same preferences."""
    tuned = [run for run in runs if run.has_learned_weights]
    if by == "weighted" and tuned:
        names = ", ".join(f"run {run.pk}" for run in tuned)
        raise Refused(
            f"run: {names} has weights learned from the same people, so new weights would be measured on contexts that "
            "they were learned on; name its members instead, or choose majority, mean or product"
        )


def _answers(
    table: CandidateTable, members: RepeatedAnswers, combined: JuryAnswers, *, decides: bool
) -> Iterator[CombinedAnswer]:
    first, second = table.ids[members.pairs.first].tolist(), table.ids[members.pairs.second].tolist()
    for pair in zip(first, second, combined.p_first.tolist(), strict=True):
        yield CombinedAnswer(*pair, decides=decides)


def _made_of(
    runs: Sequence[Run], by: str, members: RepeatedAnswers, combined: JuryAnswers, answered: Sequence[int]
) -> dict[str, Any]:
    """Describe the members and the weights, for the spec of the run."""
    described = [
        {
            "run": run.pk,
            "judge": run.judge.name,
            "prompt": run.prompt_name,
            "spec_sha256": run.spec_hash,
            "answers": number,
            **({"demo": True} if run.is_demo else {}),
        }
        for run, number in zip(runs, answered, strict=True)
    ]
    made_of: dict[str, Any] = {
        "by": by,
        "members": described,
        "comparisons": len(members.pairs),
        "partly_answered": members.partly_answered,
        "answers_sha256": sha256(members.p_first.tobytes()).hexdigest(),
    }
    if combined.learned is not None:
        for number, one in enumerate(described):
            one.update(_weight_of(combined.learned, number))
    if combined.by_fold:
        made_of["weights_by_fold"] = [one.weights.tolist() for one in combined.by_fold]
    return made_of


def _weight_of(learned: JudgeWeights, member: int) -> dict[str, float | None]:
    values = {
        "weight": learned.weights,
        "low": learned.low,
        "high": learned.high,
        "bias": learned.biases,
        "bias_low": learned.bias_low,
        "bias_high": learned.bias_high,
    }
    return {name: _number(numbers[member]) for name, numbers in values.items()}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


JURY_OPTIONS = options_of(make_jury)


def jury_settings(dataset: Dataset, values: Mapping[str, Any], *, user: User | None) -> dict[str, Any]:
    """Return the options as `make_jury` takes them. user: None for the shell. Raises Refused with every problem."""
    read = read_options(JURY_OPTIONS, values)
    runs = Run.objects.filter(dataset=dataset).select_related("dataset", "attribute", "judge", "prompt")
    offered = {
        "run": Offered(runs if user is None else runs.visible_to(user), f" on {dataset.name} that you may see"),
        "attribute": Offered(dataset.attributes.all(), f" on {dataset.name}"),
    }
    return read | find_rows(JURY_OPTIONS, read, offered)
