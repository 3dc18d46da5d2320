import torch

from benchmarks.judging.gpu import Card, measured, random_llama
from benchmarks.judging.operations import keys_seen, tree_of, useful_operations
from benchmarks.judging.prompts import VOCABULARY, Shape
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.questions.label_tokens import LabelledPrompt

CPU = torch.device("cpu")


def small_llama():
    return random_llama(1, 16, device=CPU, dtype=torch.float32)


def test_useful_operations_count_what_prompts_share_once():
    shared = tuple(range(100, 110))
    endings = [tuple(range(200, 202)), tuple(range(300, 303))]
    tree = tree_of([LabelledPrompt((), shared + ending, (1,), (2,)) for ending in endings])

    operations = useful_operations(small_llama(), tree, predicted=2)

    weights = 4 * 16 * 16 + 3 * 16 * 43  # of attention, and of what follows it
    keys = sum(range(1, 11)) + (11 + 12) + (11 + 12 + 13)
    assert keys_seen(tree) == keys
    assert operations == 2 * weights * (10 + 2 + 3) + 4 * 16 * keys + 2 * VOCABULARY * 16 * 2


def test_the_benchmark_of_a_gpu_runs_on_a_cpu():
    model = small_llama()

    line = measured(
        CausalModel(model), model, Card("CPU", 1e9), shape=Shape("small", 20, 3, 8), contexts=2, attributes=2
    )

    assert (line.attributes, line.contexts, line.comparisons) == (2, 2, 2 * 6 * 2)
    assert line.tokens_computed < line.tokens_given / 2
    assert max(line.error, line.peer_error) < 1e-5


def test_errors_of_half_precision_are_those_against_float32():
    model = random_llama(1, 16, device=CPU, dtype=torch.bfloat16)

    line = measured(
        CausalModel(model), model, Card("CPU", 1e9), shape=Shape("small", 20, 3, 8), contexts=1, attributes=1
    )

    assert 1e-5 < line.error < 0.05
    assert 1e-5 < line.peer_error < 0.05
    assert model.dtype == torch.bfloat16
