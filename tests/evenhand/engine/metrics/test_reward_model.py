import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from evenhand.engine import EngineSettings, LoadFailed, load_engine
from evenhand.engine.metrics import MetricQuestion
from tests.evenhand.engine.classifier_models import CLASSIFIERS, save_classifier
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model

CANDIDATES = ("The boat was painted.", "The old captain painted the boat at the pier.", "The young teacher.")
CONTEXT = "Who painted the boat?"


def reward_engine(folder):
    return load_engine(EngineSettings("metric", f"reward:{folder}"))


def asked(candidates=CANDIDATES, *, against="context", other=CONTEXT):
    return [MetricQuestion("", "", "", "", candidate=text, against=against, other=other) for text in candidates]


@torch.inference_mode()
def plain_score(folder, inputs):
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    return float(model(**{name: torch.tensor([ids]) for name, ids in inputs.items()}).logits[0, 0])


@pytest.mark.parametrize("padding", [True, False])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_reward_is_the_number_for_the_pair_of_context_and_candidate(kind, padding, tmp_path):
    folder = save_classifier(tmp_path, kind, padding=padding, opening="<s>", closing="</s>")
    tokenizer = AutoTokenizer.from_pretrained(folder)

    batch = reward_engine(folder).scores(asked())

    pairs = [tokenizer(CONTEXT, text) for text in CANDIDATES]
    names = ("input_ids", "token_type_ids") if kind == "bert" and "token_type_ids" in pairs[0] else ("input_ids",)
    expected = [plain_score(folder, {name: pair[name] for name in names}) for pair in pairs]
    assert [answer.score for answer in batch.answers] == pytest.approx(expected, abs=1e-5)
    assert len(set(expected)) == len(expected)
    assert batch.computed_tokens == sum(len(pair["input_ids"]) for pair in pairs)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_reward_of_a_chat_model_is_that_of_the_conversation(kind, tmp_path):
    folder = save_classifier(tmp_path, kind, chat_template=CHAT_TEMPLATE)
    tokenizer = AutoTokenizer.from_pretrained(folder)

    answers = reward_engine(folder).scores(asked()).answers

    texts = [f"<s>[user] {CONTEXT}\n[assistant] {text}\n" for text in CANDIDATES]
    ids = [tokenizer(text, add_special_tokens=False).input_ids for text in texts]
    expected = [plain_score(folder, {"input_ids": some}) for some in ids]
    assert [answer.score for answer in answers] == pytest.approx(expected, abs=1e-5)


def test_reward_of_a_text_alone_reads_no_context(tmp_path):
    folder = save_classifier(tmp_path, "bert")
    tokenizer = AutoTokenizer.from_pretrained(folder)

    (answer,) = reward_engine(folder).scores(asked(CANDIDATES[:1], against="", other="")).answers

    assert answer.score == pytest.approx(
        plain_score(folder, {"input_ids": tokenizer(CANDIDATES[0]).input_ids}), abs=1e-5
    )


def test_reward_of_a_text_that_cannot_be_scored_is_an_error_and_others_have_theirs(tmp_path):
    engine = reward_engine(save_classifier(tmp_path, "llama"))

    empty, usual, long = engine.scores(asked(("  ", CANDIDATES[0], "boat " * 200))).answers

    assert empty.error == "the text is empty; a reward model scores no empty text"
    assert usual.error == ""
    assert long.error.startswith("the text is too long: it has ")
    assert long.error.endswith("tokens, and the model takes 128")


def test_reward_model_describes_itself_as_a_metric(tmp_path):
    folder = save_classifier(tmp_path, "llama", chat_template=CHAT_TEMPLATE)

    description = reward_engine(folder).describe()

    assert (description.backend, description.family) == ("metric", "metric")
    assert description.architecture == "LlamaForSequenceClassification"
    assert description.model == f"reward:{folder}"
    assert description.revision.startswith("sha256:")
    assert description.signature == f"reward model|model:{folder}|input:chat template|score:logit"


def test_classifier_of_two_labels_is_no_reward_model(tmp_path):
    with pytest.raises(LoadFailed, match=r"has 2 labels \(LABEL_0, LABEL_1\), and a reward model has one"):
        reward_engine(save_classifier(tmp_path, "bert", labels=2))


def test_language_model_is_no_reward_model(tmp_path):
    with pytest.raises(LoadFailed, match=r"is no sequence classifier: its config.json names LlamaForCausalLM"):
        reward_engine(save_model(tmp_path, "llama"))
