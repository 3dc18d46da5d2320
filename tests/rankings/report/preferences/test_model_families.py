"""Names of models, and the families they speak of."""

import pytest

from rankings.report.preferences.length_and_family import family_of


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-3.5-turbo", "gpt"),
        ("ChatGPT", "gpt"),
        ("gpt4_0613", "gpt"),
        ("text-davinci-003", "gpt"),
        ("claude-v1", "claude"),
        ("gemini-1.5-pro", "gemini"),
        ("palm2", "gemini"),
        ("google/gemma-2-9b-it", "gemma"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama"),
        ("llama2-7b-chat", "llama"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mistral"),
        ("Qwen/Qwen2.5-0.5B-Instruct", "qwen"),
        ("vicuna-13b-v1.2", "vicuna"),
        ("/models/google/flan-t5-xl/", "t5"),
        ("T5", "t5"),
        ("microsoft/phi-3-mini", "phi"),
    ],
)
def test_family_is_that_of_the_models_name(name, family):
    assert family_of(name) == family


@pytest.mark.parametrize(
    "name", ["", "judge", "M22", "GPT-2", "GPT", "gpt4all", "gpt-j-6b", "nomistralhere", "palmyra", "mt5-small", "phil"]
)
def test_names_that_are_not_sure_have_no_family(name):
    assert family_of(name) is None


def test_names_of_two_families_have_none():
    assert family_of("DeepSeek-R1-Distill-Qwen-7B") is None


def test_folders_above_a_model_do_not_count():
    assert family_of("/data/llama-runs/checkpoint-7") is None
