import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from evenhand.engine import EngineError, EngineSettings, LoadFailed, Question, Request, load_engine
from evenhand.engine.questions.scale_questions import ScaleQuestion
from tests.evenhand.engine.classifier_models import CLASSIFIERS, save_classifier
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE

QUESTIONS = [Question(f"The boat {'was painted ' * n}Which?", "Summary", " A", " B") for n in (1, 6, 3)]
WITH_TIE = [Question(one.text, one.answer_prefix, " A", " B", label_tie=" C") for one in QUESTIONS]


def settings(folder):
    return EngineSettings("transformers", str(folder))


@torch.inference_mode()
def plain_probabilities(folder, texts):
    model, tokenizer = (
        AutoModelForSequenceClassification.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    return [model(input_ids=torch.tensor([tokenizer(text).input_ids])).logits[0].softmax(-1).tolist() for text in texts]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_p_first_is_the_probability_of_the_first_of_two_labels(kind, tmp_path):
    folder = save_classifier(tmp_path, kind, labels=2, opening="<s>", closing="</s>")

    batch = load_engine(settings(folder)).p_first(QUESTIONS)

    expected = [first for first, _ in plain_probabilities(folder, [question.text for question in QUESTIONS])]
    assert [answer.p_first for answer in batch.answers] == pytest.approx(expected, abs=1e-6)
    assert len(set(expected)) == len(expected)


def test_p_first_of_three_labels_is_normalised_over_both_texts_and_a_tie_answered_by_the_likeliest(tmp_path):
    folder = save_classifier(tmp_path, "bert", labels=3)

    answers = load_engine(settings(folder)).p_first(QUESTIONS).answers

    expected = [
        first / (first + second)
        for first, second, _ in plain_probabilities(folder, [question.text for question in QUESTIONS])
    ]
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-6)

    answers = load_engine(settings(folder)).p_first(WITH_TIE).answers

    likeliest = torch.tensor(plain_probabilities(folder, [question.text for question in WITH_TIE])).argmax(-1)
    assert [answer.choice for answer in answers] == [("first", "second", "tie")[label] for label in likeliest]


def test_question_with_a_tie_and_a_prompt_that_is_too_long_are_errors_of_their_own(tmp_path):
    engine = load_engine(settings(save_classifier(tmp_path, "bert", labels=2)))

    answers = engine.p_first([WITH_TIE[0], QUESTIONS[0]]).answers

    assert answers[0].error == "the classifier has no label for a tie; choose a prompt without ties"
    assert answers[1].error == ""

    long, usual = engine.p_first([Question("boat " * 200, "", "A", "B"), QUESTIONS[0]]).answers

    assert "too long" in long.error
    assert usual.error == ""


def test_prompt_in_a_chat_template_is_classified_as_rendered(tmp_path):
    folder = save_classifier(tmp_path, "llama", labels=2, chat_template=CHAT_TEMPLATE)
    engine = load_engine(settings(folder))

    answers = engine.p_first(QUESTIONS).answers

    texts = [engine.render(question).prompt_text for question in QUESTIONS]
    assert texts[0].startswith("<s>[user] The boat was painted Which?")
    expected = [first for first, _ in plain_probabilities(folder, texts)]
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-6)


def test_pairwise_classifier_writes_and_scores_nothing(tmp_path):
    engine = load_engine(settings(save_classifier(tmp_path, "bert", labels=2)))

    for ask in (
        lambda: engine.generate([Request("Why?")]),
        lambda: engine.scores([ScaleQuestion("How good?", "", "1", "5")]),
        lambda: engine.log_likelihoods([]),
        lambda: engine.answer_request(QUESTIONS[0]),
    ):
        with pytest.raises(EngineError, match="a pairwise classifier compares two texts and writes none"):
            ask()


def test_classifier_describes_itself_and_says_when_it_is_closed(tmp_path):
    engine = load_engine(settings(save_classifier(tmp_path, "bert", labels=2)))

    description = engine.describe()

    assert (description.backend, description.family) == ("transformers", "classifier")
    assert description.architecture == "BertForSequenceClassification"
    assert description.gives_probabilities
    assert description.tokenizer == engine.fingerprint() != ""

    engine.close()

    with pytest.raises(EngineError, match="this engine is closed"):
        engine.p_first(QUESTIONS)


def test_classifier_with_one_label_is_named_a_reward_model_and_one_with_many_is_refused(tmp_path):
    folder = save_classifier(tmp_path, "llama", labels=1)

    with pytest.raises(LoadFailed, match=f"--backend metric --model reward:{folder}"):
        load_engine(settings(folder))

    with pytest.raises(LoadFailed, match="has 5 labels; a pairwise classifier has two"):
        load_engine(settings(save_classifier(tmp_path, "bert", labels=5)))
