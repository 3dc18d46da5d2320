"""Prompts of a run that are longer than its judge takes, found before the first question.

Only for a model whose files are on this machine. Nobody but an endpoint knows its tokenizer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import NamedTuple

from django.db.models import Max
from django.db.models.functions import Length

from evenhand.engine import QuestionRefused
from evenhand.engine.questions.pair_questions import ANSWER_TOKENS
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.token_counts import load_file_renderer, window_in_files
from evenhand.prompting.methods import METHODS
from evenhand.refusals import Refused
from judging.models import Candidate, Dataset, Judge, Run
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.question_texts import CandidateIds, build_question, load_texts
from judging.services.plans.run_spec import Spec, worded_prompt

COUNTED_CHARACTERS = 1_500_000
"""Characters of the texts whose tokens are counted while somebody waits. Of a larger dataset it is a sample."""
CHARACTERS_OF_A_CALL = 100  # what a text costs besides its length
MOST_TOKENS_OF_A_CHARACTER = 4  # its bytes in UTF-8
FRAME_TOKENS = 1_000
"""A generous allowance for the words of a prompt and of a chat template."""
HOW_TO_SHORTEN = "shorten the prompt or the texts, leave out the longest contexts, or choose a judge that takes more"

DrawItems = Callable[[], tuple[Sequence[CandidateIds], int]]
"""Returns the items of a run drawn so far, and the number of items planned."""


@dataclass(frozen=True, slots=True)
class Window:
    """The tokens that a judge takes. written: those of them that it needs for its own text."""

    judge: str
    tokens: int
    written: int

    @property
    def prompt_tokens(self) -> int:
        return max(0, self.tokens - self.written)

    def __str__(self) -> str:
        less = f" ({self.tokens:,}, less {self.written:,} for its own text)" if self.written else ""
        return f'the {self.prompt_tokens:,} tokens that "{self.judge}" takes{less}'


def length_warning(judge: Judge, dataset: Dataset, spec: Spec, draw: DrawItems) -> str:
    """Say how many prompts are too long for the judge; empty for none, or where its files are not on this machine.

    Prompts are counted without reasoning, criteria and chat template. Raises Refused if all of them are too long.
    """
    tokens = window_in_files(judge.model, judge.revision) if judge.has_weights else None
    if tokens is None:
        return ""
    window = Window(judge.name, tokens, _written_tokens(spec))
    if MOST_TOKENS_OF_A_CHARACTER * _longest_characters(dataset) + FRAME_TOKENS <= window.prompt_tokens:
        return ""
    renderer = load_file_renderer(judge.model, judge.revision)
    if renderer is None:
        return ""
    items, planned = draw()
    try:
        lengths = _prompt_lengths(renderer, spec, _sample(items, _load_sizes(dataset)))
    except QuestionRefused:  # a dry run and the answers say why
        return ""
    too_long = sum(length > window.prompt_tokens for length in lengths)
    if too_long == len(lengths):
        raise Refused(f"judge: all {planned:,} prompts are longer than {window}; {HOW_TO_SHORTEN}")
    return _describe(max(1, round(planned * too_long / len(lengths))), planned, window) if too_long else ""


def warn_of_long_prompts(run: Run) -> None:
    """Store the warning of a run where the judge's files are, if it was created elsewhere. Raises Refused."""

    def draw() -> tuple[Sequence[CandidateIds], int]:
        return [tuple(item) for pairs in run.chunks.values_list("pairs", flat=True) for item in pairs], run.planned

    if not run.warning and (warning := length_warning(run.judge, run.dataset, run.spec, draw)):
        Run.objects.filter(pk=run.pk).update(warning=warning)


def _describe(too_long: int, planned: int, window: Window) -> str:
    return (
        f"About {too_long:,} of {planned:,} prompts are longer than {window}. Nothing is cut: they become errors. To "
        f"avoid this, {HOW_TO_SHORTEN}."
    )


