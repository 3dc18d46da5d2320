"""BERTScore against its definition in plain loops over a model's layers: of random weights, and of a real encoder."""

import pytest
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertForMaskedLM

from evenhand.engine import LoadFailed
from evenhand.engine.metrics.bertscore import greedy_f1
from tests.evenhand.engine.metrics.questions import against_reference, open_metric
from tests.evenhand.engine.tiny_models import train_tokenizer
from tests.real_model import real_encoder

LAYERS, TAKEN, WINDOW = 3, 2, 64
PAIRS = [
    ("The old captain painted the boat.", "The boat was painted by the captain at the pier."),
    ("Summary A", " Which Summary is more coherent, Summary A or Summary B?\n"),
    ("x", "x"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bert")
    tokenizer = train_tokenizer(opening="<s>", closing="</s>", limit=WINDOW)
    tokenizer.add_special_tokens({"cls_token": "<s>", "sep_token": "</s>"})
    torch.manual_seed(5)
    sizes = {"hidden_size": 32, "num_hidden_layers": LAYERS, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=WINDOW, pad_token_id=0, **sizes)
    BertForMaskedLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def states(folder, text, layer=TAKEN):
    """The states of the tokens of a text after the layer; the two tokens around it apart."""
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        outputs = model(**tokenizer(text.strip(), return_tensors="pt"), output_hidden_states=True)
    return outputs.hidden_states[layer][0]


def plain_f1(candidate, other):
    """F1 of the most similar tokens. Tokens around a text are matched, but not counted."""

    def mean_of_best(ones, others):
        best = [max(float(torch.cosine_similarity(one, two, dim=0)) for two in others) for one in ones[1:-1]]
        return sum(best) / len(best)

    precision, recall = mean_of_best(candidate, other), mean_of_best(other, candidate)
    return 2 * precision * recall / (precision + recall)


def test_bertscore_is_f1_of_the_most_similar_tokens(folder):
    batch = open_metric(f"bertscore:{folder}#{TAKEN}").scores([against_reference(*pair) for pair in PAIRS])

    expected = [plain_f1(states(folder, candidate), states(folder, other)) for candidate, other in PAIRS]
    assert [answer.score for answer in batch.answers] == pytest.approx(expected, abs=1e-6)
    assert batch.computed_tokens == sum(answer.prompt_tokens for answer in batch.answers)


@pytest.mark.realmodel
def test_bertscore_of_a_real_encoder_is_that_of_its_definition_and_finds_the_paraphrase():
    folder, layer = real_encoder(), 5
    told = "The captain repainted his old boat before the race."
    texts = [
        "Before the race, the skipper gave his ancient boat a new coat of paint.",
        "Bread needs yeast, salt and time.",
    ]

    answers = (
        open_metric(f"bertscore:{folder}#{layer}").scores([against_reference(text, told) for text in texts]).answers
    )

    expected = [plain_f1(states(folder, text, layer), states(folder, told, layer)) for text in texts]
    assert [answer.score for answer in answers] == pytest.approx(expected, abs=1e-6)
    assert answers[0].score > answers[1].score + 0.2


def test_greedy_f1_of_a_case_by_hand():
    # the candidate's two tokens meet 1 and 0.6, the other text's three 1, 0.6 and 0.8
    candidate, other = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0, 0.0], [0.6, 0.6], [0.8, 0.6]])

    every = (torch.tensor([True, True]), torch.tensor([True, True, True]))

    assert greedy_f1(candidate, other, every) == pytest.approx(2 * 0.8 * 0.8 / 1.6, abs=1e-6)


def test_text_that_is_too_long_or_empty_is_an_error_that_harms_no_other(folder):
    engine = open_metric(f"bertscore:{folder}#{TAKEN}")

    long, empty, other = engine.scores(
        [against_reference("boat " * 200, "a"), against_reference(" ", "a"), against_reference("a", "a")]
    ).answers

    assert long.error == "a text is too long: it has 203 tokens, and the model takes 64; nothing is cut off"
    assert empty.error == "the text is empty; it has no tokens to compare"
    assert other.score == pytest.approx(1, abs=1e-6)


def test_description_names_model_layer_and_fingerprint(folder):
    description = open_metric(f"bertscore:{folder}#{TAKEN}").describe()

    assert description.signature == f"BERTScore F1|model:{folder}|layer:{TAKEN}|idf:no|rescaled:no"
    assert (description.architecture, description.revision[:7]) == ("BertModel", "sha256:")


@pytest.mark.parametrize(
    ("layer", "reason"),
    [("", "is unknown; add it to the name, as in bertscore:MODEL#17"), ("#4", "has layers 1 to 3; 4 is none")],
)
def test_layer_must_be_known_and_there(folder, layer, reason):
    with pytest.raises(LoadFailed, match=reason):
        open_metric(f"bertscore:{folder}{layer}")
