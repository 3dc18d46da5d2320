import pytest
import torch

from evenhand.engine.local.encoder_decoder import Seq2SeqModel
from evenhand.engine.local.t5.packed_t5 import packing_refusal
from evenhand.engine.questions.label_tokens import LabelledPrompt
from evenhand.engine.settings import Batching
from tests.evenhand.engine.local.t5.t5_models import KINDS, VOCABULARY, build
from tests.evenhand.engine.tiny_models import build_model


def prompts(labels=((3,), (4,))):
    """Prompts of one token, of more tokens than T5's longest distance, and one prompt twice."""
    torch.manual_seed(5)
    texts = [tuple(torch.randint(3, VOCABULARY, (n,)).tolist()) for n in (40, 1, 170, 40, 300)]
    return [LabelledPrompt(text, (0, 7), *labels) for text in [*texts, texts[0]]]


def one_by_one(model, prompt):
    """Log-probabilities of the two labels, each in a pass of its own."""
    found = []
    for label in (prompt.first_ids, prompt.second_ids):
        ids = torch.tensor([prompt.given_ids + label[:-1]])
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([prompt.encoder_ids]), decoder_input_ids=ids).logits[0]
        predicted = logits[len(prompt.given_ids) - 1 :].log_softmax(-1)
        found.append(sum(float(row[token]) for row, token in zip(predicted, label, strict=True)))
    return found


@pytest.mark.parametrize("labels", [((3,), (4,)), ((9, 3), (12,)), ((9, 3, 5, 6, 8), (12, 5, 6))])
@pytest.mark.parametrize("kind", KINDS)
def test_packed_prompts_score_as_each_does_alone(kind, labels):
    model = build(kind)
    packed = Seq2SeqModel(model)

    scored = packed.score(prompts(labels))

    assert packed.batching is Batching.PACKED
    assert scored.values == [pytest.approx(one_by_one(model, prompt), rel=1e-6, abs=1e-5) for prompt in prompts(labels)]


def test_answers_depend_on_the_order_of_the_tokens():
    packed = Seq2SeqModel(build("T5 1.1"))
    ids = prompts()[0].encoder_ids

    one, other = packed.score([LabelledPrompt(text, (0,), (3,), (4,)) for text in (ids, ids[::-1])]).values

    assert abs(one[0] - other[0]) > 1e-3  # else the test above would show nothing about distances


def test_packed_prompts_stay_near_in_a_smaller_dtype():
    model = build("T5 1.1")
    expected = [one_by_one(model, prompt) for prompt in prompts()]

    packed = Seq2SeqModel(model.to(torch.bfloat16))

    found = packed.score(prompts()).values
    assert packed.batching is Batching.PACKED
    assert (torch.tensor(found) - torch.tensor(expected)).abs().mean() < 0.1


def test_activations_in_one_pass_are_the_same_function():
    model = build("T5 1.1")
    states = torch.linspace(-9, 9, 2_001)
    spelled_out = model.encoder.block[0].layer[1].DenseReluDense.act

    Seq2SeqModel(model)

    fuse_operations = model.encoder.block[0].layer[1].DenseReluDense.act
    assert fuse_operations is not spelled_out
    assert torch.allclose(fuse_operations(states), spelled_out(states), rtol=1e-6, atol=1e-6)


def test_a_model_attends_afterwards_as_before():
    model = build("T5 1.0")
    before = (model.encoder.config._attn_implementation, one_by_one(model, prompts()[0]))

    Seq2SeqModel(model).score(prompts())

    assert (model.encoder.config._attn_implementation, one_by_one(model, prompts()[0])) == before


def test_a_model_of_another_kind_runs_in_padded_batches():
    model = Seq2SeqModel(build_model("bart", VOCABULARY))

    assert model.batching is Batching.PADDED
    assert model.batching_note == "only T5's encoder is known to go without padding"


def test_packing_is_refused_when_numbers_differ():
    model = build("T5 1.0")
    model.encoder.register_forward_hook(
        lambda module, given, found: found.__setitem__("last_hidden_state", found[0] + 1)
    )

    assert packing_refusal(model).startswith("its log-probabilities would differ by ")


def test_packing_is_refused_when_parts_have_other_names():
    model = build("T5 1.0")
    model.decoder.block[1].layer[1].CrossAttention = model.decoder.block[1].layer[1].EncDecAttention
    del model.decoder.block[1].layer[1].EncDecAttention

    assert packing_refusal(model).startswith("its prompts cannot be packed (AttributeError: ")
