"""Label words after written texts: the keys and values of the texts are used, and the answers stay the same."""

import pytest
import torch

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.tree.tree_generation import TreeWriter
from evenhand.engine.local.tree.tree_scorer import TreeScorer
from evenhand.engine.local.written_texts import RequestPrompt
from evenhand.engine.questions.label_tokens import TokenRow
from tests.evenhand.engine.tiny_models import build_model

VOCABULARY = 50
LABELS = ((5,), (6,))


def requests():
    """Prompts of one context with different limits, so texts end one after another; one prompt asks twice."""
    torch.manual_seed(4)
    context, *ends = (tuple(torch.randint(3, VOCABULARY, (n,)).tolist()) for n in (30, 12, 9, 14, 3, 25))
    prompts = [*(context + end for end in ends), context + ends[0], ends[4]]
    limits = [11, 2, 8, 14, 5, 20, 17]
    return [RequestPrompt(ids, limit) for ids, limit in zip(prompts, limits, strict=True)]


def rows_after(batch, asked):
    """A row after each text of a batch. Its last token is the last written one, which did not run."""
    after = [asked[number].ids + text.ids for number, text in batch.items()]
    return [TokenRow(ids, LABELS, len(ids)) for ids in after]


def rows_at_prompts(batch, asked):
    """A row that ends with each prompt of a batch, before its text."""
    return [TokenRow(asked[number].ids, LABELS, asked[number].tokens) for number in batch]


@pytest.mark.parametrize(
    ("kind", "held"), [("llama", 4096), *((kind, 110) for kind in ("llama", "mistral", "qwen2", "gemma2", "gpt2"))]
)
def test_labels_after_held_texts_score_as_without_them(kind, held):
    model, asked = build_model(kind, VOCABULARY), requests()
    scorer = TreeScorer(model, TokenBudget(4096))
    writer = TreeWriter(model, pack_budget=TokenBudget(60), budget=TokenBudget(held), hold=scorer.hold)
    n_batches = 0

    for batch in writer.write_batches(asked):
        n_batches += 1
        after, prompts = rows_after(batch, asked), rows_at_prompts(batch, asked)
        for rows in (after, prompts):
            alone = [TreeScorer(model, TokenBudget(4096)).score([row]).values[0] for row in rows]
            assert scorer.score(rows).values == [pytest.approx(values, abs=1e-4) for values in alone]

    assert (n_batches > 1) == (held < 4096)


def test_held_texts_and_their_prompts_are_not_computed_again():
    model, asked = build_model("llama", VOCABULARY), requests()[:5]
    scorer = TreeScorer(model, TokenBudget(4096))
    writer = TreeWriter(model, pack_budget=TokenBudget(4096), budget=TokenBudget(4096), hold=scorer.hold)

    batches = writer.write_batches(asked)  # a reference keeps the batch held
    batch = next(batches)
    after_texts = rows_after(batch, asked)
    assert scorer.score(after_texts).computed_tokens == len(after_texts)


def test_texts_are_held_until_the_next_batch():
    held = []
    writer = TreeWriter(
        build_model("llama", VOCABULARY), pack_budget=TokenBudget(60), budget=TokenBudget(1), hold=held.append
    )

    for number, _ in enumerate(writer.write_batches(requests()[:3])):
        assert [len(rows) for rows in held] == [1, 0] * number + [1]

    assert [len(rows) for rows in held] == [1, 0] * 3


def test_texts_are_released_when_no_further_batch_is_asked_for():
    held = []
    writer = TreeWriter(
        build_model("llama", VOCABULARY), pack_budget=TokenBudget(60), budget=TokenBudget(1), hold=held.append
    )
    batches = writer.write_batches(requests()[:3])

    next(batches)
    batches.close()

    assert [len(rows) for rows in held] == [1, 0]


def test_plain_writing_holds_nothing():
    held = []
    model = build_model("llama", VOCABULARY)
    writer = TreeWriter(model, pack_budget=TokenBudget(60), budget=TokenBudget(4096), hold=held.append)

    writer.write(requests())

    assert held == []


def test_a_row_that_does_not_fit_next_to_held_texts_is_computed_without_them():
    model, asked = build_model("llama", VOCABULARY), requests()
    scorer = TreeScorer(model, TokenBudget(4096))
    writer = TreeWriter(model, pack_budget=TokenBudget(4096), budget=TokenBudget(4096), hold=scorer.hold)
    batches = writer.write_batches(asked)  # a reference keeps the batch held
    batch = next(batches)
    rows = rows_after(batch, asked)

    def run_out(module, given):
        if scorer._written:
            raise torch.OutOfMemoryError

    model.get_input_embeddings().register_forward_pre_hook(run_out)

    assert scorer._written
    assert None not in scorer.score(rows).values
