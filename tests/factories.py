"""Small rows for tests, without random values."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.db.models import F
from django.utils import timezone

from evenhand.prompting.templates import PromptText
from judging.models import Attribute, Candidate, Chunk, Comparison, Context, Dataset, Judge, Prompt, Run, User
from judging.services.accounts.api_tokens import create_token
from judging.services.execution.reasoning import find_criteria_prompt
from judging.services.plans.generation_settings import DEFAULT_GENERATION, GenerationSettings
from judging.services.plans.selection_settings import EVERY_PAIR, SelectionSettings
from judging.services.prompts.prompt_library import add_prompt
from judging.services.runs.run_lifecycle import create_runs
from judging.services.runs.run_request import RunRequest


def make_dataset(
    name: str = "Summaries",
    *,
    candidates: tuple[int, ...] = (3, 3),
    attributes: tuple[str, ...] = ("coherence",),
    definition: str = "",
    owner: User | None = None,
) -> Dataset:
    """A dataset. candidates: their number in each context. Keys of contexts: c0, c1 …; of candidates: a, b …"""
    dataset = Dataset.objects.create(
        name=name, sha256=f"hash of {name}", candidate_noun="summary", source_format="evenhand", owner=owner
    )
    for position, attribute in enumerate(attributes):
        Attribute.objects.create(dataset=dataset, name=attribute, definition=definition, position=position)
    contexts = [
        Context(dataset=dataset, key=f"c{position}", text=f"Article {position}.", position=position)
        for position in range(len(candidates))
    ]
    Context.objects.bulk_create(contexts)
    for context, number in zip(contexts, candidates, strict=True):
        Candidate.objects.bulk_create(
            Candidate(
                context=context,
                key=candidate_key(position),
                system=f"system-{candidate_key(position)}",
                text=f"Summary {candidate_key(position)} of article {context.position}.",
                position=position,
            )
            for position in range(number)
        )
    return dataset


def candidate_key(position: int) -> str:
    """Return a letter for the positions 0 to 25, then the number itself."""
    return chr(ord("a") + position) if position < 26 else str(position)


def make_judge(name: str = "tiny", *, model: str = "some/model", backend: str = "transformers", **fields: str) -> Judge:
    return Judge.objects.create(name=name, backend=backend, model=model, **{"device": "cpu"} | fields)


def shipped_prompt(name: str = "comparative-1") -> Prompt:
    return Prompt.objects.get(name=name)


def make_prompt(name: str = "terse", *, owner: User | None = None, **changes: str | int) -> Prompt:
    """A prompt that a user or, without `owner`, the command line added."""
    wording = {
        "version": 1,
        "method": "comparative",
        "template": "<A> or <B>?",
        "label_first": " A",
        "label_second": " B",
    }
    return add_prompt(PromptText(name=name, **wording | changes), user=owner)


def make_run(
    dataset: Dataset | None = None,
    *,
    judge: Judge | None = None,
    prompt: str | Prompt = "comparative-1",
    attribute: str = "",
    selection: SelectionSettings = EVERY_PAIR,
    generation: GenerationSettings = DEFAULT_GENERATION,
    criteria: str = "",
    in_batches: bool = False,
    owner: User | None = None,
) -> Run:
    """A run without answers. attribute: a name; default: the dataset's first."""
    dataset = dataset or make_dataset()
    attributes = dataset.attributes.filter(name=attribute) if attribute else dataset.attributes
    request = RunRequest(
        dataset,
        attributes.first(),
        judge or Judge.objects.filter(name="tiny").first() or make_judge(),
        shipped_prompt(prompt) if isinstance(prompt, str) else prompt,
        selection,
        generation,
        find_criteria_prompt(criteria) if criteria else None,
        in_batches,
    )
    return create_runs([request], owner=owner)[0]


def answer_run(run: Run, *, p_first: float = 0.7) -> Run:
    """Store the same answer to every pair and mark the run as done."""
    pairs = [pair for chunk in run.chunks.order_by("pk") for pair in chunk.pairs]
    context_of = dict(Candidate.objects.filter(context__dataset=run.dataset).values_list("pk", "context_id"))
    Comparison.objects.bulk_create(
        Comparison(
            run=run, context_id=context_of[first], first_id=first, second_id=second, outcome="answered", p_first=p_first
        )
        for first, second in pairs
    )
    run.chunks.update(status=Chunk.Status.DONE)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.DONE)
    note_answers(run)
    run.refresh_from_db()
    return run


def note_answers(run: Run) -> None:
    """Note that the answers of a run changed, as the services do that change them."""
    Run.objects.filter(pk=run.pk).update(answer_changes=F("answer_changes") + 1)


def make_token(user: User, **chosen: object) -> str:
    """A new token of a user, as programs send it."""
    return create_token(user, **chosen).secret


def make_user(name: str, *roles: str) -> User:
    """A user whose password is the name."""
    user = User.objects.create_user(name, password=name, last_seen=timezone.now())  # so requests do not note it again
    user.groups.set(Group.objects.filter(name__in=roles))
    return user