def _written_tokens(spec: Spec) -> int:
    """Return the most tokens that the judge writes after a prompt before its answer is read; 0 for none."""
    generation = generation_in(spec)
    if generation.thinking:
        return generation.thinking.tokens
    if spec["prompt"].get("verdict"):
        return int(spec["prompt"]["reply_tokens"])
    return ANSWER_TOKENS if generation.samples else 0


def _longest_characters(dataset: Dataset) -> int:
    """Return a number of characters that no two texts of one context, with it and its reference, exceed."""
    longest = Candidate.objects.filter(context__dataset=dataset).aggregate(
        first=Max(Length("text")),
        second=Max(Length("text")),
        shown_context=Max(Length("context__text")),
        shown_reference=Max(Length("context__reference")),
    )
    return sum(length or 0 for length in longest.values())


class _TextSize(NamedTuple):
    """A candidate's context id, and the number of characters of its text and of its context's."""

    context: int
    text: int
    context_text: int


def _load_sizes(dataset: Dataset) -> dict[int, _TextSize]:
    """Load candidate id -> size for a whole dataset."""
    sized = Candidate.objects.filter(context__dataset=dataset).annotate(
        length=Length("text"), context_length=Length("context__text")
    )
    return {pk: _TextSize(*size) for pk, *size in sized.values_list("pk", "context_id", "length", "context_length")}


def _by_context(sizes: dict[int, _TextSize], items: Iterable[CandidateIds]) -> Iterable[list[CandidateIds]]:
    groups: dict[int, list[CandidateIds]] = defaultdict(list)
    for item in items:
        groups[sizes[item[0]].context].append(item)
    return groups.values()


def _sample(items: Sequence[CandidateIds], sizes: dict[int, _TextSize]) -> list[CandidateIds]:
    """Return the items of contexts of every length, the longest and the shortest among them; all of a small dataset."""

    def characters(some: Iterable[CandidateIds]) -> int:
        candidates = [sizes[candidate] for candidate in set(chain.from_iterable(some))]
        texts = sum(candidate.text + CHARACTERS_OF_A_CALL for candidate in candidates)
        return texts + candidates[0].context_text

    by_context = sorted(((characters(some), some) for some in _by_context(sizes, items)), reverse=True)
    step = ceil(sum(size for size, _ in by_context) / COUNTED_CHARACTERS)
    chosen = by_context if step == 1 else [*by_context[::step], by_context[-1]]
    return [item for _, some in chosen for item in some]


def _prompt_lengths(renderer: PromptRenderer, spec: Spec, items: Sequence[CandidateIds]) -> list[int]:
    """Return the tokens of prompts: of their texts, each counted once, and of the words around them.

    A token may merge a text with the words around it, so that some lengths are one or two tokens off.
    """
    texts, template = load_texts(items), spec["prompt"]["template"]
    contexts, candidates = (_count(renderer, some) for some in (texts.contexts, texts.candidates))
    of_context, of_first, of_second = (template.count(name) for name in ("<context>", "<A>", "<B>"))
    of_first += METHODS[spec["method"]["name"]].reads_likelihood  # the text follows the prompt

    def inside(item: CandidateIds) -> int:
        shown = of_context * contexts[texts.context_of[item[0]]] + of_first * candidates[item[0]]
        return shown + of_second * candidates[item[-1]]

    prompt = worded_prompt(spec).with_thinking(None)
    around = renderer.tokenised(build_question(prompt, texts, items[0])).longest_part - inside(items[0])
    return [around + inside(item) for item in items]


def _count(renderer: PromptRenderer, texts: dict[int, str]) -> dict[int, int]:
    """Return the tokens of texts by id."""
    ids = renderer.tokenizer(list(texts.values()), add_special_tokens=False).input_ids
    return {pk: len(tokens) for pk, tokens in zip(texts, ids, strict=True)}
